"""Pages of a site: list, close and move them.

A page that moves keeps its id, and so do its comments: links remain valid. Both URLs lead to the page. A job
updates the URL in the comments.
"""

import asyncio
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from townsquare.keyspace import carried_bucket, mint_id
from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down, page_up
from townsquare.services.threads import keys
from townsquare.services.threads.models.moderation import Action
from townsquare.services.threads.models.pages import Moved, SitePage
from townsquare.services.threads.models.sites import SiteConfig, Viewer
from townsquare.services.threads.page_urls import name_of, page_id_of
from townsquare.services.threads.problems import BadPage, PageNotFound, PageTaken
from townsquare.services.threads.scripts.pages import (
    ClosePage,
    EndMovesStep,
    EndMoveStep,
    MovePage,
    MovePages,
    SetPageUrl,
)
from townsquare.services.threads.service.comments import PageAddress, page_address
from townsquare.services.threads.service.moderation_log import log_entry
from townsquare.services.threads.service.moved_comments import moved_page
from townsquare.services.threads.service.sites import require_admin, require_moderator
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

SHARE = 200
PATIENCE = 2.0  # seconds that the caller waits for the job


class SitePages:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(keys.MOVE_PAGE_JOB, self._move_step, rests=True)
        jobs.register(keys.MOVE_PAGES_JOB, self._moves_step, rests=True)

    async def list(self, viewer: Viewer, cursor: str | None = None, limit: PageSize = 20) -> Page[SitePage]:
        """Pages with comments, ordered by their first comment, newest first."""
        require_moderator(viewer)
        pages = keys.site_pages(viewer.site_id)
        found, next = cut(await page_down(self._store, pages, Cursor.decode(cursor), limit + 1), limit)
        records = await self._store.get_many([keys.page(one.member) for one in found])
        items = [
            SitePage(
                id=one.id,
                url=one.url,
                key=one.key,
                title=one.title,
                comment_count=one.comment_count,
                closed=one.closed,
                created_at=one.created_at,
            )
            for one in records
            if one and not one.deleting
        ]
        return Page(items, next)

    async def find(self, site: SiteConfig, page_url: str | None, page_key: str | None = None) -> PageAddress:
        """The page of a URL or key, also after a move or merge."""
        page = page_address(site, page_url, page_key)
        moved = await moved_page(self._store, page.id)
        return replace(page, id=moved) if moved else page

    async def set_closed(self, viewer: Viewer, page: PageAddress, closed: bool) -> bool:
        """Close a page for comments, or open it. Returns False if nothing changed."""
        require_moderator(viewer)
        action: Action = "close_page" if closed else "open_page"
        entry = log_entry(viewer, action, page.id, self._store.clock.now_ms(), page.url)
        return await self._store.run(
            ClosePage(page_id=page.id, site_id=viewer.site_id, closed=closed, entry=entry)
        )

    async def move(self, viewer: Viewer, page: PageAddress, to: PageAddress) -> Moved:
        """Change the URL of a page. Refused if the new URL has comments."""
        require_admin(viewer)
        job = await self._move(viewer, page.id, to)
        return Moved(finished=await self._wait(job))

    async def _move(self, viewer: Viewer, page_id: str, to: PageAddress) -> str:
        return await self._store.run(
            MovePage(
                page_id=page_id,
                site_id=viewer.site_id,
                new_id=to.id,
                url=to.url,
                job=mint_id(carried_bucket(page_id)),
                entry=log_entry(viewer, "move_page", page_id, self._store.clock.now_ms(), f"to {to.url}"),
            )
        )

    async def move_all(self, viewer: Viewer, site: SiteConfig, old: str, new: str) -> Moved:
        """Replace the prefix `old` of the URLs of all pages by `new`.

        A page whose new URL has comments does not move.
        """
        require_admin(viewer)
        old_prefix, new_prefix = page_address(site, old).key, page_address(site, new).url
        if old_prefix == name_of(new_prefix):
            raise BadPage("Pass two different URLs")
        job = mint_id(carried_bucket(viewer.site_id))
        details = f"{old_prefix} to {new_prefix}"
        await self._store.run(
            MovePages(
                site_id=viewer.site_id,
                old=old_prefix,
                new=new_prefix,
                job=job,
                entry=log_entry(viewer, "move_pages", viewer.site_id, self._store.clock.now_ms(), details),
            )
        )
        return Moved(finished=await self._wait(job))

    async def _wait(self, job: str) -> bool:
        return await self._jobs.run_within(job, PATIENCE) == "done"

    async def _move_step(self, args: dict[str, Any]) -> int:
        page_id, job = args["page_id"], args["job"]
        record = await self._store.get(keys.page(page_id))
        url, found = "", []
        if record is not None and record.moving == job:
            url = record.url
            after = Cursor.decode(record.moved_to)
            found = await page_up(self._store, keys.page_all(page_id), after, SHARE)
            await self._store.run_many([SetPageUrl(comment_id=one.member, url=url) for one in found])
        reached = found[-1].encode() if len(found) == SHARE else None
        await self._store.run(EndMoveStep(page_id=page_id, job=job, url=url, reached=reached))
        return max(len(found), 1)

    async def _moves_step(self, args: dict[str, Any]) -> int:
        site_id, job = args["site_id"], args["job"]
        reached = await self._store.call("HGET", keys.site_moves(site_id), job)
        after = Cursor.decode(reached.decode() if reached else None)
        pages = await page_up(self._store, keys.site_pages(site_id), after, SHARE)
        records = await self._store.get_many([keys.page(one.member) for one in pages])
        moving = [
            (one.id, args["new"] + name.removeprefix(args["old"]))
            for one in records
            if one and not one.deleting and (name := name_of(one.url)).startswith(args["old"])
        ]
        await asyncio.gather(*(self._move_one(site_id, id, url) for id, url in moving))
        onward = pages[-1].encode() if len(pages) == SHARE else None
        await self._store.run(EndMovesStep(site_id=site_id, job=job, reached=onward))
        return max(len(pages), 1)

    async def _move_one(self, site_id: str, page_id: str, url: str) -> None:
        to = PageAddress(page_id_of(site_id, name_of(url)), name_of(url), url)
        with suppress(PageTaken, PageNotFound):  # it does not move
            await self._jobs.run(await self._move(Viewer(site_id=site_id, owner=True), page_id, to))

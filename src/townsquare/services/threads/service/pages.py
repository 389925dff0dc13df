"""Pages of a site: list, close, move and merge them.

A page that moves keeps its id, and so do its comments: links remain valid. Both URLs lead to the page. A job
updates the URL in the comments.

Comments are in the bucket of their page, so a merge gives them new ids; the old ids redirect (decision 027).
The job moves the first comments that are left, and resumes after a crash.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from msgspec import convert
from msgspec.structs import replace

from townsquare.clock import day_of
from townsquare.keyspace import carried_bucket, derived_id, mint_id
from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down, page_up
from townsquare.services.threads import keys, scripts
from townsquare.services.threads.models.moderation import Action, log_entry
from townsquare.services.threads.models.sites import PageJob, SiteConfig, SitePage, Viewer
from townsquare.services.threads.page_urls import PageAddress, name_of, page_address, page_id_of
from townsquare.services.threads.problems import BadPage, PageNotFound, PageTaken
from townsquare.services.threads.scripts import EndMerge, FollowMergedPage, MergePage, MoveComment
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
        there = [one for one in records if one and not one.deleting]
        return Page(convert(there, list[SitePage], from_attributes=True), next)

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
            scripts.ClosePage(page_id=page.id, site_id=viewer.site_id, closed=closed, entry=entry)
        )

    async def move(self, viewer: Viewer, page: PageAddress, to: PageAddress) -> PageJob:
        """Change the URL of a page. Refused if the new URL has comments."""
        require_admin(viewer)
        job = await self._move(viewer, page.id, to)
        return PageJob(finished=await self._wait(job))

    async def _move(self, viewer: Viewer, page_id: str, to: PageAddress) -> str:
        return await self._store.run(
            scripts.MovePage(
                page_id=page_id,
                site_id=viewer.site_id,
                new_id=to.id,
                url=to.url,
                job=mint_id(carried_bucket(page_id)),
                entry=log_entry(viewer, "move_page", page_id, self._store.clock.now_ms(), f"to {to.url}"),
            )
        )

    async def move_all(self, viewer: Viewer, site: SiteConfig, old: str, new: str) -> PageJob:
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
            scripts.MovePages(
                site_id=viewer.site_id,
                old=old_prefix,
                new=new_prefix,
                job=job,
                entry=log_entry(viewer, "move_pages", viewer.site_id, self._store.clock.now_ms(), details),
            )
        )
        return PageJob(finished=await self._wait(job))

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
            await self._store.run_many([scripts.SetPageUrl(comment_id=one.member, url=url) for one in found])
        reached = found[-1].encode() if len(found) == SHARE else None
        await self._store.run(scripts.EndMoveStep(page_id=page_id, job=job, url=url, reached=reached))
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
        await self._store.run(scripts.EndMovesStep(site_id=site_id, job=job, reached=onward))
        return max(len(pages), 1)

    async def _move_one(self, site_id: str, page_id: str, url: str) -> None:
        to = PageAddress(page_id_of(site_id, name_of(url)), name_of(url), url)
        with suppress(PageTaken, PageNotFound):  # it does not move
            await self._jobs.run(await self._move(Viewer(site_id=site_id, owner=True), page_id, to))


MERGE_SHARE = 50
VOTES_SHARE = 500  # of one comment
VIEW_DAYS = 90


class PageMerges:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(keys.MERGE_PAGE_JOB, self._step, rests=True)

    async def merge(self, viewer: Viewer, page: PageAddress, into: PageAddress) -> PageJob:
        """Move all comments of a page to another one. Its URL leads there from now on."""
        require_admin(viewer)
        if page.id == into.id:
            raise BadPage("Both URLs lead to the same page")
        now = self._store.clock.now_ms()
        job = await self._store.run(
            MergePage(
                page_id=page.id,
                site_id=viewer.site_id,
                into_id=into.id,
                job=mint_id(carried_bucket(page.id)),
                entry=log_entry(viewer, "merge_page", page.id, now, f"{page.url} into {into.url}"),
            )
        )
        return PageJob(finished=await self._jobs.run_within(job, PATIENCE) == "done")

    async def _step(self, args: dict[str, Any]) -> int:
        page_id, into_id, job = args["page_id"], args["into_id"], args["job"]
        record = await self._store.get(keys.page(page_id))
        if record is not None and record.merging == job:
            done = await self._move_followers(page_id, into_id)
            done = done or await self._move_comments(page_id, into_id, job)
            if done:
                return done
        await self._store.run(EndMerge(page_id=page_id, into_id=into_id, job=job, days=self._days()))
        return 1

    def _days(self) -> list[str]:
        """The recent days that can have a count of views."""
        today = day_of(self._store.clock.now_ms())
        return [(today - timedelta(days=ago)).isoformat() for ago in range(VIEW_DAYS + 1)]

    async def _move_followers(self, page_id: str, into_id: str) -> int:
        """Move the followers first, because new comments may arrive meanwhile."""
        mailing = await self._store.call("HMGET", keys.page_mailing(page_id), "job", "ids")
        if all(mailing):  # a job is queueing mail to them
            await self._jobs.run(mailing[0].decode())
        found = await self._store.call("SRANDMEMBER", keys.page_followers(page_id), MERGE_SHARE)
        for user_id in found:
            await self._store.run(
                FollowMergedPage(user_id=user_id.decode(), page_id=page_id, into_id=into_id)
            )
        return len(found)

    async def _move_comments(self, page_id: str, into_id: str, job: str) -> int:
        found = await page_up(self._store, keys.page_all(page_id), None, MERGE_SHARE)
        places = await self._with_parents(page_id, [one.member for one in found])
        for id, (_, parent_id, answers) in sorted(places.items(), key=lambda place: place[1][0]):
            await self._store.run(
                MoveComment(
                    page_id=page_id,
                    comment_id=id,
                    job=job,
                    into_id=into_id,
                    new_id=merged_id(into_id, id),
                    parent_id=merged_id(into_id, parent_id) if parent_id else None,
                    answers=merged_id(into_id, answers) if answers else None,
                    votes_share=VOTES_SHARE,
                )
            )
        return len(places)

    async def _with_parents(
        self, page_id: str, ids: list[str]
    ) -> dict[str, tuple[int, str | None, str | None]]:
        """These comments and their ancestors on this page, with depth, parent and answered comment."""
        places: dict[str, tuple[int, str | None, str | None]] = {}
        unread = ids
        while unread:
            asked = [("HMGET", keys.comment(id), "depth", "parent_id", "answers", "page_id") for id in unread]
            above = []
            for id, (depth, parent, answers, of_page) in zip(
                unread, await self._store.pipeline(asked), strict=True
            ):
                if of_page not in (None, page_id.encode()):
                    continue
                if of_page is None and id not in ids:
                    continue  # it has moved
                parent_id = parent.decode() if parent else None
                places[id] = (int(depth or 0), parent_id, answers.decode() if answers else None)
                if parent_id and parent_id not in places:
                    above.append(parent_id)
            unread = [id for id in dict.fromkeys(above) if id not in places]
        return places


def merged_id(into_id: str, comment_id: str) -> str:
    """The id of a comment after the merge. It is derived, so that a repeated step gets the same id."""
    return derived_id("merged", into_id, comment_id, bucket=carried_bucket(into_id))

"""Counts of pages, the newest comments of a site, and the votes of a user."""

from collections.abc import Sequence

from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Direction, RecentComment
from townsquare.services.threads.models.sites import SiteConfig, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.scripts import ReadMyVotes
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.moved_comments import moved_ids
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.thread_tree import direction
from townsquare.store.store import Store


class Lists:
    def __init__(self, store: Store, reading: Reading) -> None:
        self._store = store
        self._reading = reading

    async def counts(
        self, viewer: Viewer, site: SiteConfig, urls: Sequence[str] = (), page_keys: Sequence[str] = ()
    ) -> dict[str, int]:
        """The number of comments that the viewer sees on each page, by the URL in the request."""
        asked = {url: page_address(site, url).id for url in urls}
        asked |= {key: page_address(site, None, key).id for key in page_keys}
        if not asked:
            return {}
        moved = await moved_ids(self._store, keys.page_moved, list(asked.values()))
        asked = {name: moved.get(id, id) for name, id in asked.items()}
        pages = list(dict.fromkeys(asked.values()))
        found = await self._store.pipeline(
            [("HMGET", keys.page(id), "site_id", "comment_count", "deleting") for id in pages]
        )
        totals = {
            id: int(count or 0) if site_id == viewer.site_id.encode() and not deleting else 0
            for id, (site_id, count, deleting) in zip(pages, found, strict=True)
        }
        for id, own in (await self._own_shadowed(viewer, pages)).items():
            totals[id] += own
        return {name: totals[id] for name, id in asked.items()}

    async def _own_shadowed(self, viewer: Viewer, pages: Sequence[str]) -> dict[str, int]:
        """The number of shadow-banned comments of the viewer, which look public to their author, by page."""
        if viewer.user_id is None:
            return {}
        user_id = viewer.user_id
        hidden = await self._store.pipeline(
            [("ZREVRANGE", keys.page_hidden_of(id, user_id), 0, keys.HIDDEN_READ - 1) for id in pages]
        )
        ids = [id.decode() for of_page in hidden for id in of_page]
        counts: dict[str, int] = {}
        for record in await self._reading.records(ids) if ids else []:
            if record and record.shadow and record.status == "approved":
                counts[record.page_id] = counts.get(record.page_id, 0) + 1
        return counts

    async def recent(
        self, viewer: Viewer, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[RecentComment]:
        """The newest public comments of the site, and the viewer's own shadow-banned ones."""
        after = Cursor.decode(cursor)
        found = await page_down(self._store, keys.site_comments(viewer.site_id), after, limit + 1)
        if viewer.user_id is not None:
            hidden = keys.user_hidden(viewer.user_id, viewer.site_id)
            own = await page_down(self._store, hidden, after, limit + 1)
            shadowed = await self._shadowed([one.member for one in own])
            found = sorted({*found, *(one for one in own if one.member in shadowed)}, reverse=True)
        places, next = cut(found, limit)
        return Page(await self.placed(viewer, [one.member for one in places]), next)

    async def _shadowed(self, ids: Sequence[str]) -> set[str]:
        found = await self._reading.records(ids) if ids else []
        return {one.id for one in found if one and one.shadow and one.status == "approved"}

    async def placed(self, viewer: Viewer, ids: Sequence[str]) -> list[RecentComment]:
        """Comments with their pages, without those that the viewer may not see or has blocked."""
        found = await self._reading.located(viewer, ids)
        return [one for one in found if one.comment.author is not None]

    async def my_votes(self, viewer: Viewer, page_id: str) -> dict[str, Direction]:
        """The viewer's votes on the newest thousand comments of a page."""
        votes = await self._store.run(
            ReadMyVotes(page_id=page_id, user_id=signed_in(viewer), site_id=viewer.site_id)
        )
        return {id.decode(): direction(vote) for id, vote in zip(votes[::2], votes[1::2], strict=True)}

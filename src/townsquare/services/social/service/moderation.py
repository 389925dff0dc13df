"""Bans and reports."""

from townsquare.kit.paging import Cursor, Page, PageSize, cursors, cut, page_down
from townsquare.services.social import records
from townsquare.services.social.keys import post_reasons, post_reports, reports_open
from townsquare.services.social.models import Change, PostReport, ReportedPost
from townsquare.services.social.problems import BadReport, PostBanned
from townsquare.services.social.scripts import BanPost, ReportPost, UnbanPost
from townsquare.services.social.service.posts import Posts, checked_id, visible_text
from townsquare.services.social.usernames import valid_username
from townsquare.store.store import Store

REASON_LENGTH = 500
REPORTS_SHOWN = 20  # of each post, the newest


class Moderation:
    def __init__(self, store: Store, posts: Posts) -> None:
        self._store = store
        self._posts = posts

    async def ban(self, id: str, moderator: str | None) -> Change:
        """Remove a post from all feeds and counts. `moderator` is None if the caller has no profile."""
        name = valid_username(moderator) if moderator else None
        return Change(await self._store.run(BanPost(id=checked_id(id), moderator=name)))

    async def unban(self, id: str) -> Change:
        return Change(await self._store.run(UnbanPost(id=checked_id(id))))

    async def report(self, id: str, username: str, reason: str) -> Change:
        """Report a post to the moderators; a second report by the same user changes nothing."""
        text = visible_text(reason, REASON_LENGTH)
        if not text:
            raise BadReport(f"reason: use 1 to {REASON_LENGTH} characters")
        script = ReportPost(id=checked_id(id), username=valid_username(username), reason=text)
        try:
            changed = await self._store.run(script)
        except PostBanned:
            await self._posts.see(id, username)  # a refusal does not reveal a post that is hidden from them
            raise
        if not changed:
            await self._posts.see(id, username)
        return Change(changed)

    async def reported(self, cursor: str | None = None, limit: PageSize = 20) -> Page[ReportedPost]:
        """Reported posts that are shown, the most reported first, with the newest reports."""
        read = await page_down(self._store, reports_open(), Cursor.decode(cursor), limit + 1)
        found, next = cut(read, limit)
        ids = [one.member for one in found]
        posts = await self._store.read_all(records.POST, ids)
        reports = [await self._reports(id) for id in ids]
        items = [
            ReportedPost(post, listed, int(one.score))
            for post, listed, one in zip(posts, reports, found, strict=True)
            if post
        ]
        return Page(items, next)

    async def _reports(self, id: str) -> list[PostReport]:
        key = post_reports(id)
        newest = cursors(await self._store.call("ZREVRANGE", key, 0, REPORTS_SHOWN - 1, "WITHSCORES"))
        if not newest:
            return []
        reasons = await self._store.call("HMGET", post_reasons(id), *(one.member for one in newest))
        return [
            PostReport(one.member, (reason or b"").decode(), int(one.score))
            for one, reason in zip(newest, reasons, strict=True)
        ]

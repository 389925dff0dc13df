"""Moderation of a site: queue, reports, approve, reject, ban. Every action is logged."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from townsquare.clock import from_iso, iso
from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down, page_up, set_members
from townsquare.services.threads import keys
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models import moderation as models
from townsquare.services.threads.models.comments import Author, Comment
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import BadBanEnd, CommenterNotFound
from townsquare.services.threads.scripts import DismissReport, SetBan, SetStatus
from townsquare.services.threads.service.bans import BanJob
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.comments import checked_comment
from townsquare.services.threads.service.moved_comments import run_on_comment
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.sites import require_moderator
from townsquare.services.threads.service.visibility import authors_of
from townsquare.store.store import Store

DAY_MS = 86_400_000
SITES_AT_ONCE = 100  # whose queues the operator sees on one page
SHOWN_OF_SITE = 5  # held comments, and as many reports, of one site


class CommentModeration:
    def __init__(self, store: Store, commenters: Commenters, reading: Reading, bans: BanJob) -> None:
        self._store = store
        self._commenters = commenters
        self._reading = reading
        self._bans = bans

    async def queue(
        self, viewer: Viewer, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[models.QueuedComment]:
        """Comments that are held for a moderator, oldest first."""
        require_moderator(viewer)
        queue = keys.site_modqueue(viewer.site_id)
        found, next = cut(await page_up(self._store, queue, Cursor.decode(cursor), limit + 1), limit)
        return Page(await self.waiting(viewer, [one.member for one in found]), next)

    async def waiting(self, viewer: Viewer, ids: Sequence[str]) -> list[models.QueuedComment]:
        """The comments among these that are held for a moderator."""
        require_moderator(viewer)
        comments = await self._comments(viewer, ids)
        records = await self._reading.records(ids) if ids else []
        return [
            models.QueuedComment(
                comment=comments[record.id],
                page_url=record.page_url,
                reasons=record.reasons.split(", ") if record.reasons else [],
                report_count=record.report_count,
            )
            for record in records
            if record and record.id in comments and record.status == "pending"
        ]

    async def reports(
        self, viewer: Viewer, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[models.ReportedComment]:
        """Open reports, newest first."""
        require_moderator(viewer)
        found, next = await self._page_down(keys.site_reports(viewer.site_id), cursor, limit)
        reports = [msgspec.json.decode(one, type=models.CommentReport) for one in found]
        ids = list(dict.fromkeys(one.comment_id for one in reports))
        comments = await self._comments(viewer, ids)
        urls = {one.id: one.page_url for one in (await self._reading.records(ids) if ids else []) if one}
        reporters = await authors_of(self._store, (one.reporter_id for one in reports))
        items = [
            models.ReportedComment(
                report=one,
                reporter=reporters.get(one.reporter_id),
                comment=comments.get(one.comment_id),
                page_url=urls.get(one.comment_id),
            )
            for one in reports
        ]
        return Page(items, next)

    async def across_sites(self, cursor: str | None = None) -> Page[models.WaitingComment]:
        """What waits on the newest sites, or on those after a cursor: the first ones of each, oldest first.

        For the operator. Comments and authors are cached, so repeated calls take two round trips.
        """
        found, next = cut(
            await page_down(self._store, keys.sites(), Cursor.decode(cursor), SITES_AT_ONCE + 1),
            SITES_AT_ONCE,
        )
        ids = [one.member for one in found]
        sites, lists = await asyncio.gather(
            self._store.get_many([keys.site(id) for id in ids]),
            self._store.pipeline(
                [
                    ("ZRANGE", listed(id), 0, SHOWN_OF_SITE - 1, "WITHSCORES")
                    for id in ids
                    for listed in (keys.site_modqueue, keys.site_reports)
                ]
            ),
        )
        held: list[tuple[str, int, str]] = []  # comment, since, site
        reports: list[tuple[models.CommentReport, int, str]] = []
        names = {site.id: site.name for site in sites if site and not site.deleting}
        for id, queued, reported in zip(ids, lists[::2], lists[1::2], strict=True):
            if id in names:
                held += [(one.decode(), int(since), id) for one, since in queued]
                reports += [
                    (msgspec.json.decode(one, type=models.CommentReport), int(since), id)
                    for one, since in reported
                ]
        comments = await self._records(
            [*(one for one, _, _ in held), *(one.comment_id for one, _, _ in reports)]
        )
        authors = await authors_of(self._store, (one.author_id for one in comments.values()))
        waiting = [
            waiting_comment(names[site], comments[id], authors, since, comments[id].reasons or "")
            for id, since, site in held
            if id in comments and comments[id].status == "pending"
        ]
        waiting += [
            waiting_comment(
                names[site],
                comments[report.comment_id],
                authors,
                since,
                f"{report.reason}: {report.details}" if report.details else report.reason,
                report.reporter_id,
            )
            for report, since, site in reports
            if report.comment_id in comments
        ]
        return Page(sorted(waiting, key=lambda one: one.since), next)

    async def _records(self, ids: Sequence[str]) -> dict[str, CommentRecord]:
        found = await self._reading.records(list(dict.fromkeys(ids))) if ids else []
        return {one.id: one for one in found if one and one.status != "deleted"}

    async def log(
        self, viewer: Viewer, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[models.LogEntry]:
        """Actions of moderators, newest first."""
        require_moderator(viewer)
        found, next = await self._page_down(keys.site_log(viewer.site_id), cursor, limit)
        return Page([msgspec.json.decode(one, type=models.LogEntry) for one in found], next)

    async def _page_down(
        self, key: AnyKey, cursor: str | None, limit: int
    ) -> tuple[Sequence[str], str | None]:
        found, next = cut(await page_down(self._store, key, Cursor.decode(cursor), limit + 1), limit)
        return [one.member for one in found], next

    async def _comments(self, viewer: Viewer, ids: Sequence[str]) -> dict[str, Comment]:
        return {one.id: one for one in await self._reading.comments(viewer, ids)}

    async def approve(self, viewer: Viewer, comment_id: str, *, details: str = "") -> bool:
        """Approve a comment. Returns False if it was approved already."""
        return await self._set_status(viewer, comment_id, "approve", "approved", details)

    async def reject(self, viewer: Viewer, comment_id: str, *, details: str = "") -> bool:
        """Reject a comment: only its author and moderators see it. Returns False if nothing changed."""
        return await self._set_status(viewer, comment_id, "reject", "rejected", details)

    async def _set_status(
        self, viewer: Viewer, comment_id: str, action: models.Action, status: str, details: str
    ) -> bool:
        require_moderator(viewer)
        now = self._store.clock.now_ms()
        return await run_on_comment(
            self._store,
            SetStatus(
                comment_id=checked_comment(comment_id),
                site_id=viewer.site_id,
                status=status,
                entry=models.log_entry(viewer, action, comment_id, now, details),
                at=iso(now),
            ),
        )

    async def dismiss(self, viewer: Viewer, comment_id: str, reporter_id: str) -> bool:
        """Close a report without changing the comment. Returns False if there is no such report."""
        require_moderator(viewer)
        now = self._store.clock.now_ms()
        return await run_on_comment(
            self._store,
            DismissReport(
                comment_id=checked_comment(comment_id),
                site_id=viewer.site_id,
                reporter_id=checked_user(reporter_id),
                entry=models.log_entry(viewer, "dismiss", comment_id, now),
            ),
        )

    async def ban(
        self,
        viewer: Viewer,
        user_id: str,
        *,
        until: str | None = None,
        days: models.BanDays | None = None,
        remove_comments: bool = False,
    ) -> models.BanOutcome:
        """Ban a user from the site, until a time or permanently."""
        now = self._store.clock.now_ms()
        until_ms = end_of_ban(now, until, days)
        details = [f"until {iso(until_ms)}"] if until_ms else []
        details += ["comments removed"] if remove_comments else []
        return await self._ban(
            viewer, user_id, "ban", until_ms=until_ms, remove=remove_comments, details=", ".join(details)
        )

    async def unban(self, viewer: Viewer, user_id: str) -> models.BanOutcome:
        """End a ban. Removed comments stay removed."""
        return await self._ban(viewer, user_id, "unban")

    async def shadowban(self, viewer: Viewer, user_id: str) -> models.BanOutcome:
        """Hide the comments of a user from everyone else, without telling the user."""
        return await self._ban(viewer, user_id, "shadowban")

    async def unshadowban(self, viewer: Viewer, user_id: str) -> models.BanOutcome:
        """End a shadow ban."""
        return await self._ban(viewer, user_id, "unshadowban")

    async def _ban(
        self,
        viewer: Viewer,
        user_id: str,
        action: models.Action,
        *,
        until_ms: int | None = None,
        remove: bool = False,
        details: str = "",
    ) -> models.BanOutcome:
        require_moderator(viewer)
        banned = not action.startswith("un")
        if banned:
            await self._commenters.get(checked_user(user_id))
        done = await self._store.run(
            SetBan(
                site_id=viewer.site_id,
                user_id=checked_user(user_id),
                kind="shadow" if action.endswith("shadowban") else "block",
                banned=banned,
                until_ms=until_ms,
                remove=remove,
                job=self._bans.new_id(viewer.site_id),
                entry=models.log_entry(viewer, action, user_id, self._store.clock.now_ms(), details),
            )
        )
        finished = not done.job or await self._bans.wait(done.job)
        return models.BanOutcome(user_id=user_id, changed=done.changed, finished=finished)

    async def bans(self, viewer: Viewer) -> list[models.BannedUser]:
        """Current bans and shadow bans of the site."""
        require_moderator(viewer)
        blocked = await self._members(keys.site_blocked(viewer.site_id))
        shadowed = await self._members(keys.site_shadowbanned(viewer.site_id))
        ends = await self._store.pipeline(
            [("ZSCORE", keys.site_blocked_until(viewer.site_id), id) for id in blocked]
        )
        authors = await authors_of(self._store, [*blocked, *shadowed])
        now = self._store.clock.now_ms()
        return [
            *(
                models.BannedUser(
                    user_id=id, user=authors.get(id), shadow=False, until=iso(int(end)) if end else None
                )
                for id, end in zip(blocked, ends, strict=True)
                if end is None or end > now
            ),
            *(
                models.BannedUser(user_id=id, user=authors.get(id), shadow=True, until=None)
                for id in shadowed
            ),
        ]

    async def _members(self, key: AnyKey) -> list[str]:
        found: set[str] = set()
        async for share in set_members(self._store, key):
            found.update(share)
            if len(found) >= keys.BANS_LISTED:
                break
        return sorted(found)[: keys.BANS_LISTED]


def checked_user(user_id: str) -> str:
    if not keys.USER_ID.matches(user_id):
        raise CommenterNotFound()
    return user_id


def end_of_ban(now: int, until: str | None, days: int | None) -> int | None:
    """The end of a ban in ms; None: permanent."""
    if until is not None and days is not None:
        raise BadBanEnd("Pass either `until` or `days`, not both")
    if days is not None:
        return now + days * DAY_MS
    if until is None:
        return None
    try:
        end = from_iso(until)
    except (ValueError, OverflowError):
        raise BadBanEnd() from None
    if not now < end <= now + 36_500 * DAY_MS:
        raise BadBanEnd()
    return end


def waiting_comment(
    site_name: str,
    record: CommentRecord,
    authors: Mapping[str, Author],
    since: int,
    why: str,
    reporter_id: str = "",
) -> models.WaitingComment:
    return models.WaitingComment(
        site_id=record.site_id,
        site_name=site_name,
        comment_id=record.id,
        page_url=record.page_url,
        author=authors.get(record.author_id or ""),
        content=record.content,
        why=why,
        since=since,
        reporter_id=reporter_id,
    )

"""Comments: written, edited for a while, deleted, voted on, pinned, reported."""

from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from townsquare.clock import iso
from townsquare.keyspace import carried_bucket, mint_id
from townsquare.problems import Unauthorized
from townsquare.services.threads import keys
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.comments import Comment, Direction, NewComment, Reason, Voted
from townsquare.services.threads.models.sites import CachedKey, SiteSettings, Viewer
from townsquare.services.threads.page_urls import BadPageUrl, checked_page_key, normalised_url, page_id_of
from townsquare.services.threads.problems import (
    BadPage,
    BanChanged,
    Banned,
    CommentNotFound,
    PageMerging,
    PageMoved,
    PostingClosed,
    RefusedAsSpam,
    VerifyFirst,
)
from townsquare.services.threads.scripts.comments import (
    CreateComment,
    EditComment,
    EraseComment,
    PinComment,
    ReportComment,
    VoteComment,
)
from townsquare.services.threads.service.comment_texts import checked_details, checked_text, checked_title
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.moderation_log import log_entry
from townsquare.services.threads.service.moved_comments import (
    MOVES_MET,
    moved_page,
    moved_parent,
    run_on_comment,
)
from townsquare.services.threads.service.outside_checks import OutsideChecks, asks_others
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.screening import Screening, Submission
from townsquare.services.threads.service.sites import has_host, require_moderator
from townsquare.services.threads.service.usage import Usage
from townsquare.services.threads.service.visibility import Authors, seen_by_all, shown
from townsquare.services.threads.service.write_access import WriteAccess, require_way_in
from townsquare.services.threads.spam import SpamVerdict, fingerprint, joined
from townsquare.store.store import Store

DAY_MS = 86_400_000
ATTEMPTS = 6  # to write while a moderator bans and unbans


class PageAddress(msgspec.Struct, frozen=True):
    """Which page is meant: by a key of the site's own, or else by its address."""

    id: str
    key: str
    url: str


class Comments:
    def __init__(
        self,
        store: Store,
        commenters: Commenters,
        reading: Reading,
        screening: Screening,
        outside_checks: OutsideChecks,
        usage: Usage,
    ) -> None:
        self._store = store
        self._outside_checks = outside_checks
        self._commenters = commenters
        self._reading = reading
        self._screening = screening
        self._usage = usage
        self._access = WriteAccess(store, commenters)

    async def create(
        self,
        viewer: Viewer,
        site: CachedKey,
        page: PageAddress,
        text: str,
        *,
        parent_id: str | None = None,
        title: str | None = None,
        post_id: str | None = None,
        submission: Submission | None = None,
    ) -> NewComment:
        """Write a comment; who may not write is refused, what the site's rules doubt is held for approval."""
        author_id = signed_in(viewer)
        if parent_id is not None and not keys.COMMENT_ID.matches(parent_id):
            raise CommentNotFound()
        require_own_page(site, page.url)
        kept, rendered = checked_text(text)
        digest = fingerprint(kept)
        author = await self._commenters.get(author_id)
        self.require_may_write(viewer, site.settings, author)
        mentions = await self._commenters.mentioned(rendered.mentions)
        outside: SpamVerdict | None = None
        asked_id, bans, moves = page.id, 0, 0
        while bans < ATTEMPTS and moves < MOVES_MET:
            shadowed, alike = await self._access.read_standing(site.site_id, author_id, digest)
            verdict = await self._screening.judge(
                viewer, site, author, kept, rendered, submission, digest, alike
            )
            if verdict.status != "refused" and not viewer.moderates and asks_others(site.settings):
                await self._store.validate_reads()  # what a browser has proved can be asked about once
                outside = outside or await self._outside_checks.judge(
                    site, author, page.url, text, submission or Submission()
                )
                verdict = joined(verdict, outside)
            if verdict.status == "refused":
                raise RefusedAsSpam(verdict.refusal)
            now = self._store.clock.now_ms()
            created_at = iso(now)
            days = site.settings.close_after_days
            comment_id = mint_id(carried_bucket(page.id))
            try:
                created = await self._store.run(
                    CreateComment(
                        page_id=page.id,
                        comment_id=comment_id,
                        site_id=site.site_id,
                        page_url=page.url,
                        page_key=page.key,
                        title=checked_title(title),
                        led=page.id != asked_id,
                        post_id=post_id,
                        author_id=author_id,
                        parent_id=parent_id,
                        content=kept,
                        content_html=rendered.html,
                        fingerprint=digest,
                        status=verdict.status,
                        shadow=shadowed or author.shadow_banned,
                        shadowed=shadowed,
                        sees_hidden=viewer.moderates,
                        reasons=", ".join(verdict.reasons) or None,
                        mentions=mentions,
                        max_depth=site.settings.max_depth,
                        close_before=now - days * DAY_MS if days else 0,
                        created_at=created_at,
                        now=now,
                    )
                )
            except BanChanged:
                bans += 1
                continue
            except PageMoved as moved:
                page = replace(page, id=await moved_page(self._store, moved.detail) or moved.detail)
                moves += 1
                continue
            except CommentNotFound:
                if parent_id is None:
                    raise
                parent_id = await moved_parent(self._store, parent_id, page.id)
                moves += 1
                continue
            self._usage.add(site.site_id, "comments")
            if page.id != asked_id:  # led to the page that stays, whose address it got
                return await self._reading.created(viewer, comment_id)
            record = CommentRecord(
                id=comment_id,
                site_id=site.site_id,
                page_id=page.id,
                page_url=page.url,
                author_id=author_id,
                parent_id=created.parent_id or None,
                content=kept,
                content_html=rendered.html,
                depth=created.depth,
                status=created.status,
                created_at=created_at,
                updated_at=created_at,
                shadow=shadowed or author.shadow_banned,
            )
            people = Authors({author_id: seen_by_all(author)})
            return NewComment(comment=shown(viewer, record, people, {}), page_url=page.url)
        raise BanChanged() if bans == ATTEMPTS else PageMerging()

    def require_may_write(self, viewer: Viewer, settings: SiteSettings, author: CommenterRecord) -> None:
        if viewer.moderates:
            return
        if settings.posting_disabled:
            raise PostingClosed()
        if author.global_banned:
            raise Banned()
        require_way_in(viewer, settings, author.provider)
        if settings.require_verified and not (author.email_verified or author.phone_verified):
            raise VerifyFirst()

    async def edit(
        self, viewer: Viewer, site: CachedKey, comment_id: str, text: str, *, as_moderator: bool = False
    ) -> Comment:
        """Another text, by the author within the time for it, or by a moderator; checked as a new one."""
        user_id = signed_in(viewer) if not as_moderator else None
        if as_moderator:
            require_moderator(viewer)
        record = await self._reading.record(viewer, comment_id)
        comment_id = record.id
        kept, rendered = checked_text(text)
        verdict = None
        if user_id is not None:
            author = await self._commenters.get(user_id)
            self.require_may_write(viewer, site.settings, author)
            await self._access.require_not_banned(viewer.site_id, user_id)
            verdict = await self._screening.judge(viewer, site, author, text, rendered, None)
            if verdict.status != "refused" and not viewer.moderates:
                verdict = joined(
                    verdict, await self._outside_checks.judge(site, author, record.page_url, text, None)
                )
            if verdict.status == "refused":
                raise RefusedAsSpam(verdict.refusal)
        now = self._store.clock.now_ms()
        held = verdict is not None and verdict.status == "pending" and record.status == "approved"
        await self._store.run(
            EditComment(
                comment_id=comment_id,
                user_id=user_id,
                content=kept,
                content_html=rendered.html,
                fingerprint=fingerprint(kept),
                status="pending" if held else None,
                reasons=", ".join(verdict.reasons) if verdict and held else None,
                mentions=await self._commenters.mentioned(rendered.mentions),
                edit_ms=site.settings.edit_minutes * 60_000,
                updated_at=iso(now),
                entry=log_entry(viewer, "edit", comment_id, now) if as_moderator else None,
            )
        )
        written = await self._reading.comments(viewer, [comment_id])
        if not written:
            raise CommentNotFound()
        return written[0]

    async def delete(self, viewer: Viewer, comment_id: str, *, as_moderator: bool = False) -> None:
        """Delete a comment of one's own, or as a moderator anybody's; its place stays if it has replies."""
        user_id = signed_in(viewer) if not as_moderator else None
        if as_moderator:
            require_moderator(viewer)
        comment_id = (await self._reading.record(viewer, comment_id)).id
        now = self._store.clock.now_ms()
        entry = log_entry(viewer, "delete", comment_id, now) if as_moderator else None
        await self._store.run(EraseComment(comment_id=comment_id, user_id=user_id, entry=entry))

    async def vote(
        self, viewer: Viewer, comment_id: str, direction: Direction, *, settings: SiteSettings | None = None
    ) -> Voted:
        """Vote up or down; the same once more takes it back, the other one switches it.

        `settings` of the site say who may, and whether an upvote is worth a notification.
        """
        settings = settings or SiteSettings()
        user_id = signed_in(viewer)
        await self._access.require_may_judge(viewer, settings, user_id)
        counts = await run_on_comment(
            self._store,
            VoteComment(
                comment_id=checked_comment(comment_id),
                user_id=user_id,
                site_id=viewer.site_id,
                direction=direction,
                tell_author=settings.upvote_notifications,
                at=iso(self._store.clock.now_ms()),
            ),
        )
        mine: Direction | None = direction if counts.my_vote else None
        return Voted(upvotes=counts.upvotes, downvotes=counts.downvotes, my_vote=mine)

    async def pin(self, viewer: Viewer, comment_id: str, pinned: bool) -> int | None:
        """Pin a comment to the top of its page, or unpin it; answers since when it is pinned."""
        require_moderator(viewer)
        since = await run_on_comment(
            self._store,
            PinComment(
                comment_id=checked_comment(comment_id),
                site_id=viewer.site_id,
                pinned=pinned,
                entry=log_entry(viewer, "pin" if pinned else "unpin", comment_id, self._store.clock.now_ms()),
            ),
        )
        return since or None

    def preview(self, text: str) -> str:
        """The HTML that a text would become."""
        return checked_text(text)[1].html

    async def report(
        self,
        viewer: Viewer,
        site: CachedKey,
        comment_id: str,
        reason: Reason,
        details: str | None = None,
    ) -> bool:
        """Tell the moderators; whether that is news from this user."""
        user_id = signed_in(viewer)
        await self._access.require_may_judge(viewer, site.settings, user_id)
        now = self._store.clock.now_ms()
        comment_id = (await self._reading.record(viewer, checked_comment(comment_id))).id
        report = {
            "comment_id": comment_id,
            "reporter_id": user_id,
            "reason": reason,
            "details": checked_details(details),
            "created_at": iso(now),
        }
        done = await self._store.run(
            ReportComment(
                comment_id=comment_id,
                site_id=viewer.site_id,
                user_id=user_id,
                report=msgspec.json.encode(report).decode(),
                hold_after=site.settings.trust.hold_reports,
            )
        )
        return done.changed


def signed_in(viewer: Viewer) -> str:
    if viewer.user_id is None:
        raise Unauthorized
    return viewer.user_id


def require_own_page(site: CachedKey, url: str) -> None:
    """Raise if a page is elsewhere: feeds and mails lead to it, in the name of the site."""
    if site.key_type != "public":
        return
    host = urlsplit(url).netloc
    if not has_host(site, host) and host not in {
        urlsplit(one).netloc or one for one in site.settings.allowed_origins
    }:
        raise BadPage(f"page_url: {host[:200]} is not a host of this site")


def checked_comment(comment_id: str) -> str:
    if not keys.COMMENT_ID.matches(comment_id):
        raise CommentNotFound()
    return comment_id


def page_address(site: CachedKey, page_url: str | None, page_key: str | None = None) -> PageAddress:
    """The page that a site means by an address, or by a key of its own; the address is shown either way."""
    try:
        url = normalised_url(page_url, site.domain) if page_url else ""
        key = checked_page_key(page_key) if page_key else url
    except BadPageUrl as bad:
        raise BadPage(str(bad)) from None
    if not key:
        raise BadPage()
    shown = url or f"https://{site.domain}/"
    if page_url and page_url.lstrip().lower().startswith("http://"):  # no part of a page's name, but of links
        shown = shown.replace("https:", "http:", 1)
    return PageAddress(page_id_of(site.site_id, key), key, shown)

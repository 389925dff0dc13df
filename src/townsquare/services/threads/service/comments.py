"""Comments: create, edit, delete, vote, pin, report."""

from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from townsquare.clock import iso
from townsquare.keyspace import carried_bucket, mint_id
from townsquare.problems import Problem, Unauthorized
from townsquare.services.threads import keys, problems, scripts
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.comments import Comment, Direction, NewComment, Reason, Voted
from townsquare.services.threads.models.moderation import log_entry
from townsquare.services.threads.models.sites import SiteConfig, SiteSettings, Viewer
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.service import moved_comments
from townsquare.services.threads.service.admission import Admission
from townsquare.services.threads.service.comment_texts import checked_details, checked_text, checked_title
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.screening import Screening
from townsquare.services.threads.service.sites import has_host, require_moderator
from townsquare.services.threads.service.usage import Usage
from townsquare.services.threads.service.visibility import Authors, public_author, visible_comment
from townsquare.services.threads.spam import CommentDraft, Submission, fingerprint
from townsquare.store.store import Store

DAY_MS = 86_400_000
ATTEMPTS = 6 + moved_comments.MOVES_MET  # while a moderator bans and unbans, and pages are merged


class Comments:
    def __init__(
        self,
        store: Store,
        commenters: Commenters,
        reading: Reading,
        admission: Admission,
        screening: Screening,
        usage: Usage,
    ) -> None:
        self._store = store
        self._commenters = commenters
        self._reading = reading
        self._screening = screening
        self._admission = admission
        self._usage = usage

    async def create(
        self,
        viewer: Viewer,
        site: SiteConfig,
        page: PageAddress,
        text: str,
        *,
        parent_id: str | None = None,
        title: str | None = None,
        owner: str | None = None,
        submission: Submission | None = None,
    ) -> NewComment:
        """Write a comment: admit its author, screen its text, write it. A doubtful comment is held.

        `submission` describes the request of a client. Calls from the library have none. `owner` is the
        account of the author of the page, who is notified.
        """
        author_id = signed_in(viewer)
        if parent_id is not None:
            checked_comment(parent_id)
        require_own_page(site, page.url)
        content, rendered = checked_text(text)
        digest = fingerprint(content)
        author = await self._admission.admit(viewer, author_id, site, submission)
        shadowed, duplicates = await self._admission.read_author_state(site.site_id, author.id, digest)
        verdict = await self._screening.screen(
            CommentDraft(
                viewer=viewer,
                site=site,
                author=author,
                page_url=page.url,
                content=content,
                rendered=rendered,
                submission=submission,
                duplicates=duplicates if page.post_id is None else (),  # allowed on several posts
            )
        )
        now, days = self._store.clock.now_ms(), site.settings.close_after_days
        script, created = await self._write(
            author,
            scripts.CreateComment(
                page_id=page.id,
                comment_id=mint_id(carried_bucket(page.id)),
                site_id=site.site_id,
                page_url=page.url,
                page_key=page.key,
                title=checked_title(title),
                redirected=False,
                post_id=page.post_id,
                author_id=author.id,
                parent_id=parent_id,
                content=content,
                content_html=rendered.html,
                fingerprint=digest,
                status=verdict.status,
                owner=owner,
                shadow=shadowed or author.shadow_banned,
                shadowed=shadowed,
                sees_hidden=viewer.moderates,
                reasons=", ".join(verdict.reasons) or None,
                mentions=await self._commenters.mentioned(rendered.mentions),
                max_depth=site.settings.max_depth,
                close_before=now - days * DAY_MS if days else 0,
                created_at=iso(now),
                now=now,
            ),
        )
        self._usage.add(site.site_id, "comments")
        if script.redirected:  # the page that remains has its own URL
            return await self._reading.created(viewer, script.comment_id)
        people = Authors({author.id: public_author(author)})
        comment = visible_comment(viewer, record_of(script, created), people, {})
        return NewComment(comment=comment, page_url=page.url)

    async def _write(
        self, author: CommenterRecord, script: scripts.CreateComment
    ) -> tuple[scripts.CreateComment, scripts.CommentCreated]:
        """Run the script, adjusted and again if a ban or a merge of pages came first."""
        refusal: Problem = problems.PageMerging()
        for _ in range(ATTEMPTS):
            try:
                return script, await self._store.run(script)
            except problems.BanChanged as changed:
                refusal = changed
                shadowed, _ = await self._admission.read_author_state(
                    script.site_id, author.id, script.fingerprint
                )
                script = replace(script, shadowed=shadowed, shadow=shadowed or author.shadow_banned)
            except problems.PageMoved as moved:
                page_id = await moved_comments.moved_page(self._store, moved.detail) or moved.detail
                comment_id = mint_id(carried_bucket(page_id))
                script = replace(script, page_id=page_id, comment_id=comment_id, redirected=True)
            except problems.CommentNotFound:
                if script.parent_id is None:
                    raise
                parent_id = await moved_comments.moved_parent(self._store, script.parent_id, script.page_id)
                script = replace(script, parent_id=parent_id)
        raise refusal

    async def edit(
        self, viewer: Viewer, site: SiteConfig, comment_id: str, text: str, *, as_moderator: bool = False
    ) -> Comment:
        """Replace the text, by the author while the site allows it, or by a moderator. Screen it again."""
        user_id = signed_in(viewer) if not as_moderator else None
        if as_moderator:
            require_moderator(viewer)
        record = await self._reading.record(viewer, comment_id)
        comment_id = record.id
        content, rendered = checked_text(text)
        verdict = None
        if user_id is not None:
            verdict = await self._screening.screen(
                CommentDraft(
                    viewer=viewer,
                    site=site,
                    author=await self._admission.admit_edit(viewer, user_id, site.settings),
                    page_url=record.page_url,
                    content=content,
                    rendered=rendered,
                )
            )
        now = self._store.clock.now_ms()
        held = verdict is not None and verdict.status == "pending" and record.status == "approved"
        await self._store.run(
            scripts.EditComment(
                comment_id=comment_id,
                user_id=user_id,
                content=content,
                content_html=rendered.html,
                fingerprint=fingerprint(content),
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
            raise problems.CommentNotFound()
        return written[0]

    async def delete(self, viewer: Viewer, comment_id: str, *, as_moderator: bool = False) -> None:
        """Delete a comment: by its author, or by a moderator. With replies it becomes a placeholder."""
        user_id = signed_in(viewer) if not as_moderator else None
        if as_moderator:
            require_moderator(viewer)
        comment_id = (await self._reading.record(viewer, comment_id)).id
        now = self._store.clock.now_ms()
        entry = log_entry(viewer, "delete", comment_id, now) if as_moderator else None
        await self._store.run(scripts.EraseComment(comment_id=comment_id, user_id=user_id, entry=entry))

    async def vote(
        self, viewer: Viewer, comment_id: str, direction: Direction, *, settings: SiteSettings | None = None
    ) -> Voted:
        """Vote up or down. The same vote again removes it; the opposite vote replaces it.

        The `settings` of the site decide who may vote, and whether the author is notified.
        """
        settings = settings or SiteSettings()
        user_id = signed_in(viewer)
        await self._admission.require_may_judge(viewer, settings, user_id)
        counts = await moved_comments.run_on_comment(
            self._store,
            scripts.VoteComment(
                comment_id=checked_comment(comment_id),
                user_id=user_id,
                site_id=viewer.site_id,
                direction=direction,
                notify_author=settings.upvote_notifications,
                at=iso(self._store.clock.now_ms()),
            ),
        )
        mine: Direction | None = direction if counts.my_vote else None
        return Voted(upvotes=counts.upvotes, downvotes=counts.downvotes, my_vote=mine)

    async def pin(self, viewer: Viewer, comment_id: str, pinned: bool) -> int | None:
        """Pin a comment to the top of its page, or unpin it. Returns the time of the pin in ms."""
        require_moderator(viewer)
        since = await moved_comments.run_on_comment(
            self._store,
            scripts.PinComment(
                comment_id=checked_comment(comment_id),
                site_id=viewer.site_id,
                pinned=pinned,
                entry=log_entry(viewer, "pin" if pinned else "unpin", comment_id, self._store.clock.now_ms()),
            ),
        )
        return since or None

    def preview(self, text: str) -> str:
        """Render a text as HTML."""
        return checked_text(text)[1].html

    async def report(
        self,
        viewer: Viewer,
        site: SiteConfig,
        comment_id: str,
        reason: Reason,
        details: str | None = None,
    ) -> bool:
        """Report a comment to the moderators. Returns False if this user has reported it before."""
        user_id = signed_in(viewer)
        await self._admission.require_may_judge(viewer, site.settings, user_id)
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
            scripts.ReportComment(
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


def record_of(script: scripts.CreateComment, created: scripts.CommentCreated) -> CommentRecord:
    """The record that the script has written."""
    return CommentRecord(
        id=script.comment_id,
        site_id=script.site_id,
        page_id=script.page_id,
        page_url=script.page_url,
        author_id=script.author_id,
        parent_id=created.parent_id or None,
        content=script.content,
        content_html=script.content_html,
        depth=created.depth,
        status=created.status,
        created_at=script.created_at,
        updated_at=script.created_at,
        shadow=script.shadow,
    )


def require_own_page(site: SiteConfig, url: str) -> None:
    """Raise if a page is not on a host of the site: feeds and mails of the site link to it."""
    if site.key_type != "public":
        return
    host = urlsplit(url).netloc
    if not has_host(site, host) and host not in {
        urlsplit(one).netloc or one for one in site.settings.allowed_origins
    }:
        raise problems.BadPage(f"page_url: {host[:200]} is not a host of this site")


def checked_comment(comment_id: str) -> str:
    if not keys.COMMENT_ID.matches(comment_id):
        raise problems.CommentNotFound()
    return comment_id

"""What the rules of a site say to a comment, with the facts that they ask for."""

from collections.abc import Sequence

import msgspec

from townsquare.clock import from_iso
from townsquare.services.threads import content, keys, records, spam
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import CachedKey, SiteSettings, Viewer
from townsquare.services.threads.service.moved_comments import moved_ids
from townsquare.store.store import Store

LOOKED_AT = 50  # of the author's newest comments
DUPLICATE_MS = keys.SAID_SECONDS * 1000


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """How a comment came in, for what tells people and machines apart."""

    honeypot: str = ""  # a field that nobody sees
    elapsed_ms: int | None = None  # since the form was shown
    turnstile: str = ""  # what the browser got for proving that somebody is there
    ip: str = ""
    user_agent: str = ""


class Screening:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def judge(
        self,
        viewer: Viewer,
        site: CachedKey,
        author: CommenterRecord,
        text: str,
        rendered: content.Rendered,
        submission: Submission | None,
        digest: str = "",
        alike: Sequence[str] = (),
    ) -> spam.SpamVerdict:
        """Shown, held or refused. An edit (without a submission) is no duplicate of what it replaces.

        `digest` is the fingerprint of the text, `alike` are the author's latest comments that had it.
        """
        approved = duplicates = 0
        if site.settings.trust.hold_first and site.settings.moderation != "none" and not viewer.moderates:
            approved = await self._approved(site.site_id, author.id)
        if submission is not None and alike:
            duplicates = await self._duplicates(site.site_id, digest, alike)
        now = self._store.clock.now_ms()
        return spam.judge(
            rules_of(site.settings),
            spam.AuthorFacts(
                moderator=viewer.moderates,
                verified=author.email_verified or author.phone_verified,
                approved=approved,
                account_age_ms=0 if author.provider == "anonymous" else now - from_iso(author.created_at),
            ),
            spam.CommentFacts(
                text=text,
                links=rendered.links,
                images=rendered.images,
                own_duplicates=duplicates,
                honeypot=bool(submission and submission.honeypot),
                elapsed_ms=submission.elapsed_ms if submission else None,
            ),
        )

    async def _approved(self, site_id: str, user_id: str) -> int:
        """How many of the author's newest comments were approved on this site."""
        newest = await self._store.call("ZREVRANGE", keys.user_comments(user_id), 0, LOOKED_AT - 1)
        found = await self._comments([id.decode() for id in newest])
        return sum(one.site_id == site_id and one.status == "approved" for one in found)

    async def _duplicates(self, site_id: str, digest: str, alike: Sequence[str]) -> int:
        """How many of these are of the last hour, on this site, and still there with this text."""
        since = self._store.clock.now_ms() - DUPLICATE_MS
        return sum(
            one.site_id == site_id
            and from_iso(one.created_at) > since
            and spam.fingerprint(one.content) == digest
            for one in await self._comments(alike)
        )

    async def _comments(self, ids: Sequence[str]) -> list[CommentRecord]:
        """Those that are still there, under the ids that they have now."""
        if not ids:
            return []
        asked = list(dict.fromkeys(ids))
        found = await self._store.read_all(records.COMMENT, asked)
        gone = [id for id, one in zip(asked, found, strict=True) if one is None]
        moved = await moved_ids(self._store, keys.comment_moved, gone) if gone else {}
        if moved:
            found += await self._store.read_all(records.COMMENT, list(moved.values()))
        return [one for one in found if one is not None]


def rules_of(settings: SiteSettings) -> spam.TrustRules:
    trust = settings.trust
    return spam.TrustRules(
        moderation=settings.moderation,
        hold_first=trust.hold_first,
        hold_days=trust.hold_days,
        hold_links=trust.hold_links,
        hold_images=trust.hold_images,
        hold_reports=0,  # counted where the reports are
        least_seconds=trust.least_seconds,
        most_links=settings.max_links,
        blocked_words=settings.blocked_words,
        auto_approve_verified=settings.auto_approve_verified,
    )

"""What the rules of a site say to a comment, with the facts that they ask for."""

import msgspec

from townsquare.clock import from_iso
from townsquare.services.threads import content, keys, spam
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import CachedKey, SiteSettings, Viewer
from townsquare.store.store import Store

LOOKED_AT = 50  # of the author's newest comments
DUPLICATE_MS = 3_600_000


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
    ) -> spam.SpamVerdict:
        """Shown, held or refused. An edit (without a submission) is no duplicate of what it replaces."""
        approved, duplicates = await self._history(site.site_id, author.id, text)
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
                own_duplicates=duplicates if submission is not None else 0,
                honeypot=bool(submission and submission.honeypot),
                elapsed_ms=submission.elapsed_ms if submission else None,
            ),
        )

    async def _history(self, site_id: str, user_id: str, text: str) -> tuple[int, int]:
        """Of the author's newest comments: how many were approved on this site, how many say the same."""
        newest = await self._store.call("ZREVRANGE", keys.user_comments(user_id), 0, LOOKED_AT - 1)
        if not newest:
            return 0, 0
        found = await self._store.pipeline(
            [
                ("HMGET", keys.comment(id.decode()), "site_id", "status", "content", "created_at")
                for id in newest
            ]
        )
        since = self._store.clock.now_ms() - DUPLICATE_MS
        same = spam.fingerprint(text)
        approved = duplicates = 0
        for site, status, said, created_at in found:
            if site is None or site.decode() != site_id:
                continue
            approved += status == b"approved"
            recent = from_iso(created_at.decode()) > since
            duplicates += recent and spam.fingerprint(said.decode()) == same
        return approved, duplicates


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

"""Screening: whether a comment is published, held for a moderator or refused, by the rules of its site."""

from collections.abc import Sequence

from townsquare.clock import from_iso
from townsquare.services.threads import keys, records, spam
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.problems import RefusedAsSpam
from townsquare.services.threads.service.moved_comments import moved_ids
from townsquare.services.threads.service.outside_checks import OutsideChecks, asks_others
from townsquare.services.threads.spam import CommentDraft
from townsquare.store.store import Store

LOOKED_AT = 50  # newest comments of the author
DUPLICATE_MS = keys.TEXTS_SECONDS * 1000


class Screening:
    def __init__(self, store: Store, outside_checks: OutsideChecks) -> None:
        self._store = store
        self._outside_checks = outside_checks

    async def screen(self, draft: CommentDraft) -> spam.SpamVerdict:
        """Publish or hold a text. Raise `RefusedAsSpam` if it is refused."""
        verdict = await self._by_rules(draft)
        if verdict.status != "refused" and not draft.viewer.moderates and asks_others(draft.site.settings):
            await self._store.validate_reads()  # the token of a Turnstile check is valid once
            verdict = spam.joined(verdict, await self._outside_checks.judge(draft))
        if verdict.status == "refused":
            raise RefusedAsSpam(verdict.refusal)
        return verdict

    async def _by_rules(self, draft: CommentDraft) -> spam.SpamVerdict:
        site, author, submission = draft.site, draft.author, draft.submission
        settings, moderates = site.settings, draft.viewer.moderates
        approved = duplicates = 0
        if settings.trust.hold_first and settings.moderation != "none" and not moderates:
            approved = await self._approved(site.site_id, author.id)
        if submission is not None and draft.duplicates:
            duplicates = await self._count_duplicates(
                site.site_id, spam.fingerprint(draft.content), draft.duplicates
            )
        now = self._store.clock.now_ms()
        return spam.judge(
            settings,
            spam.AuthorFacts(
                moderator=moderates,
                verified=author.email_verified or author.phone_verified,
                approved=approved,
                account_age_ms=0 if author.provider == "anonymous" else now - from_iso(author.created_at),
            ),
            spam.CommentFacts(
                text=draft.content,
                links=draft.rendered.links,
                images=draft.rendered.images,
                own_duplicates=duplicates,
                honeypot=bool(submission and submission.honeypot),
                elapsed_ms=submission.elapsed_ms if submission else None,
            ),
        )

    async def _approved(self, site_id: str, user_id: str) -> int:
        """Count the approved ones among the author's newest comments on this site."""
        newest = await self._store.call("ZREVRANGE", keys.user_comments(user_id), 0, LOOKED_AT - 1)
        found = await self._comments([id.decode() for id in newest])
        return sum(one.site_id == site_id and one.status == "approved" for one in found)

    async def _count_duplicates(self, site_id: str, digest: str, ids: Sequence[str]) -> int:
        """Count those of the last hour on this site that still have this text."""
        since = self._store.clock.now_ms() - DUPLICATE_MS
        return sum(
            one.site_id == site_id
            and from_iso(one.created_at) > since
            and spam.fingerprint(one.content) == digest
            for one in await self._comments(ids)
        )

    async def _comments(self, ids: Sequence[str]) -> list[CommentRecord]:
        """Read the comments that still exist, also if a merge of pages has changed their ids."""
        if not ids:
            return []
        asked = list(dict.fromkeys(ids))
        found = await self._store.read_all(records.COMMENT, asked)
        gone = [id for id, one in zip(asked, found, strict=True) if one is None]
        moved = await moved_ids(self._store, keys.comment_moved, gone) if gone else {}
        if moved:
            found += await self._store.read_all(records.COMMENT, list(moved.values()))
        return [one for one in found if one is not None]

"""Spam rules: approve, hold or refuse a comment. Pure functions of settings and facts.

With the moderation `pre` every comment is held. With `post` it is published unless a trust rule holds it.
With `none` there is no queue: nothing is held, and a blocked word is refused. Comments of moderators are
always approved.
"""

import hashlib
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from townsquare.kit.text import folded
from townsquare.services.threads.blocked_words import blocked_words_in, words_of
from townsquare.services.threads.content import Rendered
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SiteConfig, SiteSettings, Viewer

Status = Literal["approved", "pending", "refused"]
Reason = Literal[
    "honeypot", "too_fast", "duplicate", "blocked_word", "too_many_links", "moderated", "new_author",
    "new_account", "link", "image", "akismet", "turnstile", "text_check",
    "check_is_away",
]  # fmt: skip

REFUSALS: dict[Reason, str] = {  # messages to the author; a bot in the honeypot learns nothing
    "too_fast": "That was very fast. Wait a moment, then send it again",
    "duplicate": "You have written the same recently",
    "too_many_links": "The comment has too many links and images",
    "blocked_word": "The comment contains a word that is not accepted here",
    "turnstile": "The check against bots has failed. Try it again",
    "akismet": "The comment looks like spam",
    "text_check": "The comment is not accepted here",
}
STRICTNESS: tuple[Status, ...] = ("approved", "pending", "refused")
DAY_MS = 86_400_000


class AuthorFacts(Struct, frozen=True, kw_only=True):
    moderator: bool = False
    verified: bool = False
    approved: int = 0  # comments on this site
    account_age_ms: int = 0  # 0 without an account


class CommentFacts(Struct, frozen=True, kw_only=True):
    """Facts about a new comment or an edit."""

    text: str
    links: int = 0
    images: int = 0
    own_duplicates: int = 0  # the author's recent comments with the same `fingerprint`
    honeypot: bool = False  # the hidden field was filled in
    elapsed_ms: int | None = None  # since the form was shown; None: unknown


class SpamVerdict(Struct, frozen=True):
    status: Status
    reasons: tuple[Reason, ...] = ()
    words: tuple[str, ...] = ()  # the blocked words in the text, for moderators

    @property
    def refusal(self) -> str:
        """The message to the author."""
        return ". ".join(REFUSALS[reason] for reason in self.reasons if reason in REFUSALS)


def judge(settings: SiteSettings, author: AuthorFacts, comment: CommentFacts) -> SpamVerdict:
    if author.moderator:
        return SpamVerdict("approved")
    refusals = refused_for(settings, comment)
    if refusals:
        return SpamVerdict("refused", tuple(refusals))
    words = tuple(blocked_words_in(comment.text, settings.blocked_words))
    if words and settings.moderation == "none":
        return SpamVerdict("refused", ("blocked_word",), words)
    reasons = held_for(settings, author, comment, bool(words))
    return SpamVerdict("pending", tuple(reasons), words) if reasons else SpamVerdict("approved")


def joined(first: SpamVerdict, second: SpamVerdict) -> SpamVerdict:
    """The stricter of two verdicts, with the reasons of both."""
    stricter = max(first.status, second.status, key=STRICTNESS.index)
    return SpamVerdict(stricter, first.reasons + second.reasons, first.words + second.words)


def fingerprint(text: str) -> str:
    """A hash that ignores case, width, spaces and punctuation, to detect duplicates."""
    same = folded(text)
    words = " ".join(words_of(same)) or same
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def refused_for(settings: SiteSettings, comment: CommentFacts) -> list[Reason]:
    """The reasons to refuse a comment."""
    least_ms = settings.trust.least_seconds * 1000
    checks: list[tuple[bool, Reason]] = [
        (comment.honeypot, "honeypot"),
        (comment.elapsed_ms is not None and comment.elapsed_ms < least_ms, "too_fast"),
        (comment.own_duplicates > 0, "duplicate"),
        (0 < settings.max_links < comment.links + comment.images, "too_many_links"),
    ]
    return [reason for holds, reason in checks if holds]


def held_for(
    settings: SiteSettings, author: AuthorFacts, comment: CommentFacts, bad_words: bool
) -> list[Reason]:
    """The reasons to hold a comment."""
    if settings.moderation == "none":
        return []
    checks: list[tuple[bool, Reason]] = [
        (bad_words, "blocked_word"),
        (settings.trust.hold_links and comment.links > 0, "link"),
        (settings.trust.hold_images and comment.images > 0, "image"),
    ]
    if not (settings.auto_approve_verified and author.verified):
        checks += [
            (settings.moderation == "pre", "moderated"),
            (author.approved < settings.trust.hold_first, "new_author"),
            (author.account_age_ms < settings.trust.hold_days * DAY_MS, "new_account"),
        ]
    return [reason for holds, reason in checks if holds]


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """The request by which a comment arrives, as evidence against bots."""

    honeypot: str = ""  # a form field that people do not see
    elapsed_ms: int | None = None  # since the form was shown
    turnstile: str = ""  # the token of a Turnstile check in the browser
    proof: str | None = None  # the solution of a proof-of-work challenge
    solves_challenges: bool = True  # False: the client has no code for it
    ip: str = ""
    user_agent: str = ""


class CommentDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A new comment, or the new text of a comment, before it is published."""

    viewer: Viewer
    site: SiteConfig
    author: CommenterRecord
    page_url: str
    content: str
    rendered: Rendered
    submission: Submission | None = None  # None: an edit, or a call of the library
    duplicates: Sequence[str] = ()  # ids of the author's recent comments with the same text

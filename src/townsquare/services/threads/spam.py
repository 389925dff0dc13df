"""Whether a comment is shown, held for a moderator or refused: rules over facts; nothing is looked up.

`moderation` says what the rules may do. With `pre` every comment is held. With `post` it is shown at once
unless a trust rule holds it. With `none` nobody looks at a queue: nothing is held, and a blocked word is
refused. Who moderates the site is never held.
"""

import hashlib
from typing import Literal

from msgspec import Struct

from townsquare.kit.text import folded
from townsquare.services.threads.blocked_words import blocked_words_in, words_of

Moderation = Literal["none", "pre", "post"]
Status = Literal["approved", "pending", "refused"]
Reason = Literal[
    "honeypot", "too_fast", "duplicate", "blocked_word", "too_many_links", "moderated", "new_author",
    "new_account", "link", "image", "repeated", "reported", "akismet", "turnstile", "text_check",
    "check_is_away",
]  # fmt: skip

REFUSALS: dict[Reason, str] = {  # what the author is told; a bot that fell into the trap learns nothing
    "too_fast": "That was very quick: wait a moment, then send it again",
    "duplicate": "You have written the same a moment ago",
    "too_many_links": "There are too many links and images in it",
    "blocked_word": "There is a word in it that is not accepted here",
    "turnstile": "The check that you are no machine has failed: do it again",
    "akismet": "It looks like spam",
    "text_check": "It is not accepted here",
}
STRICTNESS: tuple[Status, ...] = ("approved", "pending", "refused")
DAY_MS = 86_400_000


class TrustRules(Struct, frozen=True, kw_only=True):
    """What a site has set; 0 turns a rule off."""

    moderation: Moderation = "post"
    hold_first: int = 0  # comments of an author, until so many were approved
    hold_days: int = 0  # while the account is younger
    hold_links: bool = False
    hold_images: bool = False
    hold_reports: int = 3  # so many people reported it
    hold_repeated: int = 3  # so many others wrote the same on the site lately
    most_links: int = 10  # links and images; more are refused
    blocked_words: tuple[str, ...] = ()
    least_seconds: int = 2  # between seeing the form and sending it
    auto_approve_verified: bool = False  # who has a verified address needs no approval


class AuthorFacts(Struct, frozen=True, kw_only=True):
    moderator: bool = False
    verified: bool = False
    approved: int = 0  # comments on this site
    account_age_ms: int = 0  # 0 for who has no account


class CommentFacts(Struct, frozen=True, kw_only=True):
    """What is known of a comment; an edit is judged as a new one, with the reports that it has."""

    text: str
    links: int = 0
    images: int = 0
    own_duplicates: int = 0  # the author's comments with the same `fingerprint` lately
    repeated: int = 0  # others' on the site
    reports: int = 0
    honeypot: bool = False  # the field that nobody sees was filled in
    elapsed_ms: int | None = None  # since the form was shown; None where nobody can tell


class SpamVerdict(Struct, frozen=True):
    status: Status
    reasons: tuple[Reason, ...] = ()
    words: tuple[str, ...] = ()  # the blocked words that were found, for the moderators

    @property
    def refusal(self) -> str:
        """In words for the author."""
        return ". ".join(REFUSALS[reason] for reason in self.reasons if reason in REFUSALS)


def judge(rules: TrustRules, author: AuthorFacts, comment: CommentFacts) -> SpamVerdict:
    if author.moderator:
        return SpamVerdict("approved")
    refusals = refused_for(rules, comment)
    if refusals:
        return SpamVerdict("refused", tuple(refusals))
    words = tuple(blocked_words_in(comment.text, rules.blocked_words))
    if words and rules.moderation == "none":
        return SpamVerdict("refused", ("blocked_word",), words)
    reasons = held_for(rules, author, comment, bool(words))
    return SpamVerdict("pending", tuple(reasons), words) if reasons else SpamVerdict("approved")


def joined(first: SpamVerdict, second: SpamVerdict) -> SpamVerdict:
    """What is left when both have a say: the stricter, with the reasons of both."""
    stricter = max(first.status, second.status, key=STRICTNESS.index)
    return SpamVerdict(stricter, first.reasons + second.reasons, first.words + second.words)


def fingerprint(text: str) -> str:
    """The same for texts that differ in case, width, spaces or punctuation only; for counting duplicates."""
    same = folded(text)
    told = " ".join(words_of(same)) or same
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def refused_for(rules: TrustRules, comment: CommentFacts) -> list[Reason]:
    """What no moderator need look at."""
    checks: list[tuple[bool, Reason]] = [
        (comment.honeypot, "honeypot"),
        (comment.elapsed_ms is not None and comment.elapsed_ms < rules.least_seconds * 1000, "too_fast"),
        (comment.own_duplicates > 0, "duplicate"),
        (bool(rules.most_links) and comment.links + comment.images > rules.most_links, "too_many_links"),
    ]
    return [reason for holds, reason in checks if holds]


def held_for(rules: TrustRules, author: AuthorFacts, comment: CommentFacts, bad_words: bool) -> list[Reason]:
    """What a moderator should look at."""
    if rules.moderation == "none":
        return []
    checks: list[tuple[bool, Reason]] = [
        (bad_words, "blocked_word"),
        (rules.hold_links and comment.links > 0, "link"),
        (rules.hold_images and comment.images > 0, "image"),
        (0 < rules.hold_repeated <= comment.repeated, "repeated"),
        (0 < rules.hold_reports <= comment.reports, "reported"),
    ]
    if not (rules.auto_approve_verified and author.verified):
        checks += [
            (rules.moderation == "pre", "moderated"),
            (author.approved < rules.hold_first, "new_author"),
            (author.account_age_ms < rules.hold_days * DAY_MS, "new_account"),
        ]
    return [reason for holds, reason in checks if holds]

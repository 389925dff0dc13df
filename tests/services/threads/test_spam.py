import time
from typing import Any, cast

import pytest

from townsquare.services.threads.blocked_words import WORD, blocked_words_in, words_of
from townsquare.services.threads.models.sites import HoldRules, SiteSettings
from townsquare.services.threads.spam import (
    DAY_MS,
    AuthorFacts,
    CommentFacts,
    SpamVerdict,
    fingerprint,
    judge,
)

STRICT = SiteSettings(
    trust=HoldRules(hold_first=2, hold_days=7, hold_links=True, hold_images=True), blocked_words=("casino",)
)
KNOWN = AuthorFacts(approved=2, account_age_ms=7 * DAY_MS)


def comment(**facts: Any) -> CommentFacts:
    return CommentFacts(**{"text": "Hello", **facts})


def test_an_ordinary_comment_is_shown() -> None:
    assert judge(SiteSettings(), AuthorFacts(), comment()) == SpamVerdict("approved")
    assert judge(STRICT, KNOWN, comment(elapsed_ms=2_000)) == SpamVerdict("approved")


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"honeypot": True}, "honeypot"),
        ({"elapsed_ms": 1_999}, "too_fast"),
        ({"own_duplicates": 1}, "duplicate"),
        ({"links": 6, "images": 5}, "too_many_links"),
    ],
)
def test_what_no_moderator_need_see_is_refused_in_words(facts: dict[str, Any], reason: str) -> None:
    for moderation in ("none", "pre", "post"):
        rules = SiteSettings(moderation=cast(Any, moderation))
        verdict = judge(rules, KNOWN, comment(**facts))
        assert verdict == SpamVerdict("refused", (reason,))  # type: ignore[arg-type]
        assert (" " in verdict.refusal) is (reason != "honeypot")  # what a bot fell into is not told


@pytest.mark.parametrize(
    ("author", "facts", "reason"),
    [
        (AuthorFacts(approved=1, account_age_ms=7 * DAY_MS), {}, "new_author"),
        (AuthorFacts(approved=2, account_age_ms=7 * DAY_MS - 1), {}, "new_account"),
        (KNOWN, {"links": 1}, "link"),
        (KNOWN, {"images": 1}, "image"),
    ],
)
def test_trust_rules_hold(author: AuthorFacts, facts: dict[str, Any], reason: str) -> None:
    assert judge(STRICT, author, comment(**facts)) == SpamVerdict("pending", (reason,))  # type: ignore[arg-type]


def test_a_blocked_word_is_held_and_named() -> None:
    verdict = judge(STRICT, KNOWN, comment(text="My CASINO!"))
    assert verdict == SpamVerdict("pending", ("blocked_word",), ("casino",))


def test_all_reasons_are_told() -> None:
    verdict = judge(STRICT, AuthorFacts(), comment(text="casino", links=1))
    assert set(verdict.reasons) == {"blocked_word", "link", "new_author", "new_account"}


def test_with_pre_everybody_is_held_but_moderators_and_the_verified_if_the_site_says_so() -> None:
    pre = SiteSettings(moderation="pre")
    assert judge(pre, KNOWN, comment()) == SpamVerdict("pending", ("moderated",))
    assert judge(pre, AuthorFacts(moderator=True), comment(links=99)).status == "approved"
    verified = SiteSettings(moderation="pre", auto_approve_verified=True, trust=HoldRules(hold_links=True))
    assert judge(verified, AuthorFacts(verified=True), comment()).status == "approved"
    assert judge(verified, AuthorFacts(verified=True), comment(links=1)) == SpamVerdict("pending", ("link",))
    assert judge(verified, AuthorFacts(), comment()).status == "pending"


def test_with_none_nothing_waits_for_somebody_who_never_looks() -> None:
    rules = SiteSettings(
        moderation="none", trust=HoldRules(hold_first=9, hold_links=True), blocked_words=("casino",)
    )
    assert judge(rules, AuthorFacts(), comment(links=1)) == SpamVerdict("approved")
    assert judge(rules, AuthorFacts(), comment(text="casino")).status == "refused"


def test_zero_turns_a_rule_off() -> None:
    off = SiteSettings(max_links=0, trust=HoldRules(least_seconds=0))
    facts = comment(links=99, elapsed_ms=0)
    assert judge(off, AuthorFacts(), facts) == SpamVerdict("approved")


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("Casino", "the cASINO.", True),
        ("casino", "casinos", False),
        ("ass", "class assassin", False),
        ("ass", "_ass_ ass", True),
        ("casino", "ｃａｓｉｎｏ", True),
        ("casino", "ca\u200bsi\u00adno", True),
        ("casino", "カジノcasinoです", True),
        ("STRASSE", "straße", True),
        ("buy now", "Buy,  NOW!", True),
        ("buy now", "buy nowhere", False),
        ("詐欺", "これは詐欺です", True),
        ("ｶｼﾞﾉ", "オンラインカジノへ", True),
        ("카지노", "카지노를", True),
        ("VIP会員", "vip会員になる", True),
        ("VIP会員", "xvip会員", False),
        ("$$$", "make $$$ fast", True),
        (".*", "anything", False),
        ("(a+)+$", "a" * 5_000, False),
        (" ", "any text", False),
        ("\u200b", "any\u200b text", False),
    ],
)
def test_words(word: str, text: str, found: bool) -> None:
    assert blocked_words_in(text, (word,)) == ([word] if found else [])


@pytest.mark.parametrize("unit", ["ab c", "\ufdfa", "\u0301", "a\u0301\u0327", "漢", "ab "])
def test_no_text_makes_the_search_slow(unit: str) -> None:
    text = (unit * 10_000)[:10_000]
    words = (*(f"ab c{number}" for number in range(400)), *(f"漢{number}" for number in range(100)))
    blocked_words_in(text, words)
    before = time.thread_time()
    assert blocked_words_in(text, words) == []
    assert time.thread_time() - before < 0.25


def test_texts_that_say_the_same_have_one_fingerprint() -> None:
    assert fingerprint("Buy my book!") == fingerprint(" buy  my ＢＯＯＫ ... ")
    assert fingerprint("Buy my book!") != fingerprint("Buy my boot!")
    assert fingerprint("👍") != fingerprint("👎")
    assert len(fingerprint("\ud800")) == 32


def test_ascii_texts_have_the_words_that_others_have() -> None:
    text = "".join(map(chr, range(128))) + " two words, _and_ don't; 3rd\ta.b\n"
    assert words_of(text) == WORD.findall(text)
    assert fingerprint(text) == fingerprint(text.upper() + "\u00ad")

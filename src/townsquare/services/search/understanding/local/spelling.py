"""Words of everyday English, and whether a word was meant for another one.

What is no ordinary word, and a part of some name, is likely that name.
"""

from functools import lru_cache

from townsquare.services.search.service.lexical.normal import MEANT_WORDS, key_of
from townsquare.services.search.service.lexical.spelling import distance
from townsquare.services.search.understanding.local.tokens import forms

LISTS = ("english_wikipedia", "us_tv_and_film")  # the commonest words of each, without names of people
MOST_PASSWORDS = 2_500  # a word that is commonest as a password ("monkey") is in that list alone


@lru_cache(1)
def _ordinary_words() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]  # 1 MB, once

    words = {word for name in LISTS for word in FREQUENCY_LISTS[name]}
    return frozenset(words.union(FREQUENCY_LISTS["passwords"][:MOST_PASSWORDS]))


def is_ordinary(word: str) -> bool:
    return word in _ordinary_words()


COMMONEST = 5_000  # words of each list that everybody uses: behind them are names as well ("scorsese")


@lru_cache(1)
def _common_words() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(word for name in LISTS for word in FREQUENCY_LISTS[name][:COMMONEST])


def is_common(word: str) -> bool:
    return word in _common_words() or word.removesuffix("s") in _common_words()


SHORTEST = 5  # letters: in shorter words every mistake makes another word


def is_misspelling(phrase: str, name: str) -> bool:
    """One mistake in six letters, at most three; spaces do not count, nor how a number is written."""
    written, meant = joined(phrase), joined(name)
    meant = meant.removeprefix("the") if not written.startswith("the") else meant
    numbered = any(letter.isdecimal() for letter in meant)
    return are_near(written, meant) or (numbered and are_near(key_of(phrase), key_of(name)))


def are_near(written: str, meant: str) -> bool:
    length = min(len(written), len(meant))
    if length < SHORTEST:
        return False
    allowed = min(3, max(1, length // 6))
    return distance(written, meant, allowed) <= allowed


def joined(words: str) -> str:
    return "".join(MEANT_WORDS.get(form, form) for form in forms(words))

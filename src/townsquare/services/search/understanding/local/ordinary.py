"""Words of everyday English: what is none of them, and a part of some name, is likely that name."""

from functools import lru_cache

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

"""Blocked words of a site.

Case, width and invisible characters are ignored. In scripts with spaces a word matches whole words, and a
phrase matches words in a row. In other scripts (Chinese, Japanese, Thai, also Korean with its particles) a
word matches anywhere. Words are texts, not patterns, so that no list makes comments slow.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from townsquare.kit.text import folded, is_invisible

LISTS_REMEMBERED = 1_000  # most recently used

WITHOUT_SPACES = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD = re.compile(rf"[{WITHOUT_SPACES}]+|[^\W{WITHOUT_SPACES}]+")
ASCII_WORD = re.compile(r"\w+", re.ASCII)  # the same for ASCII, in half the time
STANDS_ANYWHERE = re.compile(rf"[{WITHOUT_SPACES}]")


def can_match(word: str) -> bool:
    """Whether a blocked word has a visible character."""
    return not is_invisible(folded(word))


def blocked_words_in(text: str, words: tuple[str, ...]) -> list[str]:
    """The blocked words in the text. A word without a visible character matches nothing."""
    if not words:
        return []
    same = folded(text)
    line = spaced(words_of(same))
    return [
        word
        for word, (pattern, has_letters) in zip(words, _patterns(words), strict=True)
        if pattern and pattern in (line if has_letters else same)
    ]


def words_of(same: str) -> list[str]:
    """The words of a folded text."""
    return (ASCII_WORD if same.isascii() else WORD).findall(same)


def spaced(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


@lru_cache(LISTS_REMEMBERED)
def _patterns(words: tuple[str, ...]) -> list[tuple[str, bool]]:
    return [_pattern(folded(word).strip()) for word in words]


def _pattern(same: str) -> tuple[str, bool]:
    """The text to search for, and whether it has letters. Its spaces mark the ends of words."""
    parts = words_of(same)
    if not parts:
        return same, False
    line = spaced(parts)
    first = 1 if STANDS_ANYWHERE.match(parts[0]) else 0
    last = -1 if STANDS_ANYWHERE.match(parts[-1]) else None
    return line[first:last], True

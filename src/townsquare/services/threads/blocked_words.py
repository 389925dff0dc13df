"""Words that a site does not want: found in a comment however they are written, never inside another word.

Case, width and invisible characters do not count. A word of a script that puts spaces between words matches
as a whole word, a phrase as words in a row; one of a script that does not (Chinese, Japanese, Thai, also
Korean with its particles) wherever it stands. They are texts, not patterns: no list can slow the comments
down.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from townsquare.kit.text import folded

LISTS_REMEMBERED = 1_000  # of sites that were asked last

WITHOUT_SPACES = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD = re.compile(rf"[{WITHOUT_SPACES}]+|[^\W{WITHOUT_SPACES}]+")
ASCII_WORD = re.compile(r"\w+", re.ASCII)  # finds the same in ASCII, in half the time
STANDS_ANYWHERE = re.compile(rf"[{WITHOUT_SPACES}]")


def blocked_words_in(text: str, words: tuple[str, ...]) -> list[str]:
    """The site's words that are in the text. A word without a visible character is in no text."""
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
    """What to search for, and whether it has letters: a space is where a word must begin or end."""
    parts = words_of(same)
    if not parts:
        return same, False
    line = spaced(parts)
    first = 1 if STANDS_ANYWHERE.match(parts[0]) else 0
    last = -1 if STANDS_ANYWHERE.match(parts[-1]) else None
    return line[first:last], True

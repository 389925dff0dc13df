"""Words that a site does not want: found in a comment however they are written, never inside another word.

Case, width and invisible characters do not count. A word of a script that puts spaces between words matches
as a whole word, a phrase as words in a row; one of a script that does not (Chinese, Japanese, Thai, also
Korean with its particles) wherever it stands. They are texts, not patterns: no list can slow the comments
down.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from townsquare.kit.text import BadText, folded, one_line

MOST_WORDS = 200
LONGEST_WORD = 60
LISTS_REMEMBERED = 1_000  # of sites that were asked last

WITHOUT_SPACES = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD = re.compile(rf"[{WITHOUT_SPACES}]+|[^\W{WITHOUT_SPACES}]+")
BEGINS_ANYWHERE = re.compile(rf"[{WITHOUT_SPACES}]")


class BadWord(ValueError):
    """A list that cannot be kept."""


def checked_words(words: Iterable[str]) -> tuple[str, ...]:
    """A site's list as it is kept: each once, 200 at most."""
    kept: dict[str, str] = {}
    for word in words:
        try:
            line = one_line(word, LONGEST_WORD)
        except BadText:
            line = ""
        if not folded(line).strip():
            raise BadWord(f"a blocked word is one line of 1 to {LONGEST_WORD} characters")
        kept.setdefault(folded(line), line)
        if len(kept) > MOST_WORDS:
            raise BadWord(f"a site blocks at most {MOST_WORDS} words")
    return tuple(kept.values())


def found_words(text: str, words: tuple[str, ...]) -> list[str]:
    """Those of the site's words that are in the text."""
    if not words:
        return []
    searched = Searched(text)
    return [word for word, pattern in zip(words, _patterns(words), strict=True) if pattern in searched]


class Searched:
    """A text made ready: its words with one space around each, and as it stands for what has no letters."""

    def __init__(self, text: str) -> None:
        self._folded = folded(text)
        words = WORD.findall(self._folded)
        self._words = set(words)
        self._line = spaced(words)

    def __contains__(self, pattern: str | tuple[str, ...]) -> bool:
        if isinstance(pattern, tuple):
            return pattern[0] in self._words
        return pattern in (self._line if WORD.search(pattern) else self._folded)


def spaced(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


@lru_cache(LISTS_REMEMBERED)
def _patterns(words: tuple[str, ...]) -> tuple[str | tuple[str], ...]:
    return tuple(map(_pattern, words))


def _pattern(word: str) -> str | tuple[str]:
    """One word to be looked up, or a text to be searched for: the fewer searches, the better."""
    parts = WORD.findall(folded(word))
    if not parts:
        return folded(word).strip()
    begins_anywhere, ends_anywhere = map(BEGINS_ANYWHERE.match, (parts[0], parts[-1]))
    if len(parts) == 1 and not begins_anywhere:
        return (parts[0],)
    line = spaced(parts)
    return line[1 if begins_anywhere else 0 : -1 if ends_anywhere else None]

"""The words of a query, where they stand, and the form in which they are compared."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from townsquare.kit.text import normalized

JAPANESE = r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f"
WORD = re.compile(
    rf"[{JAPANESE}]+"  # without spaces between its words: cut further by the words that we know
    rf"|\d+[.,]\d+(?![^\W\d_])"  # 1.5
    rf"|[^\W_{JAPANESE}]+(?:['’`][^\W_{JAPANESE}]+)*"
)
IS_JAPANESE = re.compile(f"[{JAPANESE}]")
PARTS = re.compile(  # of French d'horreur, and of 1h45 and 90min
    r"(?:(d|l|j|m|n|s|t|c|qu)['’](?=\w))?"
    r"(?:(\d+)(hours|hour|heures|heure|hrs|hr|h|minutes|minute|mins|min|mn)(\d*)|(.+))",
    re.IGNORECASE,
)
ACCENT = re.compile("[\u0300-\u036f]")  # not those of Japanese, which make another letter
LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
APOSTROPHE = re.compile("['’`]")
POSSESSIVE = re.compile("(?:['’`]s|(?<=s)['’`])$", re.IGNORECASE)
QUOTES = '"“”„«»「」『』'


class Token(NamedTuple):
    text: str  # as written
    form: str  # to compare
    start: int
    end: int
    gap: str  # what stands between it and the token before

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def after_break(self) -> bool:
        return any(mark in self.gap for mark in ",;.!?:()、。，；|/")

    @property
    def after_comma(self) -> bool:
        """No phrase goes on behind it: "horror, comedy" is no horror comedy."""
        return any(mark in self.gap for mark in ",;、，；")

    @property
    def struck_out(self) -> bool:
        """-horror or -"Tom Cruise", with nothing before the hyphen; "action-comedy" strikes nothing out."""
        gap = self.gap.rstrip(QUOTES)
        return gap.endswith(("-", "−", "–")) and (self.start == len(self.gap) or gap[-2:-1].isspace())


@lru_cache(4096)
def form_of(word: str) -> str:
    """Case, width, accents and apostrophes do not count."""
    plain = normalized("NFKC", word).casefold()
    if not plain.isascii():
        decomposed = normalized("NFD", plain.translate(LETTERS))
        plain = normalized("NFC", ACCENT.sub("", decomposed))
    return APOSTROPHE.sub("", plain)


def without_possessive(name: str) -> str:
    return POSSESSIVE.sub("", name)


def forms(phrase: str) -> tuple[str, ...]:
    """The words of a cue as they are compared; a run of Japanese stays one word."""
    return tuple(form_of(text) for text, _ in _words(phrase))


class Tokeniser:
    """Cuts a query into words; Japanese by the longest known word at each place."""

    def __init__(self, known: Iterable[str]) -> None:
        japanese = sorted((word for word in known if IS_JAPANESE.match(word)), key=len, reverse=True)
        self._known = re.compile(f"({'|'.join(map(re.escape, japanese))})")

    def tokens(self, query: str) -> tuple[Token, ...]:
        tokens: list[Token] = []
        behind = 0
        for text, start in _words(query):
            for part in self._known.split(text) if IS_JAPANESE.match(text) else (text,):
                if part:
                    tokens.append(Token(part, form_of(part), start, start + len(part), query[behind:start]))
                    behind = start = start + len(part)
        return tuple(tokens)


def _words(text: str) -> list[tuple[str, int]]:
    return [
        (part, found.start() + parts.start(number))
        for found in WORD.finditer(text)
        if (parts := PARTS.fullmatch(found.group()))
        for number, part in enumerate(parts.groups(), 1)
        if part
    ]

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
ELISION = re.compile(r"(d|l|j|m|n|s|t|c|qu)['’](?=\w)", re.IGNORECASE)  # of French: d'horreur
JOINED_UNIT = re.compile(
    r"(\d+)(hours|hour|heures|heure|hrs|hr|h|minutes|minute|mins|min|mn)(\d*)", re.IGNORECASE
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
        first = self.start == len(self.gap)
        return gap.endswith(("-", "−", "–")) and (gap[-2:-1].isspace() or (first and gap[:-1] == ""))


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
        self._known = frozenset(form for form in known if IS_JAPANESE.match(form))
        self._longest = max(map(len, self._known), default=0)

    def tokens(self, query: str) -> list[Token]:
        tokens: list[Token] = []
        behind = 0
        for text, start in _words(query):
            for part, offset in self._cut(text):
                begin = start + offset
                tokens.append(Token(part, form_of(part), begin, begin + len(part), query[behind:begin]))
                behind = begin + len(part)
        return tokens

    def _cut(self, text: str) -> list[tuple[str, int]]:
        if not IS_JAPANESE.match(text):
            return [(text, 0)]
        parts: list[tuple[str, int]] = []
        unknown = at = 0
        while at < len(text):
            length = self._known_length(text, at)
            if length:
                if unknown < at:
                    parts.append((text[unknown:at], unknown))
                parts.append((text[at : at + length], at))
                at += length
                unknown = at
            else:
                at += 1
        if unknown < at:
            parts.append((text[unknown:], unknown))
        return parts

    def _known_length(self, text: str, at: int) -> int:
        for length in range(min(self._longest, len(text) - at), 0, -1):
            if form_of(text[at : at + length]) in self._known:
                return length
        return 0


def _words(text: str) -> list[tuple[str, int]]:
    words: list[tuple[str, int]] = []
    for found in WORD.finditer(text):
        word, start = found.group(), found.start()
        if elided := ELISION.match(word):
            words.append((elided.group(1), start))
            word, start = word[elided.end() :], start + elided.end()
        if (joined := JOINED_UNIT.fullmatch(word)) is not None:
            words += [(joined.group(n), start + joined.start(n)) for n in (1, 2, 3) if joined.group(n)]
        else:
            words.append((word, start))
    return words

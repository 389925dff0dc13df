"""Names as people type them, made alike: case, accents, punctuation, articles, numerals.

`words` are what a text has; `canonical` is what two spellings of one name have in common: "Rocky II" and
"rocky 2", "The Godfather" and "godfather", "Twelve Angry Men" and "12 angry men". Other scripts are kept.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from townsquare.kit.text import normalized

OF_ARTICLES = "the a an le la les el los las il der das l"
OF_STOP_WORDS = "a an and at by de for from in is it la le my of on or the to with you"
OF_NUMERALS = "ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix"  # from 2 on
OF_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
OF_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

ARTICLES = frozenset(OF_ARTICLES.split())
JOINERS = frozenset(["and"])
STOP_WORDS = frozenset(OF_STOP_WORDS.split())
PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h"}
)
COMBINING = re.compile("[\u0300-\u036f]")
OTHER_SIGNS = re.compile(r"[^a-z0-9]+")  # in ASCII, in lower case
APOSTROPHES = re.compile(r"['’‘`´ʼ]")
INITIALS = re.compile(r"\b(?:\w[.*·]){2,}(?:\w\b)?|\b\w\.\w\b")
ROMAN = {numeral: str(value) for value, numeral in enumerate(OF_NUMERALS.split(), 2)}
LONE_NUMERALS = frozenset("vx")  # "V for Vendetta", "Malcolm X": numerals at the end of a name at most
UNITS = {word: value for value, word in enumerate(OF_UNITS.split())}
TENS = {word: value for value, word in enumerate(OF_TENS.split(), 2)}
INNER_DIGIT = re.compile(r"(?<=[a-z])[013457](?=[a-z])")
DIGIT_LETTERS = ({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "v"}, {"7": "t"})
# short forms and slips of the smallest words, which no distance between words would find
MEANT_WORDS = {
    "dr": "doctor",
    "vs": "versus",
    "vol": "volume",
    "pt": "part",
    "ep": "episode",
    "teh": "the",
    "hte": "the",
    "adn": "and",
    "fo": "of",
    "wiht": "with",
}
SHORTEST_WITHOUT_ARTICLE = 3  # letters: "A.I." is not "I"


def folded(text: str) -> str:
    """Letters and digits of any script in lower case without accents, words apart by one space."""
    if text.isascii():
        text = text.lower()
    else:
        text = normalized("NFKD", text.replace("½", " 1/2")).casefold().translate(PLAIN_LETTERS)
        text = normalized("NFC", COMBINING.sub("", text))
    if text.isascii() and text.isalnum():
        return text
    text = INITIALS.sub(lambda found: re.sub(r"[.*·]", "", found[0]), APOSTROPHES.sub("", text))
    text = text.replace("&", " and ").replace("+", " and ")
    if text.isascii():
        return OTHER_SIGNS.sub(" ", text).strip()
    kept = (sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in text)
    return " ".join("".join(kept).split())


@lru_cache(4096)
def words(text: str) -> tuple[str, ...]:
    return tuple(folded(text).split())


@lru_cache(4096)
def canonical(text: str) -> tuple[str, ...]:
    """The words that matter for whether two names are the same one."""
    written = [MEANT_WORDS.get(word, word) for word in words(text)]
    found = [word for word in written if word not in JOINERS] or written
    if len(found) > 1 and found[0] in ARTICLES and letters(found[1:]) >= SHORTEST_WITHOUT_ARTICLE:
        found = found[1:]
    ends = (0, len(found) - 1)
    found = [word for place, word in enumerate(found) if word != "the" or place in ends]  # "lord of rings"
    return tuple(with_halves(with_digits(with_arabic_numerals(found))))


def letters(found: list[str] | tuple[str, ...]) -> int:
    return sum(map(len, found))


def with_arabic_numerals(found: list[str]) -> list[str]:
    last = len(found) - 1
    return [
        ROMAN[word] if place and word in ROMAN and (word not in LONE_NUMERALS or place == last) else word
        for place, word in enumerate(found)
    ]


def with_digits(found: list[str]) -> list[str]:
    """Numbers that are written out, up to the thousands, as digits; "nineteen seventeen" is 1917."""
    out: list[str] = []
    number: int | None = None
    for word in found:
        value = added(number, word)
        if value is None and number is not None:
            century, number = number, None
            value = added(None, word)
            if value is not None and 10 <= century < 100 and 10 <= value < 100:
                value += 100 * century
            else:
                out.append(str(century))
        if value is None:
            out.append(word)
        else:
            number = value
    return out if number is None else [*out, str(number)]


def with_halves(found: list[str]) -> list[str]:
    """ "Eight and a half" is 8½, which is folded to "8 1 2"."""
    out: list[str] = []
    for word in found:
        if word == "half" and out and out[-1] == "a" and out[-2:-1] and out[-2].isdecimal():
            out[-1:] = ["1", "2"]
        else:
            out.append(word)
    return out


def added(number: int | None, word: str) -> int | None:
    """The number that a word continues or begins; None if it does neither."""
    if word in UNITS:
        unit = UNITS[word]
        if number is None:
            return unit
        return (
            number + unit
            if number >= 20 and number % 10 == 0 and 0 < unit < (10 if number % 100 else 20)
            else None
        )
    if word in TENS:
        return (
            10 * TENS[word]
            if number is None
            else number + 10 * TENS[word]
            if number and not number % 100
            else None
        )
    if word in ("hundred", "thousand") and number:
        return number * (100 if word == "hundred" else 1000)
    return None


def compact(found: tuple[str, ...] | list[str]) -> str:
    """Without spaces, so that "spiderman", "spider man" and "Spider-Man" are one."""
    return "".join(found)


def key_of(text: str) -> str:
    return compact(canonical(text))


def with_letters(text: str) -> set[str]:
    """Readings of digits inside words: "Se7en" is also "seven"."""
    plain = " ".join(words(text))
    if not INNER_DIGIT.search(plain):
        return set()
    readings = (
        INNER_DIGIT.sub(lambda digit, more=more: {**DIGIT_LETTERS[0], **more}[digit[0]], plain)  # type: ignore[misc]
        for more in ({}, DIGIT_LETTERS[1])
    )
    return {key_of(reading) for reading in readings}


def is_spaceless(word: str) -> bool:
    """Of a script that puts no spaces between words."""
    return not word.isascii() and any(
        "\u3040" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3" or "\u0e00" <= sign <= "\u0e7f"
        for sign in word
    )


def search_tokens(text: str) -> list[str]:
    """What a name is found by in part: its words, of spaceless scripts every two signs."""
    tokens: dict[str, None] = {}
    found = canonical(text)
    for word in found:
        if is_spaceless(word) and len(word) > 2:
            tokens.update(dict.fromkeys(a + b for a, b in pairwise(word)))
        else:
            tokens[word] = None
    telling = [token for token in tokens if token not in STOP_WORDS]
    return telling or list(tokens)

"""Text that people write: bounded, without what nobody can see or type.

The length is looked at before anything else, since to normalise a long text costs more than to refuse it.
"""

import re
import unicodedata
from typing import Literal

MOST_SHRINKING = 4  # a character that NFC composes was at most four
SPACES = 1_000  # that may stand around a text

LINE_BREAK = re.compile(r"\r\n?")
ANY_BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
NOT_IN_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
NOT_IN_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
MARKS_IN_A_ROW = re.compile(r"[^\w\s\x00-\x7f]{50,}")  # normalising them takes the square of their number
DIRECTION_MARK = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # embeddings, overrides, isolates

FORMATS_THAT_SHOW = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
BLANKS = re.compile(  # letters and marks that are drawn as nothing
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
NOT_SHOWN = re.compile(rf"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|{BLANKS.pattern}")


class BadText(ValueError):
    """A text that cannot be kept. Who asked for it knows what to say about it."""

    def __init__(
        self, fault: Literal["too long", "control character", "direction mark", "nothing visible"]
    ) -> None:
        super().__init__(fault)
        self.fault = fault


def composed(text: str, longest: int) -> str:
    """The text in NFC, so that the same characters are the same text however a keyboard composes them."""
    check_raw_length(text, longest)
    return unicodedata.normalize("NFC", text)


def one_line(text: str, longest: int) -> str:
    """A line without spaces around it, otherwise as it was written."""
    return bounded(text, longest, NOT_IN_A_LINE)


def many_lines(text: str, longest: int) -> str:
    """Several lines, with line breaks as \\n, otherwise as they were written."""
    check_raw_length(text, longest)
    return bounded(LINE_BREAK.sub("\n", text), longest, NOT_IN_LINES)


def bounded(text: str, longest: int, refused: re.Pattern[str]) -> str:
    text = text.strip()
    if len(text) > longest:
        raise BadText("too long")
    if refused.search(text):
        raise BadText("control character")
    return text


def one_name(text: str, longest: int) -> str:
    """A line that stands among others, so nothing in it may turn them around; '' if it cannot be seen."""
    name = one_line(composed(text, longest), longest)
    if DIRECTION_MARK.search(name):
        raise BadText("direction mark")
    return "" if is_invisible(name) else name


def visible_name(text: str, longest: int) -> str:
    """A name with at least one visible character."""
    name = one_name(text, longest)
    if not name:
        raise BadText("nothing visible")
    return name


def pasted_lines(text: str, longest: int) -> str:
    """Several lines without control characters; '' if nothing in them can be seen.

    Control characters come with a paste from a terminal or a file, and whoever pastes does not know of them:
    they are removed.
    """
    check_raw_length(text, longest)
    if not text.isprintable():
        text = CONTROL.sub("", ANY_BREAK.sub("\n", text))
    kept = text.strip()
    if len(kept) > longest:
        raise BadText("too long")
    return "" if is_invisible(kept) else kept


def cleaned_line(text: str) -> str:
    """A line that somebody else wrote, to be kept or printed without what can harm the lines around it.

    Control characters and direction marks are removed, white space is one space.
    """
    if not text.isprintable():
        text = DIRECTION_MARK.sub("", NOT_IN_A_LINE.sub("", " ".join(text.split())))
    return " ".join(text.split())


def folded(text: str) -> str:
    """A text to be compared: case, width and characters that show nothing do not count."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", MARKS_IN_A_ROW.sub(" ", text)).casefold()
    return plain if plain.isascii() else NOT_SHOWN.sub("", unicodedata.normalize("NFKC", plain))


def check_raw_length(text: str, longest: int) -> None:
    if len(text) > MOST_SHRINKING * longest + SPACES:
        raise BadText("too long")


def is_invisible(text: str) -> bool:
    return all(map(shows_nothing, text))


def shows_nothing(character: str) -> bool:
    match unicodedata.category(character):
        case "Cf":
            return character not in FORMATS_THAT_SHOW
        case "Cc" | "Zs" | "Zl" | "Zp":
            return True
    return BLANKS.match(character) is not None

"""Text that people write: of bounded length, without control characters and long runs of combining marks.

The length is checked first: normalising a long text costs more than refusing it. Canonical ordering takes
time quadratic in the number of combining marks in a row, so `limit_marks` bounds that number before any text
is normalised or stored.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

MOST_SHRINKING = 4  # NFC composes at most four characters to one
SPACES = 1_000  # white space allowed around a text
MARKS = 30  # combining marks in a row: the limit of Unicode's Stream-Safe Text Format (UAX #15)

LINE_BREAK = re.compile(r"\r\n?")
ANY_BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
NOT_IN_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
NOT_IN_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# what may be a run of too many marks; two halfwidth letters decompose to marks as well
MARK_RUN = re.compile(rf"(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){{{MARKS + 1},}}")
DIRECTION_MARK = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # embeddings, overrides, isolates

FORMATS_THAT_SHOW = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
BLANKS = re.compile(  # letters and marks without a visible glyph
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
NOT_SHOWN = re.compile(rf"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|{BLANKS.pattern}")


class BadText(ValueError):
    """A text that is refused. The caller translates the fault into its own message."""

    def __init__(
        self, fault: Literal["too long", "control character", "direction mark", "nothing visible"]
    ) -> None:
        super().__init__(fault)
        self.fault = fault


def limit_marks(text: str) -> str:
    """The text with at most 30 combining marks in a row; marks after the 30th are removed."""
    return text if text.isascii() else MARK_RUN.sub(lambda run: "".join(first_marks(run[0])), text)


def first_marks(run: str) -> Iterator[str]:
    marks = 0
    for character in run:
        is_mark = unicodedata.combining(unicodedata.normalize("NFKD", character)[0])
        marks = marks + 1 if is_mark else 0
        if marks <= MARKS:
            yield character


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """`unicodedata.normalize` in linear time."""
    return unicodedata.normalize(form, limit_marks(text))


def composed(text: str, longest: int) -> str:
    """The text in NFC: one encoding for composed and decomposed characters."""
    check_raw_length(text, longest)
    return normalized("NFC", text)


def one_line(text: str, longest: int) -> str:
    """One line without surrounding white space, otherwise unchanged."""
    return bounded(text, longest, NOT_IN_A_LINE)


def many_lines(text: str, longest: int) -> str:
    """Several lines with \\n as the line break, otherwise unchanged."""
    return bounded(LINE_BREAK.sub("\n", text), longest, NOT_IN_LINES)


def bounded(text: str, longest: int, refused: re.Pattern[str] | None = None) -> str:
    check_raw_length(text, longest)
    text = limit_marks(text.strip())
    if len(text) > longest:
        raise BadText("too long")
    if refused and refused.search(text):
        raise BadText("control character")
    return text


def one_name(text: str, longest: int) -> str:
    """A line shown among others, without direction marks; '' if nothing in it is visible."""
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
    """Several lines; '' if nothing in them is visible.

    Control characters are removed: they come with text pasted from a terminal or a file.
    """
    check_raw_length(text, longest)
    if not text.isprintable():
        text = CONTROL.sub("", ANY_BREAK.sub("\n", text))
    text = bounded(text, longest)
    return "" if is_invisible(text) else text


def cleaned_line(text: str) -> str:
    """A line from a third party, safe to print: without control characters and direction marks.

    White space becomes one space.
    """
    if not text.isprintable():
        text = DIRECTION_MARK.sub("", NOT_IN_A_LINE.sub("", " ".join(text.split())))
    return limit_marks(" ".join(text.split()))


def folded(text: str) -> str:
    """The text for comparisons: case, width and invisible characters make no difference."""
    if text.isascii():
        return text.lower()
    plain = normalized("NFKC", text).casefold()
    if plain.isascii():
        return plain
    return normalized(
        "NFKC", NOT_SHOWN.sub("", normalized("NFKC", plain))
    )  # a mark may follow its letter now


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


def excerpt(text: str, longest: int) -> str:
    """The text on one line, cut between words at `longest` characters."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    cut = line[: longest - 1]
    last_word = cut.rfind(" ", longest // 2)  # not the whole of a text that has no spaces
    return (cut if last_word < 0 else cut[:last_word]).rstrip() + "…"

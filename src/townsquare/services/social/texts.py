"""What people write: without what nobody can see or type, and empty if nothing in it can be seen.

Posts and bios keep their lines and tabs. Other control characters come with a paste from a terminal or a
file, and whoever pastes does not know of them: they are removed. A name is one line, and what would turn
around the text beside it, or hide in it, is refused.
"""

import re
import unicodedata

BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
MORE_THAN_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # embeddings, overrides, isolates

FORMATS_THAT_SHOW = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
BLANKS = re.compile(  # letters and marks that are drawn as nothing
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def cleaned(text: str) -> str:
    """A text of several lines as it is kept."""
    kept = CONTROLS.sub("", BREAKS.sub("\n", text)).strip()
    return "" if is_invisible(kept) else kept


def is_invisible(text: str) -> bool:
    return all(map(shows_nothing, text))


def shows_nothing(character: str) -> bool:
    match unicodedata.category(character):
        case "Cf":
            return character not in FORMATS_THAT_SHOW
        case "Cc" | "Zs" | "Zl" | "Zp":
            return True
    return BLANKS.match(character) is not None

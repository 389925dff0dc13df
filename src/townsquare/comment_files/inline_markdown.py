"""Text, links and emphasis as Markdown that renders to the same text.

All Markdown syntax in the text is escaped. Emphasis is written only where CommonMark recognises its marks;
otherwise it is omitted, so that no asterisks appear in the text.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

URL = re.compile(r"https?://[^\s<>\"]{1,2000}", re.IGNORECASE)
AFTER_URL = ".,;:!?)]}'*_~"  # punctuation that ends a sentence, not a URL
ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{0,40}(?:;|$))")  # or the beginning of one
LOOSE_URL = re.compile(r"(?<!\\)(://|(?<=www)\.)(?=\S*\\)")  # with an escaping backslash
SPECIAL = re.compile(r"[\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])")
LINE_START = re.compile(
    r"""\d{1,9}(?=[.)](?:\s|$))  # a list of numbers
      | (?=[-+](?:\s|$)          # a list
        | \#{1,6}(?:\s|$)        # a heading
        | >                      # a quotation
        | [-=:|\s]+$             # what underlines a heading or the first row of a table
        )""",
    re.VERBOSE,
)
IN_A_LABEL = re.compile(r"(?<!\\)(://|(?<=www)\.)")
NOT_IN_A_DESTINATION = re.compile(r"[\s<>()\\\x00-\x1f]")


class InlineSpan(NamedTuple):
    mark: str  # "**", "*", "~~" or "" around it
    text: str  # Markdown; a line break is \n


def paragraph(spans: Sequence[InlineSpan]) -> list[str]:
    """The lines of a paragraph, with hard line breaks."""
    lines = [line.strip() for line in joined(spans).strip().split("\n")]
    return [safe_start(line) + "\\" for line in lines[:-1]] + [safe_start(lines[-1])]


def joined(spans: Sequence[InlineSpan]) -> str:
    done = ""
    for place, (mark, text) in enumerate(spans):
        body = text.strip(" \n")
        first = text.find(body)
        lead, trail = text[:first], text[first + len(body) :]
        after = spans[place + 1].text if place + 1 < len(spans) else ""
        if mark and body and can_stand(mark, lead[-1:] or done[-1:], body, trail[:1] or after[:1]):
            text = f"{lead}{mark}{body}{mark}{trail}"
        done += text
    return done


def can_stand(mark: str, before: str, body: str, after: str) -> bool:
    """Whether these marks open and close emphasis here, by CommonMark's rules for delimiter runs."""
    first, last = body[0], body[-1]
    if mark[0] in (before, first, last, after) or first.isspace() or last.isspace():
        return False
    return (not is_sign(first) or is_border(before)) and (not is_sign(last) or is_border(after))


def is_border(character: str) -> bool:
    """Whether every Markdown parser reads the character as space or punctuation; they differ on symbols."""
    return not character or character.isspace() or unicodedata.category(character)[0] == "P"


def is_sign(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def escaped(text: str) -> str:
    """The text with URLs as links and everything else escaped."""
    parts = []
    at = 0
    for found in URL.finditer(text):
        url = found[0].rstrip(AFTER_URL)
        if not ENTITY.search(url):
            parts += [plain(text[at : found.start()]), f"<{url}>"]
            at = found.start() + len(url)
    return "".join(parts) + plain(text[at:])


def plain(text: str) -> str:
    return LOOSE_URL.sub(r"\\\1", ENTITY.sub(r"\\&", SPECIAL.sub(r"\\\g<0>", text)))


def link(text: str, url: str) -> str:
    """A link whose text contains no link."""
    if text == url and URL.fullmatch(url) and not ENTITY.search(url):
        return f"<{url}>"
    label = IN_A_LABEL.sub(r"\\\1", plain(text))
    return f"[{label}]({destination(url)})"


def destination(url: str) -> str:
    """A URL, escaped as a link destination."""
    return ENTITY.sub("&amp;", NOT_IN_A_DESTINATION.sub(lambda found: f"%{ord(found[0]):02X}", url))


def code(text: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    padding = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def safe_start(line: str) -> str:
    """The line, escaped if it would start another kind of block."""
    found = LINE_START.match(line)
    return f"{line[: found.end()]}\\{line[found.end() :]}" if found and line else line

"""Text in SVG: escaped, measured, cut."""

import re
from html import escape
from unicodedata import combining, east_asian_width

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f]")


def quoted(text: str) -> str:
    """For element content and attributes alike."""
    return escape(NOT_IN_XML.sub("\ufffd", text))


def columns(text: str) -> int:
    """How wide the text is, in Latin letters."""
    return sum(
        0 if combining(one) or INVISIBLE.match(one) else 2 if east_asian_width(one) in "WF" else 1
        for one in text
    )


def cut(text: str, width: int) -> str:
    """As much of the text as fits into so many columns."""
    if columns(text) <= width:
        return text
    taken = 0
    for place, character in enumerate(text):
        taken += columns(character)
        if taken >= width:
            return text[:place] + "…"
    return text


def picture(width: int, height: int, spoken: str, content: str) -> str:
    told = quoted(spoken)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{told}"><title>{told}</title>{content}</svg>'
    )

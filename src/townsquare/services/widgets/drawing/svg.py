"""Parts of a picture: text, and the background with pattern and frame."""

import re
from html import escape
from unicodedata import combining, east_asian_width

from townsquare.services.widgets.drawing.themes import Theme

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f]")


def quoted(text: str) -> str:
    """Escape a text for an element or an attribute."""
    return escape(NOT_IN_XML.sub("\ufffd", text))


def columns(text: str) -> int:
    """The width of a text in Latin letters."""
    return sum(
        0 if combining(one) or INVISIBLE.match(one) else 2 if east_asian_width(one) in "WF" else 1
        for one in text
    )


def cut(text: str, width: int) -> str:
    """The text, truncated to this width."""
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


SVG_PATTERNS = {  # of the second colour, on the paper
    "dots": '<pattern id="p" width="12" height="12" patternUnits="userSpaceOnUse">'
    '<circle cx="3" cy="3" r="2" fill="{0}"/><circle cx="9" cy="9" r="2" fill="{0}"/></pattern>',
    "gingham": '<pattern id="p" width="12" height="12" patternUnits="userSpaceOnUse">'
    '<path d="M0 0h6v12H0zM0 0h12v6H0z" fill="{0}" opacity=".5"/>'
    '<path d="M0 0h6v6H0z" fill="{0}" opacity=".5"/></pattern>',
    "lines": '<pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<path d="M0 2h4v2H0z" fill="{0}"/></pattern>',
    "gradient": '<linearGradient id="p" x2="0" y2="1"><stop stop-color="{0}"/>'
    '<stop offset="1" stop-color="{0}" stop-opacity="0"/></linearGradient>',
}
DASHES = {"dotted": ' stroke-dasharray="0 4" stroke-linecap="round"', "dashed": ' stroke-dasharray="5 3"'}


def draw_background(style: Theme, width: int, height: int, frame: str = "") -> str:
    """The paper of the whole picture; `frame` replaces the colour of the theme."""
    thick = style.edge_width
    drawn = box(thick / 2, width, height, style.corner, f'fill="{style.paper}"')
    if style.pattern:
        drawn += f"<defs>{SVG_PATTERNS[style.pattern].format(style.second)}</defs>"
        drawn += box(thick / 2, width, height, style.corner, 'fill="url(#p)"')
    stroke = f'fill="none" stroke="{frame or style.frame}"'
    if style.edge == "double":
        drawn += box(thick + 1.5, width, height, 0, f'{stroke} opacity=".5"')
    dashes = DASHES.get(style.edge, "")
    return drawn + box(thick / 2, width, height, style.corner, f'{stroke} stroke-width="{thick}"{dashes}')


def box(inset: float, width: int, height: int, corner: int, style: str) -> str:
    inner_width, inner_height = width - 2 * inset, height - 2 * inset
    return (
        f'<rect x="{inset:g}" y="{inset:g}" width="{inner_width:g}" height="{inner_height:g}" '
        f'rx="{corner}" {style}/>'
    )


def draw_bar(style: Theme, width: int, height: int) -> str:
    """The bar behind a title."""
    thick, corner = style.edge_width, style.corner
    inside = width - 2 * thick
    return (
        f'<path d="M{thick} {height}V{thick + corner}q0 -{corner} {corner} -{corner}h{inside - 2 * corner}'
        f'q{corner} 0 {corner} {corner}V{height}z" fill="{style.accent}"/>'
    )

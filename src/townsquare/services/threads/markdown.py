"""The libraries for comments, imported with the first comment: they take 3 MB.

comrak renders, and shows raw HTML as the text that it is; nh3 lets through only what is listed here, whatever
comrak made.
"""

import comrak
import nh3

from townsquare.services.threads.content import LINK_REL

MOST_CELLS = 5_000  # of a table: rows are filled up, and 10,000 characters can ask for a million cells
URL_SCHEMES = {"http", "https", "mailto"}
ALIGNED = {"align": {"left", "center", "right"}}
TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol"),
    *("p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
REPLACED = {"img", "input"}  # let through by nh3, and replaced by `content.sanitise`


def _extensions(*, table: bool) -> comrak.ExtensionOptions:
    options = comrak.ExtensionOptions()
    options.autolink = options.strikethrough = options.tasklist = options.cjk_friendly_emphasis = True
    options.table = table
    return options


def _rendering() -> comrak.RenderOptions:
    options = comrak.RenderOptions()
    options.escape = True
    options.hardbreaks = True  # a line break in a comment is meant
    return options


_WITH_TABLES, _WITHOUT_TABLES = _extensions(table=True), _extensions(table=False)
_PARSING, _RENDERING = comrak.ParseOptions(), _rendering()
_CLEANER = nh3.Cleaner(
    tags=TAGS | REPLACED,
    clean_content_tags={"script", "style"},
    attributes={"*": set(), "a": {"href"}, "img": {"src", "alt"}, "input": {"checked"}, "ol": {"start"}},
    tag_attribute_values={"td": ALIGNED, "th": ALIGNED, "input": {"type": {"checkbox"}}},
    link_rel=LINK_REL,
    url_schemes=URL_SCHEMES,
    url_relative="deny",  # in a mail or a feed it would lead nowhere
)


def render(text: str) -> str:
    return comrak.render_markdown(text, _extensions_for(text), _PARSING, _RENDERING)


def _extensions_for(text: str) -> comrak.ExtensionOptions:
    if "|" not in text:
        return _WITH_TABLES
    lines = text.split("\n")
    widest = max(line.count("|") for line in lines)
    return _WITH_TABLES if widest * len(lines) <= MOST_CELLS else _WITHOUT_TABLES


def sanitise(html: str) -> str:
    return _CLEANER.clean(html)

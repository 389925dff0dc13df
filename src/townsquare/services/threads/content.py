"""Comments as they are shown: Markdown becomes HTML that is safe on any page, in a mail and in a feed.

`markdown.py` renders and sanitises. A comment of any 10,000 characters takes some milliseconds and becomes at
most about ten times as long.
"""

import re
from html import escape, unescape
from itertools import accumulate
from typing import Literal

import msgspec

from townsquare.kit.text import BadText, excerpt, pasted_lines
from townsquare.kit.usernames import is_username

CONTENT_LENGTH = 10_000
HTML_LENGTH = 100_000  # a hundred quotations, each a hundred levels deep, would be more
MOST_NESTED = 100  # quotations and lists in each other: the time to sanitise grows with the square
MOST_MENTIONS = 10

LINK_REL = "nofollow ugc noopener"
HOW_IMAGES_LOAD = 'loading="lazy" referrerpolicy="no-referrer"'
NOT_IN_A_URL = {ord(character): f"%{ord(character):02X}" for character in ' \t\n\r"<>`'}

TAG = re.compile(r'<(/?)(a|code|img|input|ol|pre)((?:\s[^">]*(?:"[^"]*"[^">]*)*)?)>')
ANY_TAG = re.compile(r'</?(\w+)(?:[^">]|"[^"]*")*>')
ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
NUMBER = re.compile(r"[0-9]{1,9}")
CONTAINER = re.compile(r"<(/?)(?:blockquote|ol|ul)\b")
MENTION = re.compile(r"(?<![A-Za-z0-9_.@/+-])@([A-Za-z0-9_.-]++)(?!@)")  # no email address, no path
SOMETHING = re.compile(r"(?:^|>)\s*[^<\s]")
WITHIN_A_LINE = {"a", "code", "del", "em", "strong"}


class BadContent(ValueError):
    """A comment that cannot be kept."""

    def __init__(self, fault: Literal["empty", "too long", "half a character"]) -> None:
        super().__init__(fault)
        self.fault = fault


class Rendered(msgspec.Struct, frozen=True):
    html: str
    links: int
    images: int
    mentions: tuple[str, ...]  # names as they were written, each once; whether somebody has them is not known


def written(content: str) -> str:
    """The stored text of a comment: 1 to 10,000 characters, at least one of them visible."""
    try:
        text = pasted_lines(content, CONTENT_LENGTH)
        text.encode()
    except BadText:
        raise BadContent("too long") from None
    except UnicodeEncodeError:
        raise BadContent("half a character") from None
    if not text:
        raise BadContent("empty")
    return text


def render(markdown: str, *, show_images: bool = False) -> Rendered:
    """The HTML of a comment. An image becomes a link, unless it may be shown: its server sees who reads."""
    return render_written(written(markdown), show_images=show_images)


def render_written(text: str, *, show_images: bool = False) -> Rendered:
    """The same for a text that `written` has returned."""
    from townsquare.services.threads import markdown

    html = markdown.render(text)
    if len(html) > HTML_LENGTH or _is_too_deep(html):
        html = _as_written(text)
    return sanitise(html, show_images)


def plain(html: str, longest: int) -> str:
    """The rendered HTML as one line of plain text, cut between words at `longest` characters."""
    spaced = ANY_TAG.sub(lambda tag: "" if tag[1] in WITHIN_A_LINE else " ", html)
    return excerpt(unescape(spaced), longest)


def _is_too_deep(html: str) -> bool:
    if html.count("<") <= MOST_NESTED:
        return False
    steps = (-1 if tag[1] else 1 for tag in CONTAINER.finditer(html))
    return any(depth > MOST_NESTED for depth in accumulate(steps))


def _as_written(text: str) -> str:
    return "<p>" + escape(text).replace("\n", "<br>") + "</p>"


def sanitise(html: str, show_images: bool) -> Rendered:
    """Remove what is not allowed, replace images and tick boxes, and count links, images and mentions."""
    from townsquare.services.threads import markdown

    cleaned = markdown.sanitise(html)
    page = _Page(show_images)
    place = 0
    for tag in TAG.finditer(cleaned):
        page.add_text(cleaned[place : tag.start()])
        page.add_tag(tag[0], tag[2], bool(tag[1]), dict(ATTRIBUTE.findall(tag[3])))
        place = tag.end()
    page.add_text(cleaned[place:])
    html = "".join(page.parts).strip()
    if not page.images and not SOMETHING.search(html):  # only a definition of a link, say
        raise BadContent("empty")
    return Rendered(html, page.links, page.images, tuple(page.mentions.values()))


class _Page:
    def __init__(self, show_images: bool) -> None:
        self.parts: list[str] = []
        self.links = self.images = 0
        self.mentions: dict[str, str] = {}
        self._show_images = show_images
        self._code = 0  # elements of code that we are in
        self._links: list[bool] = []  # elements of links that we are in: whether they are shown

    @property
    def _in_a_link(self) -> bool:
        return True in self._links

    def add_text(self, text: str) -> None:
        self.parts.append(text)
        if self._code or self._in_a_link or "@" not in text:
            return
        for found in MENTION.finditer(text):
            name = found[1].rstrip(".-")  # the end of a sentence
            if is_username(name) and len(self.mentions) < MOST_MENTIONS:
                self.mentions.setdefault(name.lower(), name)

    def add_tag(self, tag: str, name: str, closes: bool, attributes: dict[str, str]) -> None:
        match name:
            case "img":
                self._add_image(attributes.get("src"), as_text(attributes.get("alt", "")))
            case "input":
                if "type" in attributes:
                    self.parts.append("☑" if "checked" in attributes else "☐")
            case "a":
                self._add_link(closes, attributes.get("href"))
            case "ol":
                fits = closes or NUMBER.fullmatch(attributes.get("start", "1"))
                self.parts.append(tag if fits else "<ol>")
            case _:
                self._code += -1 if closes else 1
                self.parts.append(tag)

    def _add_link(self, closes: bool, target: str | None) -> None:
        """Links are never in each other, and one that leads nowhere is none."""
        if closes:
            if self._links.pop():
                self.parts.append("</a>")
            return
        if target is not None and not self._in_a_link:
            self.links += 1
            self.parts.append(opening_link(target))
            self._links.append(True)
        else:
            self._links.append(False)

    def _add_image(self, source: str | None, alternative: str) -> None:
        if source is None:
            self.parts.append(alternative)
            return
        self.images += 1
        if self._show_images:
            self.parts.append(f'<img src="{as_url(source)}" alt="{alternative}" {HOW_IMAGES_LOAD}>')
        elif self._in_a_link:
            self.parts.append(alternative)
        else:
            self.parts.append(f"{opening_link(source)}{alternative or as_text(source)}</a>")


def opening_link(target: str) -> str:
    return f'<a href="{as_url(target)}" rel="{LINK_REL}">'


def as_text(value: str) -> str:
    """The value of an attribute, safe as text too."""
    return escape(unescape(value))


def as_url(value: str) -> str:
    """The value of an attribute, without what could end it in a page that is put together carelessly."""
    return escape(unescape(value).translate(NOT_IN_A_URL), quote=False)

"""What may stand in the HTML of a comment, judged by another parser than the one that cleaned it."""

import re
from html.parser import HTMLParser

from townsquare.services.threads.content import LINK_REL

VOID = {"br", "hr", "img"}
ATTRIBUTES = {
    "a": {"href", "rel"},
    "img": {"src", "alt", "loading", "referrerpolicy"},
    "ol": {"start"},
    "td": {"align"},
    "th": {"align"},
    **{
        tag: set()
        for tag in ("blockquote", "br", "code", "del", "em", "hr", "li", "p", "pre", "strong", "ul")
    },
    **{tag: set() for tag in ("h1", "h2", "h3", "h4", "h5", "h6", "table", "tbody", "thead", "tr")},
}
SAFE_URL = re.compile(r"(?:https?|mailto):[^\s\"<>`\x00-\x20]*", re.IGNORECASE)
NUMBER = re.compile(r"\d{1,9}")


class SafeHtml(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ATTRIBUTES:
            self.faults.append(f"<{tag}>")
            return
        self.faults += [f"{tag} {name}={value!r}" for name, value in attrs if not is_safe(tag, name, value)]
        if tag == "a" and dict(attrs).get("rel") != LINK_REL:
            self.faults.append("a link without rel")
        if tag == "a" and "a" in self._open:
            self.faults.append("a link in a link")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and (not self._open or self._open.pop() != tag):
            self.faults.append(f"</{tag}> closes nothing")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"declaration {decl!r}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"instruction {data!r}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"declaration {data!r}")

    def close(self) -> None:
        super().close()
        self.faults += [f"<{tag}> is not closed" for tag in self._open]


def is_safe(tag: str, name: str, value: str | None) -> bool:
    if name not in ATTRIBUTES[tag] or value is None:
        return False
    match name:
        case "href" | "src":
            return SAFE_URL.fullmatch(value) is not None
        case "start":
            return NUMBER.fullmatch(value) is not None
        case "align":
            return value in ("left", "center", "right")
    return True


def faults_in(html: str) -> list[str]:
    reader = SafeHtml()
    reader.feed(html)
    reader.close()
    return reader.faults

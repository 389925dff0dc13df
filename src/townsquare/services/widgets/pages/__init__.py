"""Pages for people: plain HTML with placeholders, escaped by default, that need no script."""

from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from townsquare.api import Content

FOLDER = Path(__file__).parent
ASSETS = FOLDER / "assets"


class Markup(str):
    """Text that is HTML already."""


NOTHING = Markup("")


@cache
def template(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def fill(markup: str, **values: object) -> Markup:
    return Markup(Template(markup).substitute({name: safe(value) for name, value in values.items()}))


def safe(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


def joined(parts: Iterable[Markup]) -> Markup:
    return Markup("".join(parts))


def page(name: str, /, status: int = 200, **values: object) -> Content:
    """A template as a whole answer; every placeholder must be given."""
    body = fill(
        template("frame.html"),
        lang=values["lang"],
        title=values["title"],
        content=fill(template(name), **values),
    )
    return Content(body.encode(), "text/html; charset=utf-8", status, {"Cache-Control": "no-store"})


def moved(to: str) -> Content:
    """After a form: read the page again."""
    return Content(b"", "text/html; charset=utf-8", 303, {"Location": to})

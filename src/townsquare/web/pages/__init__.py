"""Our own pages: plain HTML with placeholders, escaped by default, nothing from other servers."""

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from townsquare.api import AnyEndpoint
from townsquare.service import Link

FOLDER = Path(__file__).parent


class Markup(str):
    """Text that is HTML already: `render` leaves it as it is."""


@cache
def template(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def render(name: str, **values: object) -> str:
    """A template with its `$placeholders` filled in; every one of them must be given."""
    return fill(template(name), **values)


def fill(markup: str, **values: object) -> Markup:
    return Markup(Template(markup).substitute({name: _safe(value) for name, value in values.items()}))


def joined(parts: Iterable[Markup]) -> Markup:
    return Markup("\n".join(parts))


def home_page(endpoints: Sequence[AnyEndpoint], links: Sequence[Link]) -> str:
    tags = sorted({endpoint.tag for endpoint in endpoints})
    return render(
        "home.html",
        services=joined(_service(tag, [e for e in endpoints if e.tag == tag]) for tag in tags),
        demos=joined(_demo(link) for link in links),
        hidden="" if links else Markup("hidden"),
    )


def _service(tag: str, endpoints: Sequence[AnyEndpoint]) -> Markup:
    return fill(
        '<li><a class="card" href="/docs#tag-$tag"><strong>$tag</strong><span>$count</span></a></li>',
        tag=tag,
        count=f"{len(endpoints)} operation{'s' if len(endpoints) > 1 else ''}",
    )


def _demo(link: Link) -> Markup:
    return fill(
        '<li><a class="card" href="$href"><strong>$title</strong><span>$description</span></a></li>',
        **link._asdict(),
    )


def _safe(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))

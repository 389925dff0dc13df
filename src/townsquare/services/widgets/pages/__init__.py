"""Pages for people that need no script: filled templates, and where forms lead."""

from pathlib import Path

from townsquare.api import Content, HtmlPage
from townsquare.kit.templates import Templates

templates = Templates(Path(__file__).parent)


def page(
    name: str, /, *, lang: str, title: str, status: int = 200, scripts: tuple[str, ...] = (), **values: object
) -> HtmlPage:
    """A template as a whole page; every placeholder must be given."""
    return HtmlPage(
        title=title,
        body=templates.fill("frame.html", content=templates.fill(name, title=title, **values)),
        lang=lang,
        scripts=scripts,
        styles=("/widgets/assets/widgets.css",),
        status=status,
        headers={"Cache-Control": "no-store"},
        listed=False,
    )


def moved(to: str) -> Content:
    """After a form: read the page again."""
    return Content(b"", "text/html; charset=utf-8", 303, {"Location": to})

"""Pages that need no script: filled templates and the redirects of forms."""

from pathlib import Path

from townsquare.api import Call, Content, HtmlPage
from townsquare.kit.templates import Templates
from townsquare.services.widgets.pages.words import words_for

templates = Templates(Path(__file__).parent)


def page(
    call: Call,
    template: str,
    /,
    *,
    title: str,
    lang: str = "",
    status: int = 200,
    scripts: tuple[str, ...] = (),
    **values: object,
) -> HtmlPage:
    """A template as a whole page, with the texts of the reader's language and the given values."""
    lang, words = words_for(lang or call.language)
    words = {f"{name}_word": word for name, word in words.items()}
    return HtmlPage(
        title=title,
        body=templates.fill("frame.html", content=templates.fill(template, **words, title=title, **values)),
        lang=lang,
        scripts=scripts,
        styles=("/widgets/assets/widgets.css",),
        status=status,
        headers={"Cache-Control": "no-store"},
        listed=False,
    )


def moved(to: str) -> Content:
    """Redirect to the page after a form."""
    return Content(b"", "text/html; charset=utf-8", 303, {"Location": to})

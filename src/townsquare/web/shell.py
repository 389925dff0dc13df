"""The page shell: the header, links, theme and policy that every HTML page of every service has."""

from collections.abc import Sequence
from pathlib import Path

from townsquare.api import Call, Content, HtmlPage
from townsquare.kit.files import REVALIDATED, tagged
from townsquare.kit.templates import NOTHING, Markup, Templates, fill, joined
from townsquare.problems import Problem
from townsquare.service import Link
from townsquare.web.mounting import page_below, prefix_in

HTML = "text/html; charset=utf-8"
FOLDER = Path(__file__).parent / "pages"
POLICY = (
    "default-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
POLICY_WITH_IMAGES = POLICY.replace("img-src 'self' data:", "img-src 'self' data: https: http:")

templates = Templates(FOLDER)


class Shell:
    def __init__(self, links: Sequence[Link] = ()) -> None:
        self._nav = joined(_nav_link(link) for link in links if not link.signed_in)
        self._account = joined(_account_link(link) for link in links if link.signed_in)

    def content(self, page: HtmlPage, call: Call | None = None, base_url: str = "") -> Content:
        """A whole page; with an ETag and 304 unless it sets Cache-Control."""
        markup: str = templates.fill(
            "shell.html",
            lang=page.lang,
            title=page.title if page.title == "Townsquare" else f"{page.title} · Townsquare",
            robots=NOTHING if page.listed else Markup('<meta name="robots" content="noindex">'),
            styles=joined(fill('<link rel="stylesheet" href="$href">', href=href) for href in page.styles),
            scripts=joined(
                fill('<script type="module" src="$src"></script>', src=src) for src in page.scripts
            ),
            nav=self._nav,
            account=self._account,
            skip=page.skip,
            skip_to=page.skip_to,
            body=Markup(page.body),
        )
        markup = page_below(markup, prefix_in(call.base_url if call else base_url))
        policy = POLICY_WITH_IMAGES if page.images_from_anywhere else POLICY
        headers = {"Content-Security-Policy": policy, **page.headers}
        if page.status != 200 or call is None or "Cache-Control" in page.headers:
            return Content(markup.encode(), HTML, page.status, headers)
        answer = tagged(call, markup.encode(), HTML, REVALIDATED)
        answer.headers = {**answer.headers, **headers}
        return answer

    def problem(self, problem: Problem, request_id: str, base_url: str = "") -> Content:
        """A problem as a page, for browsers."""
        body = templates.fill(
            "problem.html",
            status=problem.status,
            title=problem.title,
            detail="" if problem.detail == problem.title else problem.detail,
            code=problem.code,
            request_id=request_id,
        )
        return self.content(
            HtmlPage(
                title=problem.title,
                body=body,
                status=problem.status,
                headers={"Cache-Control": "no-store"},
                listed=False,
            ),
            base_url=base_url,
        )


def wants_html(accept: bytes) -> bool:
    """Whether a browser opens a page: scripts and API clients do not accept HTML."""
    return b"text/html" in accept and b"json" not in accept


def _nav_link(link: Link) -> Markup:
    return fill('<a href="$href">$title</a>', href=link.href, title=link.title)


def _account_link(link: Link) -> Markup:
    return fill(
        '<a href="$href" data-signed-in="$signed_in" data-title="$title">Sign in</a>',
        href=link.href,
        signed_in=link.signed_in,
        title=link.title,
    )

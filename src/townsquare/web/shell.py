"""The page shell: the header, links, theme and policy that every HTML page of every service has."""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from townsquare.api import Call, Content, HtmlPage
from townsquare.kit.files import REVALIDATED, tagged
from townsquare.kit.templates import NOTHING, Markup, Templates, fill, joined
from townsquare.problems import Problem
from townsquare.service import Link

HTML = "text/html; charset=utf-8"
FOLDER = Path(__file__).parent / "pages"
POLICY = (
    "default-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
POLICY_WITH_IMAGES = POLICY.replace("img-src 'self' data:", "img-src 'self' data: https: http:")

templates = Templates(FOLDER)
LEADS = re.compile(r'(\s(?:href|src|action|formaction|data-signed-in)=")/(?!/)')
COOKIE_PATH = re.compile(r"(;\s*path=)/", re.IGNORECASE)


class Shell:
    def __init__(self, links: Sequence[Link] = ()) -> None:
        nav = (link for link in links if not link.signed_in and not link.demo)
        self._nav = joined(fill('<a href="$href">$title</a>', href=one.href, title=one.title) for one in nav)
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


def _account_link(link: Link) -> Markup:
    return fill(
        '<a href="$href" data-signed-in="$signed_in" data-title="$title">Sign in</a>',
        href=link.href,
        signed_in=link.signed_in,
        title=link.title,
    )


def prefix_in(base_url: str) -> str:
    return urlsplit(base_url).path.rstrip("/")


def page_below(markup: str, prefix: str) -> str:
    """A page with the prefix in its links, forms and files. User content is escaped."""
    return LEADS.sub(rf"\1{prefix}/", markup) if prefix else markup


def below_prefix(content: Content, base_url: str) -> Content:
    """The content with the prefix in its redirect and cookie."""
    if not content.headers.keys() & {"Location", "Set-Cookie"}:
        return content
    prefix = prefix_in(base_url)
    if not prefix:
        return content
    headers = dict(content.headers)
    if headers.get("Location", "").startswith("/"):
        headers["Location"] = prefix + headers["Location"]
    if "Set-Cookie" in headers:
        headers["Set-Cookie"] = COOKIE_PATH.sub(rf"\1{prefix}/", headers["Set-Cookie"])
    return replace(content, headers=headers)

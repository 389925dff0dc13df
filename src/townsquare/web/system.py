"""Endpoints of the server itself: health, metrics, the API description and its own pages."""

import asyncio
import gzip
import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from townsquare.api import AnyEndpoint, Auth, Call, Content, HtmlPage, Identity, Nothing, Scheme
from townsquare.kit.files import REVALIDATED, Assets, asset_endpoints, tagged
from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.kit.tokens import bearer_token
from townsquare.problems import Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.service import Example, Link
from townsquare.settings import FILE_URL, Settings, html_file
from townsquare.web.guide import guide_endpoints
from townsquare.web.metrics import MEDIA_TYPE, Metrics
from townsquare.web.responses import JSON, RETRY_SECONDS
from townsquare.web.shell import FOLDER, templates

ABOUT_US = "The server itself: health, readiness, metrics."
ACTION = '<a class="button" href="$href">$text</a>'
SCRAPER = Identity(user_id="metrics")  # the bearer of the metrics_token
HTML = "text/html; charset=utf-8"
ADDRESSES = 4  # of this server, for which the API description is stored
READY_WITHIN = 0.2  # seconds for all stores to answer
OWN_ASSETS = (
    Assets("/assets", FOLDER / "assets", REVALIDATED),  # of the shell and the pages of the server
    Assets("/shared", FOLDER / "shared", REVALIDATED),  # modules that pages of several services import
)

Probe = Callable[[], Awaitable[object]]  # raises if its store does not answer


class Health(msgspec.Struct):
    status: Literal["ok"] = "ok"


StoreState = Literal["ok", "away"]


class Readiness(msgspec.Struct):
    status: Literal["ready", "unavailable"]
    stores: dict[str, StoreState]


def system_endpoints(
    endpoints: Sequence[AnyEndpoint],
    readiness: Mapping[str, Probe],
    metrics: Metrics,
    settings: Settings,
    links: Sequence[Link],
    tags: Mapping[str, str],
) -> list[AnyEndpoint]:
    routes = Routes(
        tag="system", limit=None, unknown="ignore"
    )  # probes and scrapers add parameters of their own

    @routes.get("/healthz")
    async def healthz(call: Call, given: Nothing) -> Health:
        """Whether this process is alive."""
        return Health()

    @routes.get("/readyz")
    async def readyz(call: Call, given: Nothing) -> Readiness | Content:
        """Whether every store answers; 503 if one does not."""
        found = await asyncio.gather(*(_probe(probe) for probe in readiness.values()))
        stores = dict(zip(readiness, found, strict=True))
        if "away" not in found:
            return Readiness("ready", stores)
        body = msgspec.json.encode(Readiness("unavailable", stores))
        return Content(body, JSON, 503, {"Retry-After": str(RETRY_SECONDS)})

    @routes.get("/metrics", auth=metrics_auth(settings.metrics_token))
    async def show_metrics(call: Call, given: Nothing) -> Annotated[Content, "text/plain"]:
        """Counters and timings in Prometheus' text format."""
        if not (settings.metrics_token or is_loopback(settings.host)):
            raise Forbidden("Set metrics_token: the server does not listen on a loopback address only")
        return Content(await metrics.text(), MEDIA_TYPE)

    described = [*endpoints, *routes.endpoints]

    @cache
    def description() -> bytes:
        from townsquare.web.openapi import describe

        return describe(described, {**tags, "system": ABOUT_US})

    @lru_cache(ADDRESSES)
    def packed_description(base_url: str) -> tuple[bytes, bytes]:
        """The document for clients at this address; the first one takes 0.2 s."""
        from townsquare.web.openapi import with_server

        document = with_server(description(), base_url)
        return document, gzip.compress(document, mtime=0)

    own_page = _own_home_page(settings.home_page) if settings.home_page else None
    home_page = _home_page([endpoint for endpoint in endpoints if endpoint.documented], links)

    @routes.page("/openapi.json", open_to_any_origin=True)
    async def openapi(call: Call, given: Nothing) -> Content:
        document, packed = await asyncio.to_thread(packed_description, call.base_url)
        return tagged(call, document, JSON, "public, max-age=60", packed=packed)

    @routes.page("/docs")
    async def docs(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(
            title="API",
            body=templates.fill("docs.html"),
            styles=("/assets/docs.css",),
            scripts=("/assets/docs.js",),
            skip="Skip to the operations",
            skip_to="#operations",
        )

    @routes.page("/")
    async def home(call: Call, given: Nothing) -> HtmlPage | Content:
        return own_page or replace(
            home_page, body=Markup(home_page.body.replace("{base}", escape(call.base_url)))
        )

    return [*routes.endpoints, *guide_endpoints(), *asset_endpoints(OWN_ASSETS)]


def metrics_auth(token: str) -> Auth:
    """The bearer of the `metrics_token`; everyone if there is none."""
    if not token:
        return Auth.NONE
    expected = token.encode()

    async def identify(call: Call) -> Identity | None:
        given = bearer_token(call.headers.get("authorization", ""))
        if given is None:
            return None
        if not hmac.compare_digest(expected, given.encode()):
            raise Unauthorized("The token is not the metrics_token of the settings")
        return SCRAPER

    scheme = Scheme(
        "metrics",
        {"type": "http", "scheme": "bearer", "description": "The metrics_token of the settings."},
        identify,
        challenge='Bearer realm="metrics"',
    )
    return Auth(scheme, who="the bearer of the metrics_token")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _own_home_page(home_page: str) -> Content:
    """The page or redirect that replaces the landing page."""
    if not home_page.startswith(FILE_URL):
        return Content(b"", HTML, 302, {"Location": home_page})
    headers = {"Content-Security-Policy": "frame-ancestors 'none'", "Cache-Control": "no-cache"}
    return Content(html_file(home_page), HTML, headers=headers)


def _home_page(endpoints: Sequence[AnyEndpoint], links: Sequence[Link]) -> HtmlPage:
    """The landing page; "{base}" in its examples is the address of the server."""
    examples = [example for link in links for example in link.examples]
    shown = [link for link in links if not link.examples]
    body = templates.fill(
        "home.html",
        actions=joined(fill(ACTION, href=one.href, text=one.action) for one in links if one.action),
        examples=joined(map(_example, examples)),
        without_examples=NOTHING if examples else Markup("hidden"),
        links=joined(_card(link.href, link.title, link.description) for link in shown),
        without_links=NOTHING if shown else Markup("hidden"),
        services=", ".join(sorted({endpoint.tag for endpoint in endpoints})),
    )
    scripts = dict.fromkeys(["/assets/home.js", *(example.script for example in examples)])
    return HtmlPage(title="Townsquare", body=body, styles=("/assets/home.css",), scripts=tuple(scripts))


def _example(example: Example) -> Markup:
    return fill(
        '<li class="sheet example" data-kind="$name"><h3>$title</h3>'
        '<div class="live" data-example="$name"></div>'
        '<pre><code id="code-$name">$code</code></pre>'
        '<button type="button" class="quiet" data-copy="code-$name" aria-label="Copy the HTML of $title">'
        'Copy</button> <output role="status"></output></li>',
        name=example.name,
        title=example.title,
        code=example.code,
    )


def _card(href: str, title: str, description: str) -> Markup:
    return fill(
        '<li><a class="card" href="$href"><strong>$title</strong><span>$description</span></a></li>',
        href=href,
        title=title,
        description=description,
    )


async def _probe(probe: Probe) -> StoreState:
    try:
        async with asyncio.timeout(READY_WITHIN):
            await probe()
    except Exception:
        return "away"
    return "ok"

"""Endpoints of the server itself: health, metrics, the API description and its own pages."""

import asyncio
import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Literal

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, Content, HtmlPage, Identity, Nothing, Scheme
from townsquare.kit.files import REVALIDATED, Assets, asset_endpoints, tagged
from townsquare.kit.templates import Markup, fill, joined
from townsquare.kit.tokens import bearer_token
from townsquare.problems import Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.service import Link
from townsquare.settings import Settings
from townsquare.web.metrics import MEDIA_TYPE, Metrics
from townsquare.web.responses import JSON, RETRY_SECONDS
from townsquare.web.shell import FOLDER, templates

ABOUT_US = "The server itself: health, readiness, metrics."
SCRAPER = Identity(user_id="metrics")  # the bearer of the metrics_token
READY_WITHIN = 0.2  # seconds for all stores to answer
OWN_ASSETS = [
    Assets("/assets", FOLDER / "assets", REVALIDATED),  # of the shell and the pages of the server
    Assets("/shared", FOLDER / "shared", REVALIDATED),  # modules that pages of several services import
]

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

    home_page = _home_page([endpoint for endpoint in endpoints if endpoint.documented], links)

    @routes.page("/openapi.json", open_to_any_origin=True)
    async def openapi(call: Call, given: Nothing) -> Content:
        document = await asyncio.to_thread(description)  # the first call takes 0.2 s
        from townsquare.web.openapi import with_server

        return tagged(call, with_server(document, call.base_url), JSON, "public, max-age=60")

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
    async def home(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(title="Townsquare", body=home_page)

    return [*routes.endpoints, *asset_endpoints(OWN_ASSETS)]


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


def _home_page(endpoints: Sequence[AnyEndpoint], links: Sequence[Link]) -> Markup:
    tags = [endpoint.tag for endpoint in endpoints]
    return templates.fill(
        "home.html",
        services=joined(_service(tag, tags.count(tag)) for tag in sorted(set(tags))),
        demos=joined(_card(link.href, link.title, link.description) for link in links),
        hidden="" if links else Markup("hidden"),
    )


def _service(tag: str, count: int) -> Markup:
    return _card(f"/docs#tag-{tag}", tag, f"{count} operation{'s' if count > 1 else ''}")


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

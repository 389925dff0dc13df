"""What every server answers for itself: health, metrics, its API description and its own pages."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from townsquare.api import AnyEndpoint, Call, Content, Endpoint
from townsquare.service import Link
from townsquare.web.answers import JSON, RETRY_SECONDS, html
from townsquare.web.metrics import MEDIA_TYPE, Metrics
from townsquare.web.openapi import describe
from townsquare.web.pages import home_page, template
from townsquare.web.ports import Probe
from townsquare.web.static import Assets, Nothing, asset_endpoints, etag, same_tag

READY_WITHIN = 0.2  # seconds for all stores to answer
OWN_ASSETS = Assets("/assets", Path(__file__).parent / "pages" / "assets")


class Health(msgspec.Struct):
    status: Literal["ok"] = "ok"


StoreState = Literal["ok", "away"]


class Readiness(msgspec.Struct):
    status: Literal["ready", "unavailable"]
    stores: dict[str, StoreState]


def system_endpoints(
    endpoints: Sequence[AnyEndpoint], readiness: Mapping[str, Probe], metrics: Metrics, links: Sequence[Link]
) -> list[AnyEndpoint]:
    async def healthz(call: Call, given: Nothing) -> Health:
        """Whether this process lives."""
        return Health()

    async def readyz(call: Call, given: Nothing) -> Content:
        """Whether every store answers; 503 where one does not."""
        found = await asyncio.gather(*(_probe(probe) for probe in readiness.values()))
        stores = {role: _word(up) for role, up in zip(readiness, found, strict=True)}
        if all(found):
            return Content(msgspec.json.encode(Readiness("ready", stores)), JSON)
        body = msgspec.json.encode(Readiness("unavailable", stores))
        return Content(body, JSON, 503, {"Retry-After": str(RETRY_SECONDS)})

    async def show_metrics(call: Call, given: Nothing) -> Content:
        """Counters and timings in Prometheus' text format."""
        metrics.settle()
        return Content(await asyncio.to_thread(metrics.render), MEDIA_TYPE)

    documented = [_system("/healthz", healthz, Health), _system("/readyz", readyz, Readiness)]
    documented.append(_system("/metrics", show_metrics, Content))
    description = describe([*endpoints, *documented])
    description_tag = etag(description)

    async def openapi(call: Call, given: Nothing) -> Content:
        headers = {"ETag": description_tag, "Cache-Control": "public, max-age=60"}
        if same_tag(call.headers.get("if-none-match", ""), description_tag):
            return Content(b"", JSON, 304, headers)
        return Content(description, JSON, 200, headers)

    async def docs(call: Call, given: Nothing) -> Content:
        return html(template("docs.html"))

    async def home(call: Call, given: Nothing) -> Content:
        return html(home_page([endpoint for endpoint in endpoints if endpoint.documented], links))

    pages = {"/openapi.json": openapi, "/docs": docs, "/": home}
    return [
        *documented,
        *(_system(path, run, Content, documented=False) for path, run in pages.items()),
        *asset_endpoints([OWN_ASSETS]),
    ]


def _system(
    path: str,
    run: Callable[[Call, Nothing], Awaitable[object]],
    output: type[object],
    *,
    documented: bool = True,
) -> AnyEndpoint:
    return Endpoint(
        method="GET",
        path=path,
        run=run,
        input=Nothing,
        output=output,
        tag="system",
        limit=None,
        open_to_any_origin=path == "/openapi.json",
        documented=documented,
    )


async def _probe(probe: Probe) -> bool:
    try:
        async with asyncio.timeout(READY_WITHIN):
            await probe()
    except Exception:
        return False
    return True


def _word(up: bool) -> StoreState:
    return "ok" if up else "away"

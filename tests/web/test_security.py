"""CORS and the headers that protect pages and those who embed us."""

import pytest

from tests.web.asking import Reply, answering, app_with, ask, endpoint
from townsquare.api import Content
from townsquare.settings import Settings
from townsquare.web.app import App

PAGE = "https://page.example"
KNOWN = Settings(cors_origins=(PAGE,))


def both(settings: Settings | None = None) -> App:
    return app_with(
        endpoint("/open", open_to_any_origin=True), endpoint("/own", method="POST"), settings=settings
    )


async def preflight(app: App, path: str, method: str, origin: str = PAGE) -> Reply:
    return await ask(
        app, "OPTIONS", path, headers={"Origin": origin, "Access-Control-Request-Method": method}
    )


async def test_an_open_endpoint_answers_any_origin_without_credentials() -> None:
    reply = await ask(both(KNOWN), "GET", "/open", headers={"Origin": "https://stranger.example"})
    assert reply.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in reply.headers
    exposed = reply.headers["access-control-expose-headers"].split(", ")
    assert {"RateLimit-Remaining", "X-Warnings"} <= set(exposed)


async def test_a_known_origin_may_call_with_credentials() -> None:
    reply = await ask(both(KNOWN), "POST", "/own", headers={"Origin": PAGE})
    assert reply.headers["access-control-allow-origin"] == PAGE
    assert reply.headers["access-control-allow-credentials"] == "true"
    assert reply.headers["vary"] == "Origin"


async def test_a_stranger_gets_no_permission_but_caches_are_told_why() -> None:
    reply = await ask(both(KNOWN), "POST", "/own", headers={"Origin": "https://stranger.example"})
    assert "access-control-allow-origin" not in reply.headers
    assert reply.headers["vary"] == "Origin"


async def test_without_known_origins_nobody_gets_permission() -> None:
    reply = await ask(both(), "POST", "/own", headers={"Origin": PAGE})
    assert {"access-control-allow-origin", "vary"}.isdisjoint(reply.headers)


async def test_a_star_opens_everything_without_credentials() -> None:
    reply = await ask(both(Settings(cors_origins=("*",))), "POST", "/own", headers={"Origin": PAGE})
    assert reply.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in reply.headers


async def test_problems_of_an_open_endpoint_can_be_read_too() -> None:
    reply = await ask(both(), "GET", "/open?%ff", headers={"Origin": PAGE})
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (400, "*")


async def test_a_preflight_lists_methods_and_headers() -> None:
    reply = await preflight(both(KNOWN), "/own", "POST")
    assert reply.status == 204
    assert reply.headers["access-control-allow-origin"] == PAGE
    assert reply.headers["access-control-allow-methods"] == "POST, OPTIONS"
    allowed = reply.headers["access-control-allow-headers"].split(", ")
    assert {"Authorization", "Idempotency-Key", "X-API-Key", "projectid"} <= set(allowed)
    assert int(reply.headers["access-control-max-age"]) > 0


@pytest.mark.parametrize(
    ("path", "method", "origin"),
    [("/own", "POST", "https://stranger.example"), ("/open", "DELETE", "https://stranger.example")],
)
async def test_a_preflight_that_is_not_granted_says_so_by_silence(
    path: str, method: str, origin: str
) -> None:
    reply = await preflight(both(KNOWN), path, method, origin)
    assert reply.status == 204
    assert {"access-control-allow-origin", "access-control-allow-methods"}.isdisjoint(reply.headers)


async def test_a_preflight_for_an_open_endpoint_is_granted_to_all() -> None:
    for settings in (None, KNOWN, Settings(cors_origins=("*",))):
        for origin in ("null", PAGE):
            reply = await preflight(both(settings), "/open", "GET", origin)
            assert reply.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("target", ["/own", "/open", "/nowhere", "/", "/docs", "/assets/docs.js", "/metrics"])
async def test_every_answer_forbids_sniffing_and_limits_the_referrer(target: str) -> None:
    reply = await ask(both(), "GET", target)
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "strict-origin-when-cross-origin"


@pytest.mark.parametrize("target", ["/", "/docs"])
async def test_our_pages_run_only_our_own_scripts_and_are_framed_nowhere(target: str) -> None:
    headers = (await ask(both(), "GET", target)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("media_type", ["image/svg+xml", "text/javascript; charset=utf-8", "image/png"])
async def test_what_other_sites_embed_may_be_embedded(media_type: str) -> None:
    app = app_with(endpoint(run=answering(Content(b"", media_type))))
    headers = (await ask(app, "GET", "/thing")).headers
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert "frame-ancestors" not in headers.get("content-security-policy", "")


async def test_json_of_an_own_endpoint_may_not_be_embedded_or_stored() -> None:
    headers = (await ask(both(), "POST", "/own")).headers
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


async def test_a_page_may_bring_its_own_policy() -> None:
    content = Content(b"", "text/html", headers={"Content-Security-Policy": "frame-ancestors *"})
    reply = await ask(app_with(endpoint(run=answering(content))), "GET", "/thing")
    policies = [value for name, value in reply.raw_headers if name == b"content-security-policy"]
    assert policies == [b"frame-ancestors *"]

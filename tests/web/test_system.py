import asyncio
import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from tests.web.asking import app_with, ask, endpoint
from townsquare.kit.files import REVALIDATED, Assets
from townsquare.kit.templates import Markup, fill
from townsquare.problems import Unavailable
from townsquare.service import Link
from townsquare.settings import LARGEST_PAGE, Settings, SettingsError
from townsquare.web.system import READY_WITHIN


async def fine() -> None:
    pass


async def away() -> None:
    raise Unavailable


async def silent() -> None:
    await asyncio.Event().wait()


async def test_healthz_answers_whatever_the_stores_do() -> None:
    reply = await ask(app_with(readiness={"data": away}), "GET", "/healthz")
    assert (reply.status, reply.json) == (200, {"status": "ok"})


async def test_readyz_is_ready_when_every_store_answers() -> None:
    reply = await ask(app_with(readiness={"data": fine, "cache": fine}), "GET", "/readyz")
    assert (reply.status, reply.json) == (200, {"status": "ready", "stores": {"data": "ok", "cache": "ok"}})


@pytest.mark.parametrize("probe", [away, silent])
async def test_readyz_names_the_store_that_is_away_in_bounded_time(probe: object) -> None:
    app = app_with(readiness={"data": fine, "cache": probe})
    async with asyncio.timeout(READY_WITHIN * 10):
        reply = await ask(app, "GET", "/readyz")
    assert reply.status == 503
    assert reply.json == {"status": "unavailable", "stores": {"data": "ok", "cache": "away"}}
    assert "retry-after" in reply.headers


async def test_metrics_tell_requests_by_route_method_and_status() -> None:
    app = app_with(endpoint("/things"))
    await ask(app, "GET", "/things")
    await ask(app, "GET", "/things")
    await ask(app, "GET", "/nowhere/7")
    await ask(app, "BREW", "/nowhere/8")
    text = (await ask(app, "GET", "/metrics")).body.decode()
    count = "townsquare_http_request_seconds_count"
    assert f'{count}{{method="GET",route="/things",status="200"}} 2.0' in text
    assert f'{count}{{method="GET",route="unmatched",status="404"}} 1.0' in text
    assert f'{count}{{method="OTHER",route="unmatched",status="404"}} 1.0' in text


async def test_the_start_page_lists_what_is_on() -> None:
    app = app_with(
        endpoint(tag="widgets"), endpoint("/hidden", tag="secret", documented=False),
        links=[Link("Counter <demo>", "/demo?a=1&b=2", "Count & see")],
    )  # fmt: skip
    reply = await ask(app, "GET", "/")
    page = reply.body.decode()
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "widgets" in page
    assert "secret" not in page
    assert "Counter &lt;demo&gt;" in page
    assert 'href="/demo?a=1&amp;b=2"' in page


@pytest.mark.parametrize("page", ["/", "/docs"])
async def test_our_pages_load_nothing_from_elsewhere(page: str) -> None:
    body = (await ask(app_with(), "GET", page)).body.decode()
    assert "http:" not in body
    assert "https:" not in body
    assert "<script>" not in body
    assert " style=" not in body


def test_placeholders_are_escaped_unless_they_are_markup() -> None:
    assert fill("$a $b", a="<i>", b=Markup("<b>")) == "&lt;i&gt; <b>"


@pytest.fixture
def components(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "counter.js").write_text("export {};")
    (tmp_path / "deep" / "a.css").write_text("a{}")
    (tmp_path / "notes.py").write_text("secret")
    return tmp_path


async def test_assets_are_served_with_type_tag_and_lifetime(components: Path) -> None:
    app = app_with(assets=[Assets("/components", components)])
    reply = await ask(app, "GET", "/components/counter.js")
    assert (reply.status, reply.body) == (200, b"export {};")
    assert reply.headers["content-type"] == "text/javascript; charset=utf-8"
    assert reply.headers["cache-control"].startswith("public")
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
    assert (await ask(app, "GET", "/components/deep/a.css")).body == b"a{}"


async def test_assets_that_pages_import_by_name_are_asked_for_again_every_time(components: Path) -> None:
    app = app_with(assets=[Assets("/modules", components, REVALIDATED), Assets("/components", components)])
    shared = await ask(app, "GET", "/modules/counter.js")
    assert shared.headers["cache-control"] == "no-cache"
    known = await ask(app, "GET", "/modules/counter.js", headers={"If-None-Match": shared.headers["etag"]})
    assert (known.status, known.headers["cache-control"]) == (304, "no-cache")
    assert (await ask(app, "GET", "/components/counter.js")).headers["cache-control"].startswith("public")


async def test_assets_are_packed_for_who_can_unpack(components: Path) -> None:
    app = app_with(assets=[Assets("/components", components)])
    reply = await ask(app, "GET", "/components/counter.js", headers={"Accept-Encoding": "br, gzip"})
    assert gzip.decompress(reply.body) == b"export {};"
    assert (reply.headers["content-encoding"], reply.headers["vary"]) == ("gzip", "Accept-Encoding")


async def test_a_known_asset_is_not_sent_again(components: Path) -> None:
    app = app_with(assets=[Assets("/components", components)])
    tag = (await ask(app, "GET", "/components/counter.js")).headers["etag"]
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        reply = await ask(app, "GET", "/components/counter.js", headers={"If-None-Match": given})
        assert (reply.status, reply.body, reply.headers["etag"]) == (304, b"", tag)


async def test_a_changed_asset_is_read_again(components: Path) -> None:
    app = app_with(assets=[Assets("/components", components)])
    first = await ask(app, "GET", "/components/counter.js")
    (components / "counter.js").write_text("changed")
    os.utime(components / "counter.js", ns=(1, 1))
    second = await ask(app, "GET", "/components/counter.js")
    assert second.body == b"changed"
    assert second.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    "target",
    ["/components/notes.py", "/components/../x", "/components/%2e%2e/x", "/components/", "/components/deep"],
)
async def test_nothing_else_of_the_folder_can_be_asked_for(components: Path, target: str) -> None:
    app = app_with(assets=[Assets("/components", components)])
    assert (await ask(app, "GET", target)).status == 404


TOKEN = "a-token-for-metrics"


@pytest.mark.parametrize(
    ("settings", "headers", "status"),
    [
        ({}, {}, 200),
        ({"host": "localhost"}, {}, 200),
        ({"host": "0.0.0.0"}, {}, 403),
        ({"host": "0.0.0.0", "metrics_token": TOKEN}, {}, 401),
        ({"metrics_token": TOKEN}, {}, 401),
        ({"metrics_token": TOKEN}, {"authorization": "Bearer another-token-than-it"}, 401),
        ({"metrics_token": TOKEN}, {"authorization": f"Basic {TOKEN}"}, 401),
        ({"host": "0.0.0.0", "metrics_token": TOKEN}, {"authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
async def test_metrics_need_their_token_unless_the_server_is_local(
    settings: dict[str, Any], headers: dict[str, str], status: int
) -> None:
    app = app_with(settings=Settings.load(environ={}, **settings))
    reply = await ask(app, "GET", "/metrics", headers=headers)
    assert reply.status == status
    assert (b"townsquare_" in reply.body) == (status == 200)


@pytest.mark.parametrize("place", ["/social", "https://example.org/start"])
async def test_the_home_page_can_redirect(place: str) -> None:
    reply = await ask(app_with(settings=Settings.load(home_page=place)), "GET", "/")
    assert (reply.status, reply.headers["location"]) == (302, place)


async def test_the_home_page_can_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a page.html"
    file.write_text("<!doctype html><script>document.title = 1</script>")
    app = app_with(settings=Settings.load(home_page=file.as_uri()))
    reply = await ask(app, "GET", "/")
    assert (reply.status, reply.body) == (200, file.read_bytes())
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.headers["content-security-policy"] == "frame-ancestors 'none'"


@pytest.mark.parametrize(
    "value",
    [
        "/",
        "//evil.example",
        "/\\evil.example",
        "social",
        "javascript:alert(1)",
        "file:///",
        "/a b",
        "https://",
    ],
)
def test_a_wrong_home_page_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="home_page cannot be"):
        Settings.load(home_page=value)


def test_a_home_page_of_any_size_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.html"
    file.write_bytes(b" " * (LARGEST_PAGE + 1))
    with pytest.raises(SettingsError, match="more than 1,048,576 bytes"):
        Settings.load(home_page=file.as_uri())

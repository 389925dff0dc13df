"""The site under a prefix of another application: nothing of it leads past that prefix."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

import townsquare
from tests.support.squares import Place
from townsquare.api import Content
from townsquare.web.shell import below_prefix
from townsquare.web.site import Asgi

PREFIX = "/our community"
QUOTED = "/our%20community"
ALICE = {"username": "alice", "password": "kludge-mirth-9"}
ADDRESS = re.compile(r"""(?:href|src|action)="([^"#]+)"|(?:from|import) "([^"]+)\"""")


async def hosts_own(request: Request) -> Response:
    return PlainTextResponse("the host's own")


def in_starlette(community: Asgi) -> Any:
    routes = [Mount(PREFIX, community), Route("/", hosts_own)]
    return Starlette(routes=routes, lifespan=community.lifespan)


def in_fastapi(community: Asgi) -> Any:
    app = FastAPI(lifespan=community.lifespan)
    app.mount(PREFIX, community)
    app.add_api_route("/", hosts_own)
    return app


@pytest.fixture(params=[in_starlette, in_fastapi])
async def http(request: pytest.FixtureRequest, plain_place: Place) -> AsyncIterator[httpx.AsyncClient]:
    community = townsquare.asgi(settings=plain_place.settings())
    async with visit(request.param(community), community.lifespan) as client:
        yield client


@asynccontextmanager
async def visit(app: Any, lifespan: Callable[[Any], Any]) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with lifespan(app), httpx.AsyncClient(transport=transport, base_url="http://host.test") as client:
        yield client


async def test_every_link_form_and_file_of_every_page_is_below_the_prefix(http: httpx.AsyncClient) -> None:
    waiting, seen = [f"{QUOTED}/"], set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = await http.get(path, headers={"Accept": "text/html"})
        assert answer.status_code in (200, 400, 405), path  # an image of no widget, a form that is posted
        if answer.headers["content-type"].partition(";")[0] in ("text/html", "text/javascript"):
            found = [unescape(first or second) for first, second in ADDRESS.findall(answer.text)]
            ours = [urlsplit(urljoin(f"http://host.test{path}", each)) for each in found]
            waiting += [
                each._replace(scheme="", netloc="").geturl()
                for each in ours
                if each.netloc == "host.test" and "$" not in each.path
            ]
    assert all(path.startswith(f"{QUOTED}/") for path in seen), seen
    pages = {
        "social",
        "widgets",
        "accounts/sign-in",
        "docs",
        "assets/base.css",
        "shared/root.js",
        "openapi.json",
    }
    assert {f"{QUOTED}/{page}" for page in pages} <= seen
    assert (await http.get("/")).text != ""


async def test_operations_answer_below_the_prefix(http: httpx.AsyncClient) -> None:
    made = await http.post(
        f"{QUOTED}/accounts/signup", json={"username": "alice", "password": "kludge-mirth-9"}
    )
    assert made.status_code == 201, made.text
    token = made.json()["access_token"]
    posted = await http.post(
        f"{QUOTED}/social/posts", json={"content": "Hello"}, headers={"Authorization": f"Bearer {token}"}
    )
    assert posted.status_code == 201, posted.text
    assert (await http.get("/social/feed/explore")).status_code == 404
    assert (await http.get(f"{QUOTED}/nothing")).json()["code"] == "not_found"


async def test_a_redirect_stays_below_the_prefix(http: httpx.AsyncClient) -> None:
    made = await http.post(
        f"{QUOTED}/widgets/like",
        data={"action": "create", "url": "https://example.org", "token": "an owner's token"},
    )
    id = made.json()["data"]["id"]
    liked = await http.post(f"{QUOTED}/widgets/like/{id}")
    assert (liked.status_code, liked.headers["location"]) == (303, f"{QUOTED}/widgets/like/{id}")


async def test_openapi_names_the_server(http: httpx.AsyncClient) -> None:
    document = (await http.get(f"{QUOTED}/openapi.json")).json()
    assert document["servers"] == [{"url": f"http://host.test{QUOTED}"}]


async def test_a_problem_page_leads_home(http: httpx.AsyncClient) -> None:
    missing = await http.get(f"{QUOTED}/nothing", headers={"Accept": "text/html"})
    assert missing.status_code == 404
    assert f'href="{QUOTED}/"' in missing.text


def test_a_cookie_is_for_the_prefix() -> None:
    answer = Content(b"", "text/plain", 200, {"Set-Cookie": "a=b; HttpOnly; Path=/"})
    assert (
        below_prefix(answer, "http://host.test/community").headers["Set-Cookie"]
        == "a=b; HttpOnly; Path=/community/"
    )
    assert below_prefix(answer, "http://host.test") is answer


async def test_the_application_around_it_uses_the_same_square(plain_place: Place) -> None:
    community = townsquare.asgi(settings=plain_place.settings())

    async def members(request: Request) -> Response:
        return PlainTextResponse((await community.square.social.profiles.get("alice")).username)

    app = Starlette(routes=[Route("/members", members), Mount("/c", community)], lifespan=community.lifespan)
    async with visit(app, community.lifespan) as client:
        await client.post("/c/accounts/signup", json=ALICE)
        assert (await client.get("/members")).text == "alice"


async def test_a_site_without_its_lifespan_says_what_to_do(plain_place: Place) -> None:
    app = FastAPI()
    app.mount("/community", townsquare.asgi(settings=plain_place.settings()))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://host.test") as client:
        with pytest.raises(RuntimeError, match=r"lifespan=community\.lifespan"):
            await client.get("/community/")


async def test_a_public_address_below_a_path_is_a_prefix_too(plain_place: Place) -> None:
    """A proxy that takes the prefix off before it asks us."""
    community = townsquare.asgi(settings=plain_place.settings(public_url="https://example.org/community"))
    async with visit(community, community.lifespan) as client:
        page = (await client.get("/social", headers={"Accept": "text/html"})).text
    assert 'src="/community/social/assets/social.js"' in page

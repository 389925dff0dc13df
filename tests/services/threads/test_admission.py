"""One admission for every way to write a comment: our routes, ThreadKit's client, the form, posts."""

from collections.abc import Awaitable, Callable
from hashlib import sha256

import httpx
import pytest

from tests.services.threads.world import ORIGIN, World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads.models.sites import RateLimits, SiteSettings
from townsquare.services.threads.service.post_comments import SITE_ID

Write = Callable[[str], Awaitable[httpx.Response]]


class Ways:
    """Each way to write a comment, as a visitor who is new each time; on posts as one user."""

    def __init__(self, world: World, http: httpx.AsyncClient) -> None:
        self._world = world
        self._http = http
        self.site = {"X-API-Key": world.site.api_key_public, "Origin": ORIGIN}

    async def own(self, text: str) -> httpx.Response:
        name = {"name": "Ann", "device_id": sha256(text.encode()).hexdigest()[:16]}
        signed = await self._http.post("/threads/v1/session/anonymous", json=name, headers=self.site)
        headers = self.site | bearer(signed.json()["access_token"])
        body = {"content": text, "page_url": "/hello"}
        return await self._http.post("/threads/v1/comments", json=body, headers=headers)

    async def threadkit(self, text: str) -> httpx.Response:
        signed = await self._http.post("/threadkit/v1/auth/anonymous", json={}, headers=self.site)
        headers = self.site | bearer(signed.json()["token"])
        body = {"content": text, "page_url": "/hello"}
        return await self._http.post("/threadkit/v1/comments", json=body, headers=headers)

    async def form(self, text: str) -> httpx.Response:
        params = {"site": self._world.site.api_key_public, "page_url": "/hello"}
        form = {"name": "Ann", "content": text}
        own_page = {"Origin": "http://square.test"}
        return await self._http.post("/threads/v1/embed", params=params, data=form, headers=own_page)

    async def post(self) -> Write:
        account = await self._world.square.accounts.sign_up("ann")
        signed = await self._world.square.accounts.sessions.issue(account, "password", Client(ip="1.2.3.4"))
        post = await self._world.square.social.posts.create("ann", "look")

        async def write(text: str) -> httpx.Response:
            path, headers = f"/social/posts/{post.id}/comments", bearer(signed.access_token)
            return await self._http.post(path, json={"content": text}, headers=headers)

        return write


async def statuses(write: Write, count: int) -> list[int]:
    return [(await write(f"text {number}")).status_code for number in range(count)]


@pytest.mark.parametrize("way", ["own", "threadkit", "form"])
async def test_each_way_asks_the_unknown_for_work(world: World, http: httpx.AsyncClient, way: str) -> None:
    write: Write = getattr(Ways(world, http), way)
    written = await statuses(write, 3)
    assert all(status < 400 for status in written)
    refused = await write("a fourth in ten minutes")
    if way == "own":
        assert (refused.status_code, refused.json()["code"]) == (403, "proof_required")
    else:  # these clients cannot solve a challenge
        assert refused.status_code == 429
        assert "Wait ten minutes" in refused.text
    assert (await world.thread()).total == 3


@pytest.mark.parametrize("way", ["own", "threadkit", "form", "post"])
async def test_each_way_has_the_limit_of_the_site(plain_place: Place, clock: PinnedClock, way: str) -> None:
    async with open_world(plain_place, clock, rate_limits="on") as world, browse(world.square) as http:
        settings = SiteSettings(proof_of_work=False, rate_limits=RateLimits(comments=2))
        ways = Ways(world, http)
        write = await ways.post() if way == "post" else getattr(ways, way)
        if way == "post":
            await write("this makes the site of all posts")
            clock.move(minutes=1)
            await world.threads.sites.change(SITE_ID, settings=settings)
        else:
            await world.threads.sites.change(world.site.id, settings=settings)
        first, second, third = await statuses(write, 3)
        assert (first < 400, second < 400, third) == (True, True, 429)
        clock.move(minutes=1)
        assert (await write("a minute later")).status_code < 400


async def test_an_account_counts_by_itself(plain_place: Place, clock: PinnedClock) -> None:
    async with open_world(plain_place, clock, rate_limits="on") as world, browse(world.square) as http:
        limits = RateLimits(comments=2)
        await world.settings(proof_of_work=False, rate_limits=limits)
        for name in ("ann", "bob"):
            account = await world.square.accounts.sign_up(name)
            signed = await world.square.accounts.sessions.issue(account, "password", Client(ip="1.2.3.4"))
            headers = Ways(world, http).site | bearer(signed.access_token)
            answers = [
                await http.post(
                    "/threads/v1/comments",
                    json={"content": f"{name} {number}", "page_url": "/hello"},
                    headers=headers,
                )
                for number in range(3)
            ]
            assert [answer.status_code for answer in answers] == [201, 201, 429]
            assert answers[2].json()["code"] == "rate_limited"
            assert 0 < int(answers[2].headers["retry-after"]) <= 60


async def test_threadkit_signs_in_as_the_site_allows(world: World, http: httpx.AsyncClient) -> None:
    headers = Ways(world, http).site
    await world.settings(sign_in=("google",))
    for path, body in (
        ("anonymous", {}),
        ("send-otp", {"email": "ann@example.org"}),
        ("verify-otp", {"email": "ann@example.org", "code": "123456", "name": "Ann"}),
    ):
        refused = await http.post(f"/threadkit/v1/auth/{path}", json=body, headers=headers)
        assert refused.status_code == 403, path
    await world.square.accounts.delivered()
    assert world.letters.sent == []
    assert await world.square.accounts.users.count_visitors() == 0

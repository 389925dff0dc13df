"""Pageviews, what a site uses in a month, and the limits that its owner sets."""

import asyncio

import httpx
import pytest

from tests.services.threads.live_clients import process_of
from tests.services.threads.test_access import by_public, by_secret, token_of
from tests.services.threads.test_seed_keys import kind_of
from tests.services.threads.world import ORIGIN, World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse, client_of
from townsquare.clock import day_of
from townsquare.problems import Unavailable
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Display, RateLimits
from townsquare.services.threads.service.usage import last_months
from townsquare.web.site import site_of

VIEWS = "/threads/v1/pageviews"
USAGE = "/threads/v1/site/usage"
READ = "/threads/v1/comments?page_url=/hello"


async def test_a_view_counts_once_per_visitor_and_half_an_hour(world: World, clock: PinnedClock) -> None:
    app = site_of(world.square)
    headers = by_public(world)

    async def view(ip: str, agent: str = "x") -> bool:
        async with client_of(app, ip) as client:
            answer = await client.post(
                VIEWS, json={"page_url": "/hello"}, headers={**headers, "User-Agent": agent}
            )
            counted: bool = answer.json()["counted"]
            return counted

    assert [await view("1.1.1.1"), await view("1.1.1.1"), await view("1.1.1.2")] == [True, False, True]
    assert [await view("2001:db8::1"), await view("2001:db8::2")] == [True, False]
    assert await view("1.1.1.1", "another") is True
    page = await world.page()
    today = day_of(clock.now_ms())
    assert await world.store.get(keys.page_views(page.id)) == 4
    assert await world.store.get(keys.page_views_daily(page.id, today)) == 4
    assert await kind_of(world, keys.page_views(page.id)) == ("string", False)
    left = await world.store.call("TTL", keys.page_views_daily(page.id, today))
    assert 89 * 86_400 < left <= 90 * 86_400
    async with client_of(app) as client:
        await client.get(READ, headers=headers)
        assert await world.store.get(keys.page_views(page.id)) == 4
        asked = f"{VIEWS}?page_url=/hello"
        assert (await client.get(asked, headers=headers)).json()["code"] == "moderators_only"
        expected = {"page_id": page.id, "total": 4, "days": {today.isoformat(): 4}}
        assert (await client.get(asked, headers=by_secret(world))).json() == expected
        await world.settings(display=Display(pageviews=True))
        assert (await client.get(asked, headers=headers)).json() == expected
        shown = await client.post(VIEWS, json={"page_url": "/hello"}, headers=headers)
        assert shown.json() == {"counted": True, "total": 5}
    await world.check()


async def test_usage_is_metered_by_month(world: World, clock: PinnedClock) -> None:
    ann = await world.user("ann")
    await world.comment(ann)
    async with process_of(world) as here, here.client() as client:
        await client.subscribe()
        await client.say("ping")
        await client.hear("pong")
    async with browse(world.square) as http:
        for _ in range(3):
            await http.get(READ, headers=by_public(world))
        await http.post(VIEWS, json={"page_url": "/hello"}, headers=by_public(world))
        usage_key = keys.site_usage(world.site.id, "2026-03")
        assert await world.record(usage_key) == {}  # counted in the process until it is flushed
        await asyncio.gather(*(world.threads.usage.flush() for _ in range(3)))
        expected = {"comments": "1", "pageviews": "1", "api_requests": "5", "websocket_connections": "1"}
        assert await world.record(usage_key) == expected
        visitors = keys.site_visitors(world.site.id, "2026-03")
        assert await world.store.call("PFCOUNT", visitors) == 1
        for key in (usage_key, visitors):
            assert 89 * 86_400 < await world.store.call("TTL", key) <= 90 * 86_400
        clock.set("2026-04-01T00:00:00.000Z")
        assert (await http.get(USAGE, headers=by_public(world))).json()["code"] == "admins_only"
        months = (await http.get(USAGE, headers=by_secret(world))).json()["months"]
        assert [month["month"] for month in months] == ["2026-04", "2026-03"]
        assert months[1] == {"month": "2026-03", "visitors": 1, **{k: int(v) for k, v in expected.items()}}
        assert months[0]["api_requests"] == 2
    await world.check()


async def test_what_could_not_be_written_is_counted_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise Unavailable

    for _ in range(7):
        world.threads.usage.add(world.site.id, "api_requests")
    with monkeypatch.context() as patched:
        patched.setattr(world.store, "run", away)
        with pytest.raises(Unavailable):
            await world.threads.usage.flush()
    world.threads.usage.add(world.site.id, "api_requests")
    (month,) = await world.threads.usage.read(world.site.id)
    assert month.api_requests == 8


def test_months_go_back_over_the_year() -> None:
    assert last_months("2026-02", 4) == ["2026-02", "2026-01", "2025-12", "2025-11"]


async def test_a_site_limits_keys_addresses_and_users(place: Place, clock: PinnedClock) -> None:
    async with open_world(place, clock, rate_limits="on") as world:
        await world.settings(rate_limits=RateLimits(key=12, ip=5, user=3, comments=1))
        app = site_of(world.square)
        _, token = await token_of(world, "ann")
        public = by_public(world)

        async def ask(ip: str, **more: str) -> httpx.Response:
            async with client_of(app, ip) as client:
                return await client.get(READ, headers={**public, **more})

        answers = [await ask(f"2001:db8::{number:x}") for number in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == [*"43210", "0"]
        assert answers[0].headers["ratelimit-policy"] == '"site_ip";q=5;w=60'
        assert answers[5].json()["code"] == "rate_limited"
        assert 0 < int(answers[5].headers["retry-after"]) <= 60
        assert answers[5].headers["ratelimit-limit"] == "5"
        signed_in = [await ask(f"1.1.1.{number}", **bearer(token)) for number in range(4)]
        assert [answer.status_code for answer in signed_in] == [200, 200, 200, 429]
        last = [(await ask(f"1.1.2.{number}")).status_code for number in range(3)]
        assert last == [200, 200, 429]  # twelve of this key were there before

        bucket = clock.now_ms() // 60_000
        counter = keys.ratelimit("ip", f"{world.site.id}.2001:db8::/64", bucket)
        assert await world.store.get(counter) == 6
        assert 0 < await world.store.call("TTL", counter) <= 60
        assert world.store.name(keys.ratelimit("ip", "192.168.1.1", bucket)).endswith(
            f":ratelimit:ip:192.168.1.1:{bucket}"
        )
        clock.move(minutes=1)
        assert (await ask("2001:db8::1")).status_code == 200
        async with client_of(app) as client:
            for expected in (201, 429):
                body = {"content": f"text {expected}", "page_url": "/hello"}
                written = await client.post(
                    "/threads/v1/comments", json=body, headers={**public, **bearer(token)}
                )
                assert written.status_code == expected
            for _ in range(8):  # the owner's back end speaks for many
                assert (await client.get(READ, headers=by_secret(world))).status_code == 200


async def test_each_site_counts_on_its_own(place: Place, clock: PinnedClock) -> None:
    async with open_world(place, clock, rate_limits="on") as world:
        limits = RateLimits(key=0, ip=4, user=3, comments=1)
        await world.settings(rate_limits=limits, sign_in=("code", "anonymous"), anonymous=True)
        second = await world.threads.sites.create(
            "A shop", "shop.example.com", settings=(await world.key()).settings
        )
        sites = [
            {"X-API-Key": one.api_key_public, "Origin": f"https://{one.domain}"}
            for one in (world.site, second)
        ]
        app = site_of(world.square)
        _, token = await token_of(world, "ann")
        for site_headers in sites:
            async with client_of(app, "1.1.1.1") as client:
                signed_in = [
                    await client.get(READ, headers={**site_headers, **bearer(token)}) for _ in range(4)
                ]
                assert [one.status_code for one in signed_in] == [200, 200, 200, 429]
                assert (await client.get(READ, headers=site_headers)).status_code == 429  # by its address
        clock.move(minutes=1)
        for site_headers in sites:
            for ip, headers in (("1.1.1.2", bearer(token)), ("1.1.1.3", {})):
                async with client_of(app, ip) as client:
                    if not headers:
                        entered = await client.post(
                            "/threads/v1/session/anonymous",
                            json={"name": "Bob", "device_id": "0" * 32},
                            headers=site_headers,
                        )
                        headers = bearer(entered.json()["access_token"])
                    for number, expected in enumerate((201, 429)):
                        body = {"content": f"text {ip} {number}", "page_url": "/hello"}
                        written = await client.post(
                            "/threads/v1/comments", json=body, headers={**site_headers, **headers}
                        )
                        assert written.status_code == expected, written.text


async def test_a_hundred_requests_at_once_are_counted_exactly(place: Place, clock: PinnedClock) -> None:
    async with open_world(place, clock, rate_limits="on") as world, browse(world.square) as http:
        await world.settings(rate_limits=RateLimits(key=0, ip=40, user=0, comments=0))
        headers = {"X-API-Key": world.site.api_key_public, "Origin": ORIGIN}
        answers = await asyncio.gather(*(http.get(READ, headers=headers) for _ in range(100)))
        assert sorted(answer.status_code for answer in answers) == [200] * 40 + [429] * 60

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest

from tests.services.accounts.door import LAPTOP, PASSWORD
from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse, open_square
from townsquare.keyspace import Role
from townsquare.services.accounts.keys import session as session_key
from townsquare.services.accounts.models import AccountStatus, UserProfile, UserRole
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.square import Square
from townsquare.store.keys import LastCheck, last_check
from townsquare.store.keys import secret as secret_key
from townsquare.store.wire.protocol import RedisProtocol
from townsquare.web.console import ROOMS
from townsquare.web.metric_totals import HISTORY, SECONDS, Increments, RequestCounts, Totals

ASSETS = ("console.js", "console.css")
WALKS = ("doctor", "user/deletion")  # they read all that they report on
ROUND_TRIPS = 2
LARGEST_PAGE = 100_000  # bytes
VIEWS = [f"/console/views/{room.view}" for room in ROOMS]


@pytest.fixture
async def http(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(square) as client:
        yield client


async def sign_up(square: Square, name: str, role: UserRole = UserRole.USER) -> SignedIn:
    profile = UserProfile(username=name, email=f"{name}@example.org")
    signed_up = await square.accounts.password.sign_up(profile, PASSWORD, LAPTOP)
    if role is UserRole.USER:
        return signed_up
    await square.accounts.users.set_role(signed_up.user.id, role)
    return await square.accounts.password.sign_in(name, PASSWORD, LAPTOP)


async def get(http: httpx.AsyncClient, path: str, token: str, **query: Any) -> httpx.Response:
    return await http.get(path, params=query, headers=bearer(token) if token else {})


async def view(http: httpx.AsyncClient, room: str, admin: SignedIn, **query: Any) -> str:
    response = await get(http, f"/console/views/{room}", admin.access_token, **query)
    assert response.status_code == 200, response.text
    html: str = response.json()["html"]
    return html


@pytest.mark.parametrize("path", VIEWS)
async def test_only_admins_get_a_view(square: Square, http: httpx.AsyncClient, path: str) -> None:
    user = await sign_up(square, "alice")
    others = [await sign_up(square, role, role) for role in UserRole if role not in ("user", "admin")]
    admin = await sign_up(square, "root", UserRole.ADMIN)
    query = {"id": user.user.id}
    assert (await get(http, path, "", **query)).status_code == 401
    assert (await get(http, path, "not-a-token", **query)).status_code == 401
    for other in (user, *others):
        assert (await get(http, path, other.access_token, **query)).status_code == 403
    assert (await get(http, path, admin.access_token, **query)).status_code == 200
    await square.accounts.sessions.end_all(admin.user.id)
    assert (await get(http, path, admin.access_token, **query)).status_code == 401


@pytest.mark.parametrize("change", ["demoted", "suspended", "signed out", "deleted"])
async def test_an_admin_who_is_none_any_more_is_refused_in_every_process(
    square: Square, http: httpx.AsyncClient, place: Place, clock: PinnedClock, change: str
) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    async with open_square(place, clock) as other, browse(other) as elsewhere:
        for client in (http, elsewhere):
            assert (await get(client, "/console/views/audit", admin.access_token)).status_code == 200
        users = square.accounts.users
        match change:
            case "demoted":
                await users.set_role(admin.user.id, UserRole.USER)
            case "suspended":
                await users.set_status(admin.user.id, AccountStatus.SUSPENDED)
            case "signed out":
                await square.accounts.sessions.end_all(admin.user.id)
            case "deleted":
                await square.accounts.privacy.delete(admin.user.id)
        for client in (http, elsewhere):
            assert (await get(client, "/console/views/audit", admin.access_token)).status_code in (401, 403)


async def test_a_page_has_no_data_and_a_view_takes_no_cookie_and_no_token_in_the_address(
    square: Square, http: httpx.AsyncClient
) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    for room in ROOMS:
        page = await http.get(f"/console{room.path}", headers={"Accept": "text/html"})
        assert page.status_code == 200
        assert "root@example.org" not in page.text
        assert "default-src 'self'" in page.headers["content-security-policy"]
    for query, cookie in (({"access_token": admin.access_token}, ""), ({}, admin.access_token)):
        path = "/console/views/audit"
        headers = {"Cookie": f"access_token={cookie}; session={cookie}", "Origin": "https://evil.example"}
        assert (await http.get(path, params=query, headers=headers)).status_code == 401


async def test_text_of_users_is_escaped(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    hostile = '"><img src=x onerror=alert(1)>'
    found = await view(http, "users", admin, q=hostile, status="", role="")
    assert "<img" not in found
    await square.accounts.audit.add(admin.user.id, hostile, hostile, hostile)
    assert "<img" not in await view(http, "audit", admin)


async def test_users_are_found_listed_and_shown(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    bob = await sign_up(square, "bob")
    for who in ("bob", "bob@example.org", bob.user.id):
        found = await view(http, "users", admin, q=who)
        assert bob.user.id in found
        assert admin.user.id not in found
    assert admin.user.id not in await view(http, "users", admin, role="user")
    assert bob.user.id not in await view(http, "users", admin, role="admin")
    assert "Nobody" in await view(http, "users", admin, status="suspended")
    shown = await view(http, "user", admin, id=bob.user.id)
    assert "bob@example.org" in shown
    assert "laptop" in shown
    deletion = await view(http, "user/deletion", admin, id=bob.user.id)
    assert "accounts.user" in deletion
    missing = await get(http, "/console/views/user", admin.access_token, id="usr_" + "0" * 32)
    assert missing.status_code == 404


async def test_the_settings_are_shown_without_secrets(place: Place, clock: PinnedClock) -> None:
    token = "an-admin-token-that-nobody-guesses"
    async with open_square(place, clock, admin_token=token, smtp_url="smtp://me:hidden@mail") as square:
        admin = await sign_up(square, "root", UserRole.ADMIN)
        async with browse(square) as http:
            shown = await view(http, "settings", admin)
            assert (await get(http, "/console/views/settings", token)).status_code == 200
    assert "body_limit" in shown
    assert token not in shown
    assert "hidden" not in shown.replace("***", "")


async def test_a_key_is_shown_without_secrets(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    shown = await view(http, "keys", admin, name=f"accounts:user:{admin.user.id}")
    assert "root@example.org" in shown
    assert "argon2" not in shown
    sessions = await view(http, "keys", admin, name=f"accounts:user:{admin.user.id}:sessions")
    (session,) = await square.accounts.sessions.list(admin.user.id)
    assert session.id in sessions
    stored = await square.store.get(session_key(session.id))
    assert stored is not None
    assert str(stored["refresh"]) not in await view(
        http, "keys", admin, name=f"accounts:session:{session.id}"
    )
    secret = await square.store.get(secret_key())
    assert secret is None or secret not in await view(http, "keys", admin, name="system:secret")
    missing = await get(http, "/console/views/keys", admin.access_token, name="nonsense")
    assert 400 <= missing.status_code < 500


async def test_the_last_check_is_shown(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    assert "townsquare check" in await view(http, "integrity", admin)
    found = msgspec.json.encode(LastCheck(began_at=0, finished_at=2000, keys=1234, findings=7))
    await square.store.call("SET", last_check(), found)
    shown = await view(http, "integrity", admin)
    assert "1,234" in shown
    assert ">7<" in shown


async def test_a_site_is_listed_with_what_waits(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    assert "There is no site" in await view(http, "sites", admin)
    await square.threads.sites.create("My blog", "blog.example")
    assert "blog.example" in await view(http, "sites", admin)


async def test_a_page_is_small_and_takes_two_round_trips(
    square: Square, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    for number in range(60):
        profile = UserProfile(username=f"user-{number}", email=f"somebody.{number}@example.org")
        await square.accounts.users.create(profile)
        await square.accounts.audit.add(admin.user.id, "user.status", admin.user.id, "suspended")
    clustered = square.store.role_stores[Role.DATA].nodes.clustered  # there, one round trip takes many writes
    writes: list[object] = []
    flush = RedisProtocol._flush

    def counted(self: RedisProtocol) -> None:
        if self._unwritten:
            writes.append(self)
        flush(self)

    monkeypatch.setattr(RedisProtocol, "_flush", counted)
    for room in ROOMS:
        page = await http.get(f"/console{room.path}")
        await view(http, room.view, admin, id=admin.user.id)  # from here on the session is cached
        writes.clear()
        html = await view(http, room.view, admin, id=admin.user.id)
        if room.view not in WALKS and not clustered:
            most = max(Counter(writes).values(), default=0)  # per connection
            assert most <= ROUND_TRIPS, room.view
        files = [
            (await http.get(f"/console/assets/{name}")).content for name in ("console.js", "console.css")
        ]
        assert len(page.content) + len(html) + sum(map(len, files)) < LARGEST_PAGE


def test_the_history_has_a_point_for_every_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0 * 60
    monkeypatch.setattr("townsquare.web.metric_totals.time.time", lambda: now)
    totals = Totals()
    fast, slow = [0] * (len(SECONDS) + 1), [0] * (len(SECONDS) + 1)
    fast[0], slow[6] = 94, 6
    totals.add(Increments([RequestCounts("GET", "/", "200", fast, 0.1)]))
    totals.add(Increments([RequestCounts("GET", "/", "500", slow, 0.6)], [("connections", (), 7)]))
    now += 3 * 60
    minutes = totals.minutes()
    assert [one.requests for one in minutes] == [100, 0, 0, 0]
    assert (minutes[0].errors, minutes[0].connections) == (6, 7)
    assert (minutes[0].quantile(0.5), minutes[0].quantile(0.95)) == (SECONDS[0], SECONDS[6])
    now += 2 * HISTORY * 60
    assert [one.requests for one in totals.minutes()] == [0]
    now -= 10 * HISTORY * 60
    assert [one.requests for one in totals.minutes()] == [0]

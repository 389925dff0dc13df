import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest

from tests.services.accounts.door import LAPTOP, PASSWORD
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, bearer, browse, open_square
from townsquare.keyspace import Role
from townsquare.services.accounts.keys import session as session_key
from townsquare.services.accounts.models import AccountStatus, UserProfile, UserRole
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.services.threads.models.sites import SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.square import Square
from townsquare.store.keys import LastCheck, last_check, lease
from townsquare.store.keys import secret as secret_key
from townsquare.store.wire.protocol import RedisProtocol
from townsquare.web.console import ROOMS
from townsquare.web.console.actions import action_routes
from townsquare.web.metric_totals import HISTORY, SECONDS, Increments, RequestCounts, Totals
from townsquare.web.metrics import Metrics

ASSETS = ("console.js", "console.css")
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


async def test_only_admins_act(square: Square, http: httpx.AsyncClient) -> None:
    """No cookie, header or origin of another site replaces the token of an active admin."""
    user = await sign_up(square, "alice")
    others = [await sign_up(square, role, role) for role in UserRole if role not in ("user", "admin")]
    former = await sign_up(square, "former", UserRole.ADMIN)
    await square.accounts.users.set_status(former.user.id, AccountStatus.SUSPENDED)
    counter = await square.widgets.counter.create("https://blog.example/", "a secret of the owner")
    given = {"kind": "counter", "id": counter.id, "site_id": "x", "comment_id": "x", "reporter_id": "x"}
    actions = action_routes(square, Metrics(), {"threads", "widgets"}).endpoints
    assert len(actions) >= 6
    account = f"/accounts/users/{user.user.id}"
    paths = [(one.method, one.path) for one in actions] + [
        ("PATCH", account),
        ("DELETE", account),
        ("DELETE", f"{account}/sessions"),
        ("POST", f"{account}/export"),
    ]
    evil = {"Origin": "https://evil.example", "Cookie": f"access_token={former.access_token}"}
    for method, path in paths:
        for headers in ({}, evil, bearer("not-a-token"), bearer(former.access_token) | evil):
            response = await http.request(method, path, json=given, headers=headers)
            assert response.status_code == 401, (path, headers)
        for other in (user, *others):
            headers = bearer(other.access_token)
            assert (await http.request(method, path, json=given, headers=headers)).status_code == 403, path
    await square.accounts.users.get(user.user.id)  # raises if it is gone
    await square.widgets.counter.get(counter.id)
    assert (await square.accounts.audit.page())[0] == []


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
    assert "Check now" in await view(http, "integrity", admin)
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
    await square.threads.sites.create("My blog", "blog.example", admin_id=admin.user.id)
    (site,) = (await square.threads.sites.list_all()).items
    key = await square.threads.sites.by_key(site.api_key_public)
    writer = Viewer(site_id=site.id, user_id=admin.user.id)
    await square.threads.sites.change(site.id, settings=SiteSettings(moderation="pre"))
    await square.threads.comments.create(writer, key, page_address(key, "/"), "hello")
    await square.widgets.counter.create("https://blog.example/", "a secret of the owner")
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
        if not clustered:
            most = max(Counter(writes).values(), default=0)  # per connection
            assert most <= ROUND_TRIPS, room.view
        files = [
            (await http.get(f"/console/assets/{name}")).content for name in ("console.js", "console.css")
        ]
        assert len(page.content) + len(html) + sum(map(len, files)) < LARGEST_PAGE


async def test_a_check_is_started_and_repairs(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    await square.widgets.counter.create("https://blog.example/", "a secret of the owner")
    index = square.store.registry.by_name["widgets.counters_index"]()
    await square.store.call("ZADD", index, 1, "nobody-00000000")
    sent = [http.post("/console/integrity", headers=bearer(admin.access_token)) for _ in range(100)]
    statuses = Counter(response.status_code for response in await asyncio.gather(*sent))
    assert statuses == {202: 1, 409: 99}
    assert "a check runs" in await view(http, "integrity", admin)
    shown = await view_with(http, "integrity", admin, "Repair")
    assert "nobody-00000000" in shown
    assert ">found<" in shown
    tree = await view(http, "keys", admin)
    assert "of=widgets.counters_index" in tree
    await no_check_runs(square)
    response = await http.post("/console/integrity/repair", headers=bearer(admin.access_token))
    assert response.status_code == 202
    await view_with(http, "integrity", admin, ">repaired<")
    await no_check_runs(square)
    await assert_clean(square.store)
    log = [one.action for one in (await square.accounts.audit.page())[0]]
    assert log == ["integrity.repair", "integrity.check"]


async def no_check_runs(square: Square) -> None:
    async with asyncio.timeout(30):
        while await square.store.get(lease("integrity")):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def view_with(http: httpx.AsyncClient, room: str, admin: SignedIn, text: str) -> str:
    async with asyncio.timeout(60):
        while text not in (shown := await view(http, room, admin)):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return shown


async def test_what_waits_on_all_sites_is_moderated(
    square: Square, http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    alice = await sign_up(square, "alice")
    made = []
    for number in range(3):
        site = await square.threads.sites.create(f"Blog {number}", f"blog{number}.example")
        held = SiteSettings(moderation="pre" if number < 2 else "post")
        await square.threads.sites.change(site.id, settings=held)
        key = await square.threads.sites.by_key(site.api_key_public)
        viewer = Viewer(site_id=site.id, user_id=alice.user.id)
        clock.move(seconds=60)
        page = page_address(key, "/")
        comment = (await square.threads.comments.create(viewer, key, page, f"text <{number}>")).comment
        made.append((site.id, comment.id))
    reporter = Viewer(site_id=made[2][0], user_id=admin.user.id)
    await square.threads.comments.report(reporter, key, made[2][1], "spam", "look")
    shown = await view(http, "moderation", admin)
    places = [shown.index(f"text &lt;{number}&gt;") for number in range(3)]
    assert places == sorted(places)
    assert "spam: look" in shown

    async def act(action: str, number: int, **more: str) -> httpx.Response:
        given = {"site_id": made[number][0], "comment_id": made[number][1], **more}
        return await http.post(
            f"/console/moderation/{action}", json=given, headers=bearer(admin.access_token)
        )

    many = await asyncio.gather(*(act("approve", 0) for _ in range(100)))
    assert Counter(one.json()["changed"] for one in many) == {True: 1, False: 99}
    assert (await act("reject", 1)).json() == {"changed": True}
    assert (await act("dismiss", 2, reporter_id=admin.user.id)).json() == {"changed": True}
    elsewhere = {"site_id": made[1][0], "comment_id": made[0][1]}
    headers = bearer(admin.access_token)
    for action in ("approve", "reject"):
        refused = await http.post(f"/console/moderation/{action}", json=elsewhere, headers=headers)
        assert refused.status_code == 404
    as_user = bearer(alice.access_token)
    refused = await http.post("/console/moderation/approve", json=elsewhere, headers=as_user)
    assert refused.status_code == 403
    assert "Nothing waits" in await view(http, "moderation", admin)
    entries = (await square.accounts.audit.page(limit=200))[0]
    assert {"comment.approve", "comment.reject", "report.dismiss"} <= {one.action for one in entries}
    await assert_clean(square.store)


async def test_widgets_are_listed_found_and_deleted(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    counter = await square.widgets.counter.create("https://blog.example/", "a secret of the owner")
    await square.widgets.bbs.create("https://blog.example/", "a secret of the owner", title="Board")
    shown = await view(http, "widgets", admin)
    assert counter.id in shown
    assert "1 counter, 0 like, 0 ranking, 1 bbs" in shown
    assert counter.id in await view(http, "widgets", admin, url="https://blog.example/")
    assert "no such widget" in await view(http, "widgets", admin, url="https://other.example/")
    assert "Messages" in await view(http, "widgets", admin, kind="bbs")
    given = {"kind": "counter", "id": counter.id}
    deleted = await http.post("/console/widgets/delete", json=given, headers=bearer(admin.access_token))
    assert deleted.status_code == 200
    again = await http.post("/console/widgets/delete", json=given, headers=bearer(admin.access_token))
    assert again.status_code == 404
    assert counter.id not in await view(http, "widgets", admin)
    newest, first = (await square.accounts.audit.page())[0][:2]
    assert (newest.outcome, first.target) == ("widget_not_found", f"counter {counter.id}")
    await assert_clean(square.store)


async def test_the_keys_of_a_declaration_are_listed(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    assert "not been counted" in await view(http, "keys", admin)
    found: set[str] = set()
    cursor = ""
    while True:
        shown = await view(http, "keys", admin, of="accounts.user", cursor=cursor)
        found |= {admin.user.id} if admin.user.id in shown else set()
        following = re.search(r"cursor=([0-9-]+)", shown)
        if following is None:
            break
        cursor = following[1]
    assert found
    for query in ({"of": "nothing"}, {"of": "accounts.user", "cursor": "9999-0"}):
        refused = await get(http, "/console/views/keys", admin.access_token, **query)
        assert 400 <= refused.status_code < 500


async def test_changes_of_sites_are_logged(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    headers = bearer(admin.access_token)
    given = {"name": "My blog", "domain": "blog.example"}
    site = (await http.post("/threads/v1/sites", json=given, headers=headers)).json()
    key = {"X-API-Key": site["api_key_secret"]}
    changed = await http.patch("/threads/v1/site", json={"name": "Our blog"}, headers=key)
    assert changed.status_code == 200
    rotated = await http.post("/threads/v1/site/keys", json={"which": "public"}, headers=key)
    assert rotated.status_code == 200
    path = f"/threads/v1/site/members/{admin.user.id}"
    assert (await http.put(path, json={"role": "moderator"}, headers=key)).status_code == 200
    entries = (await square.accounts.audit.page())[0]
    assert [(one.by, one.action, one.detail) for one in entries] == [
        ("site key", "site.role", f"{admin.user.id} moderator"),
        ("site key", "site.rotate_key", "public"),
        ("site key", "site.change", "name"),
        (admin.user.id, "site.create", "blog.example"),
    ]
    assert "tsq_sec" not in str(entries)


async def test_a_preview_counts_what_a_deletion_deletes(square: Square, http: httpx.AsyncClient) -> None:
    admin = await sign_up(square, "root", UserRole.ADMIN)
    for number in range(3):
        await square.social.posts.create("root", f"post {number}")
    shown = await view(http, "user/deletion", admin, id=admin.user.id)
    assert re.search(r"social\.post</td><td class=\"number\">3<", shown)
    missing = await get(http, "/console/views/user/deletion", admin.access_token, id="usr_" + "0" * 32)
    assert missing.status_code == 404


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

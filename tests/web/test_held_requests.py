"""A request whose body is withheld is answered to who its sender is when the body has come."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from tests.web.asking import app_with, endpoint
from townsquare.services.accounts.models import AccountStatus, UserProfile, UserRole
from townsquare.services.accounts.signin.models import Client, SignedIn
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.web.app import App
from townsquare.web.site import site_of

HERE = Client("192.0.2.1")
PASSWORD = "correct horse battery"


@pytest.fixture
async def square(plain_place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    """Whose request waits is decided in the web layer: one layout tells it all."""
    async with open_square(plain_place, clock) as square:
        yield square


class HeldRequest:
    """A POST or PATCH of which the head has come, and the body not yet."""

    def __init__(self, app: App, method: str, path: str, body: dict[str, Any], token: str = "") -> None:
        self.waits = asyncio.Event()
        self.go_on = asyncio.Event()
        self._body = json.dumps(body).encode()
        self._sent: list[Any] = []
        headers = [
            (b"host", b"testserver"),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(self._body)).encode()),
        ]
        if token:
            headers.append((b"authorization", f"Bearer {token}".encode()))
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": headers,
            "client": ("203.0.113.9", 5000),
            "scheme": "http",
        }
        self._running = asyncio.ensure_future(app(scope, self._receive, self._send))

    async def _receive(self) -> Any:
        self.waits.set()
        await self.go_on.wait()
        return {"type": "http.request", "body": self._body, "more_body": False}

    async def _send(self, message: Any) -> None:
        self._sent.append(message)

    async def answer(self) -> tuple[int, dict[str, Any]]:
        self.go_on.set()
        return await self.head_or_timeout()

    async def head_or_timeout(self) -> tuple[int, dict[str, Any]]:
        await asyncio.wait_for(self._running, 10)
        return self._sent[0]["status"], json.loads(self._sent[1]["body"])


async def held(app: App, method: str, path: str, body: dict[str, Any], token: str = "") -> HeldRequest:
    request = HeldRequest(app, method, path, body, token)
    await asyncio.wait_for(request.waits.wait(), 10)
    return request


async def sign_up(square: Square, username: str) -> SignedIn:
    return await square.accounts.password.sign_up(UserProfile(username=username), PASSWORD, HERE)


async def test_an_administrator_who_is_demoted_meanwhile_is_none(square: Square) -> None:
    app, users = site_of(square), square.accounts.users
    me = (await sign_up(square, "alice")).user
    await users.set_role(me.id, UserRole.ADMIN)
    token = (await square.accounts.password.sign_in("alice", PASSWORD, HERE)).access_token
    request = await held(app, "PATCH", f"/accounts/users/{me.id}", {"role": "admin"}, token)
    await users.set_role(me.id, UserRole.USER)
    status, problem = await request.answer()
    assert (status, problem["code"]) == (401, "unauthorized")
    assert (await users.get(me.id)).role is UserRole.USER


async def test_a_request_held_across_a_rename_is_never_another_users(square: Square) -> None:
    app, users = site_of(square), square.accounts.users
    signed_in = await sign_up(square, "alice")
    request = await held(app, "POST", "/social/posts", {"content": "who am I?"}, signed_in.access_token)
    await users.change(signed_in.user.id, UserProfile(username="alison"))
    while await square.jobs.list():
        await square.jobs.run_open()  # the profile follows, and the name is free
    await sign_up(square, "alice")
    status, post = await request.answer()
    assert (status, post["username"]) == (201, "alison")
    assert not (await square.social.feeds.user_posts("alice", None)).items


@pytest.mark.parametrize("fate", ["suspended", "logged out", "deleted"])
async def test_who_is_gone_meanwhile_does_nothing_any_more(square: Square, fate: str) -> None:
    app, accounts = site_of(square), square.accounts
    signed_in = await sign_up(square, "alice")
    token, id = signed_in.access_token, signed_in.user.id
    request = await held(app, "POST", "/social/posts", {"content": "still here"}, token)
    if fate == "suspended":
        await accounts.users.set_status(id, AccountStatus.SUSPENDED)
    elif fate == "logged out":
        await accounts.sessions.end_all(id)
    else:
        await accounts.privacy.begin_deletion(id)
    assert (await request.answer())[0] == 401
    assert not (await square.social.feeds.explore(None)).items


async def test_a_body_that_does_not_come_in_time_is_told_so() -> None:
    app = app_with(endpoint(method="POST"), settings=Settings(body_seconds=0.02))
    request = await held(app, "POST", "/thing", {})
    status, problem = await request.head_or_timeout()
    assert (status, problem["code"]) == (408, "request_timeout")


async def test_who_is_signed_out_while_a_hash_is_made_sets_no_password(
    square: Square, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, accounts = site_of(square), square.accounts
    signed_in = await sign_up(square, "alice")
    hashed = accounts.password._passwords.hash

    async def signed_out_meanwhile(*given: Any) -> str:
        await accounts.sessions.end_all(signed_in.user.id)
        return await hashed(*given)

    monkeypatch.setattr(accounts.password._passwords, "hash", signed_out_meanwhile)
    body = {"currentPassword": PASSWORD, "newPassword": "another horse battery"}
    request = await held(app, "PUT", "/accounts/me/password", body, signed_in.access_token)
    assert (await request.answer())[0] == 401
    await accounts.password.sign_in("alice", PASSWORD, HERE)  # the one before still holds

from collections.abc import Mapping
from typing import Any

import pytest

from tests.web.asking import Reply, app_with, ask, endpoint, remembering
from tests.web.test_limits import FEW, FixedWindows
from townsquare.api import Auth, Call, Identity
from townsquare.settings import Settings

ADMIN = {"Authorization": "Bearer open-sesame"}
USER = {"Authorization": "Bearer ann"}


async def known_users(token: str) -> Identity | None:
    return Identity(token) if token == "ann" else None


async def ask_as(auth: Auth, headers: Mapping[str, str] = {}, **parts: Any) -> tuple[Reply, list[Call]]:
    calls: list[tuple[Call, Any]] = []
    app = app_with(endpoint(run=remembering(calls), auth=auth), **parts)
    return await ask(app, "GET", "/thing", headers=headers), [call for call, _ in calls]


@pytest.mark.parametrize("auth", [Auth.USER, Auth.ADMIN])
async def test_without_a_token_a_caller_is_told_how_to_sign_in(auth: Auth) -> None:
    reply, calls = await ask_as(auth)
    assert (reply.status, reply.json["code"]) == (401, "unauthorized")
    assert reply.headers["www-authenticate"] == 'Bearer realm="townsquare"'
    assert not calls


@pytest.mark.parametrize("auth", [Auth.USER, Auth.ADMIN, Auth.OPTIONAL])
@pytest.mark.parametrize("given", ["Bearer wrong", "Bearer", "Basic YTpi", "Bearer \xff", "nonsense"])
async def test_a_token_that_is_not_valid_is_refused_even_where_none_is_needed(auth: Auth, given: str) -> None:
    reply, _ = await ask_as(auth, {"Authorization": given}, authenticate=known_users)
    assert reply.status == 401
    assert 'error="invalid_token"' in reply.headers["www-authenticate"]


async def test_a_user_is_known_to_the_endpoint() -> None:
    for auth in (Auth.USER, Auth.OPTIONAL):
        reply, calls = await ask_as(auth, USER, authenticate=known_users)
        assert reply.status == 200
        assert calls[0].identity == Identity("ann")


async def test_where_a_token_is_optional_nobody_is_fine_too() -> None:
    reply, calls = await ask_as(Auth.OPTIONAL, authenticate=known_users)
    assert (reply.status, calls[0].identity) == (200, None)


async def test_where_no_token_is_asked_for_one_is_ignored() -> None:
    reply, calls = await ask_as(Auth.NONE, {"Authorization": "Bearer wrong"}, authenticate=known_users)
    assert (reply.status, calls[0].identity) == (200, None)


async def test_a_user_is_no_admin() -> None:
    reply, calls = await ask_as(Auth.ADMIN, USER, authenticate=known_users)
    assert (reply.status, reply.json["code"]) == (403, "forbidden")
    assert not calls


async def test_the_token_of_the_settings_is_the_admin() -> None:
    settings = Settings(admin_token="open-sesame")
    reply, calls = await ask_as(Auth.ADMIN, ADMIN, settings=settings)
    assert reply.status == 200
    assert calls[0].identity is not None
    assert calls[0].identity.role == "admin"


async def test_without_an_admin_token_nobody_is_admin() -> None:
    for given in ("Bearer ", "Bearer open-sesame"):
        reply, _ = await ask_as(Auth.ADMIN, {"Authorization": given})
        assert reply.status == 401


async def test_tokens_cannot_be_tried_out_without_limit() -> None:
    app = app_with(endpoint(auth=Auth.USER, limit=FEW), authenticate=known_users, limiter=FixedWindows())
    statuses = [
        (await ask(app, "GET", "/thing", headers={"Authorization": f"Bearer {guess}"})).status
        for guess in range(7)
    ]
    assert statuses == [401] * 5 + [429] * 2

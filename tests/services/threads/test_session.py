"""Signing in on the pages of a site: in the ways that it allows, from where it is."""

import re

import httpx
import pytest
from msgspec.structs import replace

from tests.services.threads.test_access import by_public, sso_token
from tests.services.threads.world import ORIGIN, World
from tests.support.squares import bearer
from townsquare.api import SESSION as SESSION_SCHEME
from townsquare.api import AnyEndpoint
from townsquare.services.accounts.models import UserProfile, UserRole
from townsquare.services.accounts.signin.models import Client

SESSION = "/threads/v1/session"
PASSWORD = "correct horse battery"
DEVICE = "3f2b9c1d7e6a45f8"


async def sign_up(world: World) -> str:
    profile = UserProfile(email="ann@example.org", username="ann")
    made = await world.square.accounts.password.sign_up(profile, PASSWORD, Client("192.0.2.1"))
    return made.user.id


async def test_a_guest_has_a_name_and_keeps_it(world: World, http: httpx.AsyncClient) -> None:
    told = (await http.get(SESSION, params={"site": world.site.api_key_public})).json()
    assert told["user"] is None
    assert told["site"]["sign_in"] == ["code", "password", "anonymous"]
    for _ in range(2):
        given = {"name": "Ann", "device_id": DEVICE}
        signed_in = (await http.post(f"{SESSION}/anonymous", json=given, headers=by_public(world))).json()
    headers = by_public(world, **bearer(signed_in["access_token"]))
    user = (await http.get(SESSION, headers=headers)).json()["user"]
    assert (user["name"], user["kind"], user["role"], user["named"]) == ("Ann", "anonymous", "user", True)
    assert await world.square.accounts.users.count_visitors() == 1
    renewed = await http.post(
        f"{SESSION}/refresh", json={"refresh_token": signed_in["refresh_token"]}, headers=by_public(world)
    )
    headers = by_public(world, **bearer(renewed.json()["access_token"]))
    assert (await http.delete(SESSION, headers=headers)).status_code == 204
    assert (await http.get(SESSION, headers=headers)).status_code == 401


async def test_a_member_signs_in_by_password(world: World, http: httpx.AsyncClient) -> None:
    user_id = await sign_up(world)
    given = {"login": "ann", "password": PASSWORD}
    answer = await http.post(f"{SESSION}/password", json=given, headers=by_public(world))
    headers = by_public(world, **bearer(answer.json()["access_token"]))
    await world.threads.sites.set_role(world.site.id, user_id, "moderator")
    user = (await http.get(SESSION, headers=headers)).json()["user"]
    assert (user["id"], user["name"], user["role"]) == (user_id, "ann", "moderator")


@pytest.mark.parametrize(
    ("way", "given"),
    [
        ("password", {"login": "ann", "password": PASSWORD}),
        ("anonymous", {"name": "Ann", "device_id": DEVICE}),
        ("code/send", {"email": "ann@example.org"}),
        ("code/verify", {"email": "ann@example.org", "code": "123456"}),
        ("google", {"id_token": "x", "origin": ORIGIN}),
        ("github", {"code": "x", "state": "y", "origin": ORIGIN}),
    ],
)
async def test_a_way_that_the_site_does_not_allow_is_closed(
    world: World, http: httpx.AsyncClient, way: str, given: dict[str, str]
) -> None:
    await sign_up(world)
    elsewhere = {**by_public(world), "Origin": "https://evil.org"}
    refused = await http.post(f"{SESSION}/{way}", json=given, headers=elsewhere)
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")
    await world.settings(sign_in=("sso",))
    refused = await http.post(f"{SESSION}/{way}", json=given, headers=by_public(world))
    assert (refused.status_code, refused.json()["code"]) == (403, "sign_in_to_comment")


async def test_a_session_is_for_a_page_of_the_site_alone(world: World, http: httpx.AsyncClient) -> None:
    """The window of the server asks, so it says for whom."""
    for way, proof in (("google", {"id_token": "x"}), ("github", {"code": "x", "state": "y"})):
        given = {**proof, "origin": "https://evil.org"}
        refused = await http.post(f"{SESSION}/{way}", json=given, headers=by_public(world))
        assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")


async def test_a_user_of_the_site_has_no_session_of_ours(world: World, http: httpx.AsyncClient) -> None:
    await world.settings(sso_keys=("k" * 40,))
    headers = by_public(world, **bearer(sso_token(world)))
    user = (await http.get(SESSION, headers=headers)).json()["user"]
    assert (user["name"], user["kind"]) == ("Ann of the site", "sso")
    assert (await http.delete(SESSION, headers=headers)).status_code == 401
    renamed = await http.put("/threads/v1/users/me", json={"name": "x"}, headers=headers)
    assert renamed.json()["code"] == "not_your_name"


async def test_what_a_site_gets_is_good_for_that_site_alone(world: World, http: httpx.AsyncClient) -> None:
    """Whatever else of the server asks for a user refuses the token of a widget, and so does another site."""
    user_id = await sign_up(world)
    await world.square.accounts.users.edit(user_id, lambda user: replace(user, role=UserRole.ADMIN))
    given = {"login": "ann", "password": PASSWORD}
    signed_in = (await http.post(f"{SESSION}/password", json=given, headers=by_public(world))).json()
    assert signed_in["user"] == {"id": user_id}  # neither address nor anything else of the account
    kit = await http.post("/threadkit/v1/auth/anonymous", json={"name": "Old"}, headers=by_public(world))
    for token in (signed_in["access_token"], kit.json()["token"]):
        assert (await http.get(SESSION, headers=by_public(world, **bearer(token)))).json()["user"]
        accepted = [
            endpoint.path
            for endpoint in endpoints_for_users(world)
            if (await ask_nothing(http, endpoint, token)).status_code != 401
        ]
        assert accepted == []
    other = await world.threads.sites.create("Other", "evil.org")
    there = {"X-API-Key": other.api_key_public, "Origin": "https://evil.org"}
    for token in (signed_in["access_token"], kit.json()["token"]):
        assert (await http.get(SESSION, headers={**there, **bearer(token)})).status_code == 401
    for refresh in (signed_in["refresh_token"], kit.json()["refresh_token"]):
        body = {"refresh_token": refresh}
        assert (await http.post("/accounts/refresh", json=body)).json()["code"] == "bad_refresh_token"
        refused = await http.post(f"{SESSION}/refresh", json=body, headers=there)
        assert refused.json()["code"] == "bad_refresh_token"
        renewed = await http.post(f"{SESSION}/refresh", json=body, headers=by_public(world))
        assert (
            await http.get("/accounts/me", headers=bearer(renewed.json()["access_token"]))
        ).status_code == 401
    sessions = await world.square.accounts.sessions.list(user_id)
    assert {one.scope for one in sessions} == {world.site.id}


async def test_a_session_of_the_account_that_a_site_renews_is_the_sites(
    world: World, http: httpx.AsyncClient
) -> None:
    """As those that widgets have from before tokens knew their site."""
    await sign_up(world)
    whole = await world.square.accounts.password.sign_in("ann", PASSWORD, Client("192.0.2.1"))
    assert (await http.get(SESSION, headers=by_public(world, **bearer(whole.access_token)))).json()["user"]
    body = {"refresh_token": whole.refresh_token}
    renewed = (await http.post(f"{SESSION}/refresh", json=body, headers=by_public(world))).json()
    assert (await http.get("/accounts/me", headers=bearer(renewed["access_token"]))).status_code == 401
    body = {"refresh_token": renewed["refresh_token"]}
    assert (await http.post("/accounts/refresh", json=body)).json()["code"] == "bad_refresh_token"


def endpoints_for_users(world: World) -> list[AnyEndpoint]:
    return [
        endpoint
        for service, built in world.square.enabled
        for endpoint in service.endpoints(built)
        if endpoint.auth.scheme is SESSION_SCHEME and endpoint.auth.required
    ]


async def ask_nothing(http: httpx.AsyncClient, endpoint: AnyEndpoint, token: str) -> httpx.Response:
    path = re.sub(r"{\w+}", "x", endpoint.path)
    params = {"action": endpoint.action} if endpoint.action else {}
    return await http.request(endpoint.method, path, params=params, headers=bearer(token))

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.services.accounts.door import EMAIL, LAPTOP, Door, open_door
from tests.services.accounts.issuers import CLIENT_ID, CLIENT_SECRET, OAuthServer
from tests.support.squares import assert_clean
from townsquare.services.accounts import keys
from townsquare.services.accounts.problems import NotLinked, ProviderAway, ProviderRefused, WayNotOffered
from townsquare.services.accounts.signin.models import OAuthCode, ProviderRedirect, SignedIn
from townsquare.square import Square

SERVER = "http://square.test"
RETURN = f"{SERVER}/accounts/sign-in"


@pytest.fixture
async def server() -> AsyncIterator[OAuthServer]:
    server = OAuthServer()
    async with server.running():
        yield server


@pytest.fixture
async def door(square: Square, server: OAuthServer) -> AsyncIterator[Door]:
    async with open_door(square, **settings_for(server)) as door:
        yield door


def settings_for(server: OAuthServer, **changes: str) -> dict[str, str]:
    return {
        "github_client_id": CLIENT_ID,
        "github_client_secret": CLIENT_SECRET,
        "github_url": server.url,
        "github_api_url": f"{server.url}/api",
        **changes,
    }


def asked(redirect: ProviderRedirect) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(redirect.url).query).items()}


async def come(door: Door, server: OAuthServer) -> SignedIn:
    redirect = await door.accounts.github.start(RETURN, SERVER)
    code = server.grant(asked(redirect))
    return await door.accounts.github.sign_in(OAuthCode(code, redirect.state), LAPTOP)


async def test_a_new_person_gets_an_account(door: Door, server: OAuthServer) -> None:
    signed_in = await come(door, server)
    assert (signed_in.user.email, signed_in.user.email_verified) == (EMAIL, True)
    assert await door.store.get(keys.provider_github("583231")) == signed_in.user.id
    assert (await come(door, server)).user.id == signed_in.user.id
    await assert_clean(door.store)


async def test_the_verifier_never_leaves_with_the_browser(door: Door, server: OAuthServer) -> None:
    redirect = await door.accounts.github.start(RETURN, SERVER)
    pending = await door.store.get(keys.pending_sign_in(redirect.state))
    assert pending is not None
    assert len(pending.verifier) >= 43
    assert pending.verifier not in redirect.url
    assert 0 < await door.store.call("TTL", keys.pending_sign_in(redirect.state)) <= 600


async def test_a_state_counts_once(door: Door, server: OAuthServer) -> None:
    redirect = await door.accounts.github.start(RETURN, SERVER)
    await door.accounts.github.sign_in(OAuthCode(server.grant(asked(redirect)), redirect.state), LAPTOP)
    with pytest.raises(ProviderRefused):
        await door.accounts.github.sign_in(OAuthCode(server.grant(asked(redirect)), redirect.state), LAPTOP)


@pytest.mark.parametrize(
    "state", ["", "short", "x" * 500, "never-given-to-anybody-000000", "with:colon-and-more-text"]
)
async def test_an_unknown_state_is_refused(door: Door, server: OAuthServer, state: str) -> None:
    code = server.grant(asked(await door.accounts.github.start(RETURN, SERVER)))
    with pytest.raises(ProviderRefused):
        await door.accounts.github.sign_in(OAuthCode(code, state), LAPTOP)


async def test_a_nonce_of_google_is_no_state_of_github(door: Door, server: OAuthServer) -> None:
    redirect = await door.accounts.github.start(RETURN, SERVER)
    await door.store.call("SET", keys.pending_sign_in(redirect.state), b'{"provider":"google"}', "EX", 60)
    with pytest.raises(ProviderRefused):
        await door.accounts.github.sign_in(OAuthCode(server.grant(asked(redirect)), redirect.state), LAPTOP)


async def test_a_stolen_code_is_worth_nothing_with_another_state(door: Door, server: OAuthServer) -> None:
    victims = await door.accounts.github.start(RETURN, SERVER)
    thiefs = await door.accounts.github.start(RETURN, SERVER)
    stolen = server.grant(asked(victims))
    with pytest.raises(ProviderRefused):
        await door.accounts.github.sign_in(OAuthCode(stolen, thiefs.state), LAPTOP)


async def test_a_wrong_code_is_refused(door: Door, server: OAuthServer) -> None:
    redirect = await door.accounts.github.start(RETURN, SERVER)
    with pytest.raises(ProviderRefused):
        await door.accounts.github.sign_in(OAuthCode("nonsense", redirect.state), LAPTOP)


async def test_a_wrong_client_secret_is_refused(square: Square, server: OAuthServer) -> None:
    async with open_door(square, **settings_for(server, github_client_secret="wrong")) as door:
        with pytest.raises(ProviderRefused):
            await come(door, server)


async def test_only_the_primary_verified_address_counts(door: Door, server: OAuthServer) -> None:
    server.emails = [
        {"email": EMAIL, "primary": True, "verified": False},
        {"email": "second@example.org", "primary": False, "verified": True},
    ]
    assert (await come(door, server)).user.email is None


async def test_an_unconfirmed_account_is_not_linked(door: Door, server: OAuthServer) -> None:
    await door.sign_up()
    with pytest.raises(NotLinked):
        await come(door, server)


async def test_github_being_away_is_said(door: Door, server: OAuthServer) -> None:
    redirect = await door.accounts.github.start(RETURN, SERVER)
    code = server.grant(asked(redirect))
    server.down = True
    with pytest.raises(ProviderAway):
        await door.accounts.github.sign_in(OAuthCode(code, redirect.state), LAPTOP)


async def test_without_a_client_github_is_not_offered(square: Square) -> None:
    async with open_door(square) as door:
        with pytest.raises(WayNotOffered):
            await door.accounts.github.start(RETURN, SERVER)
        with pytest.raises(WayNotOffered):
            await door.accounts.github.sign_in(OAuthCode("code", "state"), LAPTOP)

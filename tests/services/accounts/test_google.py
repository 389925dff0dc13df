from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from tests.services.accounts.door import EMAIL, LAPTOP, PASSWORD, Door, open_door
from tests.services.accounts.issuers import CLIENT_ID, Issuer, rsa_key
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.problems import Taken
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import AccountStatus
from townsquare.services.accounts.problems import (
    AccountClosed,
    LastWay,
    NotLinked,
    ProviderAway,
    ProviderRefused,
    WayNotOffered,
    WrongCredentials,
)
from townsquare.services.accounts.signin.models import Client, IdToken, SignedIn
from townsquare.square import Square

SERVER = "http://square.test"
RETURN = f"{SERVER}/accounts/sign-in"


@pytest.fixture
async def issuer(clock: PinnedClock) -> AsyncIterator[Issuer]:
    issuer = Issuer(clock)
    async with issuer.running():
        yield issuer


@pytest.fixture
async def door(square: Square, issuer: Issuer) -> AsyncIterator[Door]:
    async with open_door(square, google_client_id=CLIENT_ID, google_issuer=issuer.url) as door:
        yield door


async def nonce_of(door: Door) -> str:
    return (await door.accounts.google.start(RETURN, SERVER)).nonce


async def come(door: Door, issuer: Issuer, **changes: Any) -> SignedIn:
    return await door.accounts.google.sign_in(
        IdToken(issuer.id_token(await nonce_of(door), **changes)), LAPTOP
    )


async def confirmed(door: Door, email: str = EMAIL) -> SignedIn:
    """An account that has confirmed its address."""
    await door.accounts.code.send(email, Client("192.0.2.1"))
    return await door.accounts.code.sign_in(email, await door.code_for(email), LAPTOP)


async def test_the_browser_is_sent_to_where_the_issuer_says(door: Door, issuer: Issuer) -> None:
    redirect = await door.accounts.google.start(RETURN, SERVER)
    place = urlsplit(redirect.url)
    asked = {name: values[0] for name, values in parse_qs(place.query).items()}
    assert redirect.url.startswith(f"{issuer.url}/authorize?")
    assert (asked["client_id"], asked["redirect_uri"], asked["nonce"]) == (CLIENT_ID, RETURN, redirect.nonce)
    assert asked["response_type"] == "id_token"


async def test_a_new_person_gets_an_account_with_a_confirmed_address(door: Door, issuer: Issuer) -> None:
    signed_in = await come(door, issuer)
    assert (signed_in.user.email, signed_in.user.email_verified) == (EMAIL, True)
    assert (signed_in.user.first_name, signed_in.user.linked_providers) == ("Alice A.", ("google",))
    assert await door.store.get(keys.google("1047")) == signed_in.user.id
    assert await door.store.get(keys.provider_google("1047")) == signed_in.user.id
    assert (await come(door, issuer)).user.id == signed_in.user.id
    await assert_clean(door.store)


async def test_the_google_account_decides_not_its_address(door: Door, issuer: Issuer) -> None:
    first = await come(door, issuer)
    assert (await come(door, issuer, email="moved@example.org")).user.id == first.user.id


async def test_an_account_is_linked_when_both_sides_verified_the_address(door: Door, issuer: Issuer) -> None:
    mine = await confirmed(door)
    assert (await come(door, issuer, email="Alice@Example.org")).user.id == mine.user.id
    assert (await come(door, issuer, email=None)).user.id == mine.user.id


async def test_an_account_whose_address_was_never_confirmed_is_not_linked(door: Door, issuer: Issuer) -> None:
    squatter = await door.sign_up()
    with pytest.raises(NotLinked):
        await come(door, issuer)
    assert (await door.users.get(squatter.user.id)).providers == {}


@pytest.mark.parametrize("claim", [False, "false", None])
async def test_an_address_that_google_did_not_verify_links_nothing(
    door: Door, issuer: Issuer, claim: object
) -> None:
    mine = await confirmed(door)
    other = await come(door, issuer, email_verified=claim)
    assert other.user.id != mine.user.id
    assert other.user.email is None


async def test_another_google_account_with_the_same_address_does_not_replace_the_first(
    door: Door, issuer: Issuer
) -> None:
    await come(door, issuer)
    with pytest.raises(NotLinked):
        await come(door, issuer, sub="2048")


async def test_a_nonce_counts_once(door: Door, issuer: Issuer) -> None:
    token = issuer.id_token(await nonce_of(door))
    await door.accounts.google.sign_in(IdToken(token), LAPTOP)
    with pytest.raises(ProviderRefused):
        await door.accounts.google.sign_in(IdToken(token), LAPTOP)


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "never-given-to-anybody-0000"}, {"nonce": None}, {"nonce": "short"}, {"aud": "another"},
        {"aud": [CLIENT_ID, "another client"]}, {"aud": None}, {"iss": "https://evil.example"}, {"iss": None},
        {"exp": 1_000}, {"exp": None}, {"iat": 4_000_000_000}, {"sub": None}, {"sub": 5},
    ],
)  # fmt: skip
async def test_wrong_claims_are_refused(door: Door, issuer: Issuer, changes: dict[str, Any]) -> None:
    good = await nonce_of(door)
    with pytest.raises(ProviderRefused):
        await door.accounts.google.sign_in(IdToken(issuer.id_token(**{"nonce": good, **changes})), LAPTOP)
    await door.accounts.google.sign_in(IdToken(issuer.id_token(good)), LAPTOP)


async def test_forged_tokens_are_refused(door: Door, issuer: Issuer) -> None:
    nonce = await nonce_of(door)
    claims = {"iss": issuer.url, "aud": CLIENT_ID, "sub": "1", "nonce": nonce, "exp": 4_000_000_000, "iat": 1}
    stranger = rsa_key(str(issuer.keys[0].kid), maker=1)
    good = issuer.id_token(nonce)
    forged = [
        issuer.id_token(nonce, key=stranger),
        jwt.encode({"alg": "HS256", "kid": issuer.keys[0].kid}, claims, OctKey.generate_key()),
        "eyJhbGciOiJub25lIn0." + good.split(".")[1] + ".",
        good[:-4] + "AAAA",
        "anything at all",
        "",
    ]
    for token in forged:
        with pytest.raises(ProviderRefused):
            await door.accounts.google.sign_in(IdToken(token), LAPTOP)
    await door.accounts.google.sign_in(IdToken(good), LAPTOP)


async def test_keys_are_fetched_once_and_again_after_a_rotation(
    door: Door, issuer: Issuer, clock: PinnedClock
) -> None:
    for _ in range(5):
        await come(door, issuer)
    assert issuer.key_requests == 1
    old = issuer.keys[0]
    issuer.rotate()
    clock.move(seconds=30)
    await come(door, issuer)
    assert issuer.key_requests == 2
    with pytest.raises(ProviderRefused):
        await door.accounts.google.sign_in(IdToken(issuer.id_token(await nonce_of(door), key=old)), LAPTOP)


async def test_unknown_keys_do_not_make_us_ask_the_issuer_over_and_over(door: Door, issuer: Issuer) -> None:
    await come(door, issuer)
    stranger = rsa_key("unknown")
    for _ in range(20):
        with pytest.raises(ProviderRefused):
            await door.accounts.google.sign_in(
                IdToken(issuer.id_token(await nonce_of(door), key=stranger)), LAPTOP
            )
    assert issuer.key_requests == 1


async def test_keys_that_cannot_be_renewed_are_believed_for_a_day(
    door: Door, issuer: Issuer, clock: PinnedClock
) -> None:
    await come(door, issuer)
    issuer.down = True
    clock.move(hours=2)
    await come(door, issuer)
    clock.move(days=1)
    with pytest.raises(ProviderAway):
        await come(door, issuer)
    issuer.down = False
    await come(door, issuer)


async def test_an_issuer_that_calls_itself_something_else_is_not_believed(door: Door, issuer: Issuer) -> None:
    issuer.called = "https://accounts.google.com"
    with pytest.raises(ProviderAway):
        await door.accounts.google.start(RETURN, SERVER)


async def test_a_closed_account_stays_closed_for_google_too(door: Door, issuer: Issuer) -> None:
    signed_in = await come(door, issuer)
    await door.users.set_status(signed_in.user.id, AccountStatus.DISABLED)
    with pytest.raises(AccountClosed):
        await come(door, issuer)


async def test_who_is_in_links_google_by_hand_and_unlinks_it(door: Door, issuer: Issuer) -> None:
    mine = await door.sign_up("other@example.org")
    await door.accounts.google.link(mine.user.id, IdToken(issuer.id_token(await nonce_of(door))))
    assert (await come(door, issuer)).user.id == mine.user.id
    await door.accounts.users.unlink(mine.user.id, "google")
    assert await door.store.get(keys.google("1047")) is None


async def test_a_google_account_of_somebody_else_cannot_be_linked(door: Door, issuer: Issuer) -> None:
    await come(door, issuer)
    mine = await door.sign_up("other@example.org")
    with pytest.raises(Taken):
        await door.accounts.google.link(mine.user.id, IdToken(issuer.id_token(await nonce_of(door))))


async def test_the_only_way_in_cannot_be_unlinked(door: Door, issuer: Issuer) -> None:
    signed_in = await come(door, issuer, email=None)
    with pytest.raises(LastWay):
        await door.accounts.users.unlink(signed_in.user.id, "google")


async def test_a_visitor_who_comes_through_google_stays_the_same_user(door: Door, issuer: Issuer) -> None:
    visitor = await door.accounts.sign_in_anonymously("device-1234567890", LAPTOP)
    identity = await door.accounts.authenticate(visitor.access_token)
    member = await door.accounts.google.sign_in(
        IdToken(issuer.id_token(await nonce_of(door))), LAPTOP, identity
    )
    assert (member.user.id, member.user.registered) == (visitor.user.id, True)


async def test_without_a_client_id_google_is_not_offered(square: Square) -> None:
    async with open_door(square) as door:
        assert not door.accounts.sign_in_methods().google
        with pytest.raises(WayNotOffered):
            await door.accounts.google.start(RETURN, SERVER)
        with pytest.raises(WayNotOffered):
            await door.accounts.google.sign_in(IdToken("token"), LAPTOP)


async def test_a_password_does_not_open_an_account_that_has_none(door: Door, issuer: Issuer) -> None:
    await come(door, issuer)
    with pytest.raises(WrongCredentials):
        await door.accounts.password.sign_in(EMAIL, PASSWORD, LAPTOP)

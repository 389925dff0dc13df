"""Two secrets are valid while the secret of the server is changed."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result

from tests.services.accounts.door import LAPTOP
from tests.support.clock import PinnedClock
from tests.support.squares import ENV, Place, assert_clean, open_square
from townsquare.cli.all_commands import application
from townsquare.services.accounts.problems import BadRefreshToken
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.signin.verification_codes import VerificationCodes
from townsquare.services.threads.mails import MailLinks, MailSubscription
from townsquare.square import Square
from townsquare.store import data_state, keys
from townsquare.store.coordination.background import JOBS_LEASE, Lease

SUBSCRIPTION = MailSubscription("usr_1", "replies")
EMAIL = "alice@example.org"


def say(place: Place, *words: str, **more: str) -> Result:
    settings = {
        "TOWNSQUARE_DATA_URL": place.data_url,
        "TOWNSQUARE_CACHE_URL": place.cache_url,
        "TOWNSQUARE_ENV": ENV,
    }
    return CliRunner(env={**settings, **more}).invoke(
        application(), ["secret", *words], catch_exceptions=False
    )


def links(square: Square) -> MailLinks:
    return MailLinks(square.secret, "https://example.org", square.former_secrets.last)


def codes(square: Square) -> VerificationCodes:
    return VerificationCodes(square.store, square.secret, square.former_secrets.last)


async def sign_in(square: Square) -> str:
    account = await square.accounts.users.find("alice")
    return (await square.accounts.sessions.issue(account, "password", LAPTOP)).refresh_token


def test_what_was_signed_before_a_rotation_stays_valid(place: Place, clock: PinnedClock) -> None:
    async def before() -> tuple[str, str, str | None, str, str]:
        async with open_square(place, clock) as square:
            await square.accounts.sign_up("alice", email=EMAIL)
            code = await codes(square).issue(EMAIL, VerificationType.EMAIL, None, "127.0.0.1")
            token = parse_qs(urlsplit(links(square).unsubscribe(SUBSCRIPTION)).query)["token"][0]
            like = await square.widgets.own_like_button("a page")
            return await sign_in(square), token, code, like, square.secret

    async def after() -> str:
        async with open_square(place, clock) as square:
            assert square.secret != secret
            assert square.former_secrets == (secret, secret)
            assert links(square).subscription(link) == SUBSCRIPTION
            assert await square.widgets.own_like_button("a page") == like
            assert code
            await codes(square).use(EMAIL, VerificationType.EMAIL, code, "127.0.0.1")
            left = await square.store.call("TTL", keys.former_secret())
            assert 0 < left <= keys.FORMER_SECRET_SECONDS
            await assert_clean(square.store)
            renewed = (await square.accounts.sessions.refresh(refresh, LAPTOP)).refresh_token
            await sign_in(square)
            return renewed

    async def at_last() -> None:
        async with open_square(place, clock) as square:
            assert square.former_secrets == ("", secret)
            assert await square.widgets.own_like_button("a page") == like
            with pytest.raises(BadRefreshToken):
                await square.accounts.sessions.refresh(refresh, LAPTOP)
            await square.accounts.sessions.refresh(renewed, LAPTOP)

    refresh, link, code, like, secret = asyncio.run(before())
    rotated = say(place, "rotate")
    assert rotated.exit_code == 0, rotated.output
    renewed = asyncio.run(after())
    assert "deleted" in say(place, "forget").output
    asyncio.run(at_last())


def test_a_secret_of_the_settings_is_changed_there(plain_place: Place, clock: PinnedClock) -> None:
    old, new = "the old secret of a test", "the new secret of a test"

    async def before() -> str:
        async with open_square(plain_place, clock, secret=old) as square:
            await square.accounts.sign_up("alice", email=EMAIL)
            return await sign_in(square)

    async def after() -> None:
        async with open_square(plain_place, clock, secret=new, former_secret=old) as square:
            await square.accounts.sessions.refresh(refresh, LAPTOP)

    refresh = asyncio.run(before())
    refused = say(plain_place, "rotate", TOWNSQUARE_SECRET=old)
    assert refused.exit_code == 1
    assert "TOWNSQUARE_FORMER_SECRET" in refused.output
    asyncio.run(after())


def test_servers_must_be_stopped(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_state, "BACKGROUND_LEASE_SECONDS", 0)
    monkeypatch.setattr(data_state, "GRACE", 2 * data_state.POLL)

    async def run() -> str:
        async with open_square(plain_place, clock) as square:
            assert await Lease(square.store, JOBS_LEASE).take()
            return square.secret

    async def secret() -> str:
        async with open_square(plain_place, clock) as square:
            return square.secret

    before = asyncio.run(run())
    refused = say(plain_place, "rotate")
    assert (refused.exit_code, "A server runs on this data" in refused.output) == (1, True)
    assert asyncio.run(secret()) == before

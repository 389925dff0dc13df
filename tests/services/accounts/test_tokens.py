import asyncio
import base64
import hashlib
import hmac
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import msgspec
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, Key, OctKey, OKPKey, RSAKey

from tests.services.accounts.door import Door, browse_door, open_door
from tests.support.clock import PinnedClock
from tests.support.logs import capture_logs
from tests.support.squares import assert_clean
from townsquare.api import Identity
from townsquare.services.accounts import keys
from townsquare.services.accounts.ids import new_session_id, new_user_id
from townsquare.services.accounts.models import AccountStatus, UserProfile, UserRole
from townsquare.services.accounts.signin.tokens.access import KEY_SECONDS, AccessTokens
from townsquare.services.accounts.signin.tokens.outside_issuer import OutsideIssuer
from townsquare.settings import SettingsError
from townsquare.square import Square
from townsquare.store.store import Store

USER = new_user_id()
SESSION = new_session_id(USER)
OUTSIDE = "https://id.example.org"
SHARED_SECRET = "a secret that both sides know, long enough"


@pytest.fixture
def tokens(store: Store) -> AccessTokens:
    return AccessTokens(store, "townsquare", "townsquare")


async def signing_key(store: Store) -> tuple[str, OctKey]:
    kept = await store.get(keys.signing_keys())
    assert kept is not None
    return kept.keys[0].kid, OctKey.import_key(kept.keys[0].key)


def own_claims(clock: PinnedClock, **changes: object) -> dict[str, object]:
    now = clock.now_ms() // 1000
    claims = {
        "iss": "townsquare", "aud": "townsquare", "sub": USER, "sid": SESSION, "username": "alice",
        "role": "admin", "iat": now, "exp": now + 900,
    }  # fmt: skip
    return {name: value for name, value in {**claims, **changes}.items() if value is not None}


def encoded(part: object) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(part)).decode().rstrip("=")


async def test_a_token_says_who_and_expires_after_fifteen_minutes(
    tokens: AccessTokens, clock: PinnedClock
) -> None:
    token = await tokens.issue(USER, SESSION, "alice", "user")
    claims = await tokens.read(token)
    assert claims is not None
    assert (claims.sub, claims.sid, claims.username, claims.role) == (USER, SESSION, "alice", "user")
    clock.move(seconds=899)
    assert await tokens.read(token) is not None
    clock.move(seconds=1)
    assert await tokens.read(token) is None


async def test_a_token_that_is_remembered_expires_too_and_is_forgotten(
    tokens: AccessTokens, clock: PinnedClock
) -> None:
    token = await tokens.issue(USER, SESSION, "alice", "user")
    await tokens.read(token)
    assert len(tokens._verified) == 1
    clock.move(minutes=15)
    assert await tokens.read(token) is None
    assert len(tokens._verified) == 0


async def test_a_good_token_by_hand_is_accepted(
    tokens: AccessTokens, store: Store, clock: PinnedClock
) -> None:
    """So that the refusals below are for their own reasons."""
    await tokens.issue(USER, SESSION, "alice", "user")
    kid, key = await signing_key(store)
    assert await tokens.read(jwt.encode({"alg": "HS256", "kid": kid}, own_claims(clock), key)) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "somebody"}, {"iss": None}, {"aud": "another service"}, {"aud": None}, {"aud": []},
        {"sub": None}, {"sub": 7}, {"exp": None}, {"exp": "soon"}, {"exp": 1}, {"iat": 4_000_000_000},
        {"nbf": 4_000_000_000}, {"sid": 5}, {"role": ["admin"]},
    ],
)  # fmt: skip
async def test_wrong_claims_are_refused(
    tokens: AccessTokens, store: Store, clock: PinnedClock, changes: dict[str, object]
) -> None:
    await tokens.issue(USER, SESSION, "alice", "user")
    kid, key = await signing_key(store)
    assert (
        await tokens.read(jwt.encode({"alg": "HS256", "kid": kid}, own_claims(clock, **changes), key)) is None
    )


async def test_tokens_without_a_good_signature_are_refused(
    tokens: AccessTokens, store: Store, clock: PinnedClock
) -> None:
    good = await tokens.issue(USER, SESSION, "alice", "user")
    kid, key = await signing_key(store)
    head, body, signature = good.split(".")
    claims = own_claims(clock)
    stranger = OctKey.import_key("f" * 64)
    forged = [
        f"{encoded({'alg': 'none'})}.{encoded(claims)}.",
        f"{encoded({'alg': 'none', 'kid': kid})}.{encoded(claims)}.",
        f"{encoded({'alg': 'None', 'kid': kid})}.{encoded(claims)}.{signature}",
        f"{encoded({'alg': 'HS256', 'kid': kid})}.{encoded(claims)}.",
        f"{head}.{encoded(claims)}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}",
        jwt.encode({"alg": "HS256", "kid": kid}, claims, stranger),
        jwt.encode({"alg": "HS256", "kid": "unknown"}, claims, key),
        jwt.encode({"alg": "HS256"}, claims, key),
        jwt.encode({"alg": "HS512", "kid": kid}, claims, key, algorithms=["HS512"]),
        jwt.encode({"alg": "RS256", "kid": kid}, claims, RSAKey.generate_key(2048)),
        "", ".", "..", "...", "a.b.c", "ey\x00", "é" * 10, "x" * 100_000,
    ]  # fmt: skip
    for token in forged:
        assert await tokens.read(token) is None, token[:80]
    assert await tokens.read(good) is not None


async def test_keys_rotate_and_older_tokens_stay_good_until_they_expire(
    tokens: AccessTokens, store: Store, clock: PinnedClock
) -> None:
    old = await tokens.issue(USER, SESSION, "alice", "user")
    old_kid, _ = await signing_key(store)
    await tokens.rotate()
    new = await tokens.issue(USER, SESSION, "alice", "user")
    assert (await signing_key(store))[0] != old_kid
    fresh = AccessTokens(store, "townsquare", "townsquare")
    assert await fresh.read(old) is not None
    assert await fresh.read(new) is not None
    clock.move(hours=1)
    await tokens.rotate()
    kept = await store.get(keys.signing_keys())
    assert kept is not None
    assert old_kid not in [one.kid for one in kept.keys]


async def test_a_key_signs_for_a_month_then_the_next_takes_over_by_itself(
    tokens: AccessTokens, store: Store, clock: PinnedClock
) -> None:
    await tokens.issue(USER, SESSION, "alice", "user")
    first, _ = await signing_key(store)
    clock.move(seconds=KEY_SECONDS - 120)
    await tokens.issue(USER, SESSION, "alice", "user")
    assert (await signing_key(store))[0] == first
    clock.move(seconds=121)
    token = await tokens.issue(USER, SESSION, "alice", "user")
    assert (await signing_key(store))[0] != first
    assert await tokens.read(token) is not None


async def test_processes_agree_on_the_keys_and_learn_of_new_ones(store: Store, clock: PinnedClock) -> None:
    one, other = (AccessTokens(store, "townsquare", "townsquare") for _ in range(2))
    first = await one.issue(USER, SESSION, "alice", "user")
    assert await other.read(first) is not None
    await one.rotate()
    clock.move(seconds=1)
    assert await other.read(await one.issue(USER, SESSION, "alice", "user")) is not None


async def test_a_process_that_has_just_started_signs_and_reads_for_everybody_at_once(store: Store) -> None:
    """The keys count as read when they are, not when somebody begins to read them."""
    running, starting = (AccessTokens(store, "townsquare", "townsquare") for _ in range(2))
    issued = await asyncio.gather(*(running.issue(USER, SESSION, "alice", "user") for _ in range(20)))
    read = await asyncio.gather(*(starting.read(token) for token in issued))
    assert None not in read


async def test_who_gives_up_waiting_for_the_keys_does_not_stop_the_others(tokens: AccessTokens) -> None:
    first = asyncio.create_task(tokens.issue(USER, SESSION, "alice", "user"))
    second = asyncio.create_task(tokens.issue(USER, SESSION, "alice", "user"))
    await asyncio.sleep(0)
    first.cancel()
    assert await tokens.read(await second) is not None


async def test_unknown_kids_do_not_reach_the_store_more_than_once_a_second(
    tokens: AccessTokens, store: Store, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tokens.issue(USER, SESSION, "alice", "user")
    looks = 0
    turn = tokens._rotate_keys

    async def counted(replaces: str | None = None) -> None:
        nonlocal looks
        looks += 1
        await turn(replaces)

    monkeypatch.setattr(tokens, "_rotate_keys", counted)
    clock.move(seconds=2)
    for number in range(50):
        await tokens.read(
            jwt.encode({"alg": "HS256", "kid": f"k{number}"}, own_claims(clock), OctKey.generate_key())
        )
    assert looks == 1


async def test_checking_a_remembered_token_is_cheap(tokens: AccessTokens) -> None:
    token = await tokens.issue(USER, SESSION, "alice", "user")
    await tokens.read(token)
    began = time.perf_counter()
    for _ in range(1_000):
        await tokens.read(token)
    assert (time.perf_counter() - began) / 1_000 < 0.001


OUTSIDE_KEYS: dict[str, tuple[Key, str, str]] = {
    "RS256": ((rsa := RSAKey.generate_key(2048)), "RS256", rsa.as_pem(private=False).decode()),
    "ES256": ((ec := ECKey.generate_key("P-256")), "ES256", ec.as_pem(private=False).decode()),
    "JWK": (rsa, "RS256", msgspec.json.encode(rsa.as_dict(private=False)).decode()),
    "HS256": (OctKey.import_key(SHARED_SECRET), "HS256", SHARED_SECRET),
}


def outside_token(clock: PinnedClock, key: Key, algorithm: str, **changes: object) -> str:
    now = clock.now_ms() // 1000
    claims = {
        "iss": OUTSIDE,
        "aud": "townsquare",
        "sub": "7",
        "username": "carol",
        "exp": now + 60,
        **changes,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode({"alg": algorithm}, claims, key, algorithms=[algorithm])


def signed_with_public_key(clock: PinnedClock, public_key: str) -> str:
    """The old trick: the published key taken for a shared secret."""
    claims = outside_token(clock, rsa, "RS256").split(".")[1]
    signed = f"{encoded({'alg': 'HS256'})}.{claims}"
    mac = hmac.new(public_key.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"


@pytest.mark.parametrize("kind", OUTSIDE_KEYS)
async def test_an_outside_issuer_is_believed_with_its_key_only(
    square: Square, clock: PinnedClock, kind: str
) -> None:
    key, algorithm, configured = OUTSIDE_KEYS[kind]
    async with open_door(square, outside_issuer=OUTSIDE, outside_key=configured) as door:
        identify = door.accounts.authenticate
        first = await identify(outside_token(clock, key, algorithm))
        again = await identify(outside_token(clock, key, algorithm, jti="2"))
        assert first is not None
        assert (first, first.username, first.role) == (again, "carol", "user")
        for changes in ({"aud": "else"}, {"iss": "else"}, {"exp": 1}):
            assert await identify(outside_token(clock, key, algorithm, **changes)) is None
        if algorithm != "HS256":
            assert await identify(signed_with_public_key(clock, configured)) is None


HS256 = OUTSIDE_KEYS["HS256"]


@pytest.fixture
async def trusting(square: Square) -> AsyncIterator[Door]:
    """A door for those of an outside issuer."""
    async with open_door(square, outside_issuer=OUTSIDE, outside_key=SHARED_SECRET) as door:
        yield door


async def outsider(door: Door, clock: PinnedClock, **claims: object) -> Identity:
    token = outside_token(clock, HS256[0], HS256[1], **{"iat": clock.now_ms() // 1000, **claims})
    identity = await door.accounts.authenticate(token)
    assert identity is not None
    return identity


@pytest.mark.parametrize(
    "subject", ["7", "auth0|5f7c8ec7", "a:b{c} d\n", "主体" * 60, "x" * 255, "https://id.example.org/7"]
)
async def test_an_outsider_is_whom_issuer_and_subject_name(
    trusting: Door, clock: PinnedClock, subject: str
) -> None:
    nameless = await outsider(trusting, clock, sub=subject, username=None)
    named = await outsider(trusting, clock, sub=subject, username="carol", iat=clock.now_ms() // 1000 + 1)
    other = await outsider(trusting, clock, sub=f"{subject[:-1]}\N{PILE OF POO}", username=None)
    assert nameless.user_id == named.user_id != other.user_id
    assert named.username == "carol"
    await assert_clean(trusting.store)


async def test_a_token_without_a_name_does_not_take_the_name_away(trusting: Door, clock: PinnedClock) -> None:
    """Issuers give tokens with a username and without: an account would be renamed with each of them."""
    await outsider(trusting, clock)
    clock.move(seconds=10)
    bare = await outsider(trusting, clock, username=None)
    assert bare.username == "carol"
    assert (await trusting.accounts.users.get(bare.user_id)).username == "carol"


async def test_a_name_is_followed_where_tokens_do_not_say_when_they_were_made(
    trusting: Door, clock: PinnedClock
) -> None:
    before = await outsider(trusting, clock, iat=None)
    clock.move(seconds=10)
    assert (await outsider(trusting, clock, iat=None, username="caroline")).username == "caroline"
    clock.move(seconds=-5)
    stale = await outsider(trusting, clock, iat=None)
    assert (stale.user_id, stale.username) == (before.user_id, "caroline")


async def test_a_name_there_may_change_and_pass_to_somebody_else(trusting: Door, clock: PinnedClock) -> None:
    carol = await outsider(trusting, clock)
    before = outside_token(clock, HS256[0], HS256[1], iat=clock.now_ms() // 1000)
    clock.move(seconds=10)
    caroline = await outsider(trusting, clock, username="caroline")
    assert (caroline.user_id, caroline.username) == (carol.user_id, "caroline")
    stale = await trusting.accounts.authenticate(before)
    assert stale is not None
    assert (stale.user_id, stale.username) == (carol.user_id, "caroline")
    heir = await outsider(trusting, clock, sub="8", username="carol")
    assert (heir.user_id != carol.user_id, heir.username) == (True, "carol")
    await assert_clean(trusting.store)


async def test_a_name_that_is_taken_here_or_cannot_be_is_not_taken_from_anybody(
    trusting: Door, clock: PinnedClock
) -> None:
    carol = await trusting.sign_up(username="carol")
    with capture_logs() as logs:
        nameless = await outsider(trusting, clock)
        odd = await outsider(trusting, clock, sub="8", username="not a name!")
    assert (nameless.username, odd.username) == ("", "")
    assert len({carol.user.id, nameless.user_id, odd.user_id}) == 3
    assert [(one["event"], one["taken"]) for one in logs] == [
        ("outside username not used", True), ("outside username not used", False),
    ]  # fmt: skip
    clock.move(seconds=10)
    dora = await outsider(trusting, clock, sub="9", username="dora")
    clock.move(seconds=10)
    stays = await outsider(trusting, clock, sub="9", username="carol")
    assert (stays.user_id, stays.username) == (dora.user_id, "dora")


async def test_an_account_that_only_an_issuer_led_to_stays_its_persons(
    trusting: Door, clock: PinnedClock
) -> None:
    """Before, an outsider was found by the username."""
    known = await trusting.users.create(UserProfile(username="carol"), vouched=True)
    assert (await outsider(trusting, clock)).user_id == known.id


async def test_a_hundred_first_requests_of_an_outsider_make_one_account(
    trusting: Door, clock: PinnedClock
) -> None:
    found = await asyncio.gather(*(outsider(trusting, clock, jti=str(n)) for n in range(100)))
    assert len({(one.user_id, one.username) for one in found}) == 1
    clock.move(seconds=10)
    renamed = (outsider(trusting, clock, username="caroline", jti=str(n)) for n in range(100))
    assert {(one.user_id, one.username) for one in await asyncio.gather(*renamed)} == {
        (found[0].user_id, "caroline")
    }
    await assert_clean(trusting.store)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"aud": "else"}, "aud"),
        ({"exp": 1}, "expired"),
        ({"sub": "x" * 256}, "sub is a string of 1 to 255"),
        ({"sub": 7}, "sub"),
    ],
)
async def test_the_log_says_why_an_outside_token_is_refused(
    trusting: Door, clock: PinnedClock, changes: dict[str, object], why: str
) -> None:
    token = outside_token(clock, HS256[0], HS256[1], **changes)
    with capture_logs() as logs:
        assert await trusting.accounts.authenticate(token) is None
    (line,) = logs
    assert line["event"] == "outside token refused"
    assert why in line["why"]
    assert token not in str(line)


async def test_an_outsider_is_never_an_administrator_and_is_out_when_suspended(
    square: Square, clock: PinnedClock
) -> None:
    key, algorithm, configured = OUTSIDE_KEYS["HS256"]
    async with open_door(square, outside_issuer=OUTSIDE, outside_key=configured) as door:
        token = outside_token(clock, key, algorithm, role="admin")
        identity = await door.accounts.authenticate(token)
        assert identity is not None
        await door.users.set_role(identity.user_id, UserRole.ADMIN)
        identity = await door.accounts.authenticate(token)
        assert identity is not None
        assert identity.role == "user"
        await door.users.set_status(identity.user_id, AccountStatus.SUSPENDED)
        assert await door.accounts.authenticate(token) is None


async def test_without_a_configured_key_nobody_outside_is_believed(door: Door, clock: PinnedClock) -> None:
    assert await door.accounts.authenticate(outside_token(clock, *OUTSIDE_KEYS["RS256"][:2])) is None


async def test_a_key_that_cannot_be_used_is_told_at_the_start(square: Square) -> None:
    ed25519 = OKPKey.generate_key("Ed25519").as_pem(private=False).decode()
    for key in ("", "short", ed25519, "-----BEGIN PUBLIC KEY-----\nnonsense\n-----END PUBLIC KEY-----"):
        with pytest.raises(SettingsError):
            async with open_door(square, outside_issuer=OUTSIDE, outside_key=key):
                pass


WITHOUT_CRYPTOGRAPHY = """
import sys
sys.modules["cryptography"] = None
from townsquare.settings import Settings, SettingsError
from townsquare.square import check_settings

check_settings(Settings(outside_issuer="https://id.example.org", outside_key="s" * 32))
for settings in (
    Settings(google_client_id="client"),
    Settings(outside_issuer="https://id.example.org", outside_key="-----BEGIN PUBLIC KEY-----"),
    Settings(outside_issuer="https://id.example.org", outside_key='{"kty": "EC"}'),
):
    try:
        check_settings(settings)
    except SettingsError as error:
        print(error)
"""


@pytest.mark.slow
def test_without_the_extra_the_settings_check_names_it() -> None:
    command = [sys.executable, "-c", WITHOUT_CRYPTOGRAPHY]
    shown = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    assert len(shown) == 3
    assert all("pip install 'townsquare[openid]'" in line for line in shown)


def test_a_short_secret_in_a_jwk_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        OutsideIssuer.of(OUTSIDE, "townsquare", '{"kty":"oct","k":"c2hvcnQ"}')


def test_an_outside_issuer_without_a_name_is_none() -> None:
    assert OutsideIssuer.of("", "townsquare", "") is None


@pytest.mark.parametrize("part", [0, 1])
async def test_whatever_is_wrong_with_a_token_it_is_nobodys(square: Square, part: int) -> None:
    deep = base64.urlsafe_b64encode(b'{"a":' * 1_000 + b"1" + b"}" * 1_000).decode().rstrip("=")
    parts = [encoded({"alg": "HS256", "kid": "none"}), encoded({"iss": OUTSIDE}), "c2lnbmF0dXJl"]
    parts[part] = deep
    async with open_door(square, outside_issuer=OUTSIDE, outside_key=SHARED_SECRET) as door:
        for token in (".".join(parts), deep, "a" * 100_000, "..", ".".join([deep] * 3), "." * 8_000):
            assert await door.accounts.authenticate(token) is None
        async with browse_door(door) as web:
            headers = {"Authorization": f"Bearer {'.'.join(parts)}"}
            assert (await web.get("/accounts/me", headers=headers)).status_code == 401

import asyncio
import statistics
import time

import msgspec
import pytest

from tests.services.accounts.door import EMAIL, LAPTOP, PASSWORD, PHONE, PHONE_DEVICE, Door
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import AccountStatus, UserProfile
from townsquare.services.accounts.problems import (
    AccountClosed,
    BadProfile,
    CommonPassword,
    NotDeliverable,
    TooManyCodes,
    WrongCode,
    WrongCredentials,
)
from townsquare.services.accounts.signin.models import Client, VerificationType, VerifyCode
from townsquare.services.accounts.signin.verification_codes import (
    PER_ADDRESS,
    PER_TARGET,
    TRIES,
    VerificationCodes,
)
from townsquare.store.store import Store

EMAIL_CODE, RESET = VerificationType.EMAIL, VerificationType.PASSWORD_RESET


@pytest.fixture
def codes(store: Store) -> VerificationCodes:
    return VerificationCodes(store, "secret")


def other_than(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


async def test_a_code_is_six_digits_and_works_once(codes: VerificationCodes) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, "usr_1")
    assert len(code) == 6
    assert code.isdecimal()
    assert await codes.use(EMAIL, EMAIL_CODE, code) == "usr_1"
    with pytest.raises(WrongCode):
        await codes.use(EMAIL, EMAIL_CODE, code)


async def test_the_store_holds_the_seeds_fields_without_the_digits(
    codes: VerificationCodes, store: Store, clock: PinnedClock
) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, None)
    raw = await store.call("GET", keys.verify(EMAIL))
    kept = msgspec.json.decode(raw, type=VerifyCode)
    assert code.encode() not in raw
    assert (kept.user_id, kept.verification_type, kept.attempts) == (None, "email", 0)
    assert set(msgspec.json.decode(raw)) == {"code", "user_id", "verification_type", "created_at", "attempts"}
    assert 0 < await store.call("TTL", keys.verify(EMAIL)) <= 600


async def test_the_fifth_try_may_be_right(codes: VerificationCodes) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, None)
    for _ in range(TRIES - 1):
        with pytest.raises(WrongCode):
            await codes.use(EMAIL, EMAIL_CODE, other_than(code))
    assert await codes.use(EMAIL, EMAIL_CODE, code) is None


async def test_five_wrong_tries_end_the_code(codes: VerificationCodes, store: Store) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, None)
    for _ in range(TRIES):
        with pytest.raises(WrongCode):
            await codes.use(EMAIL, EMAIL_CODE, other_than(code))
    with pytest.raises(WrongCode):
        await codes.use(EMAIL, EMAIL_CODE, code)
    assert await store.get(keys.verify(EMAIL)) is None


async def test_wrong_tries_do_not_prolong_a_code(codes: VerificationCodes, store: Store) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, None)
    await store.call("EXPIRE", keys.verify(EMAIL), 100)
    with pytest.raises(WrongCode):
        await codes.use(EMAIL, EMAIL_CODE, other_than(code))
    assert 0 < await store.call("TTL", keys.verify(EMAIL)) <= 100


async def test_of_a_hundred_parallel_tries_five_count(codes: VerificationCodes, store: Store) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, None)
    wrong = [codes.use(EMAIL, EMAIL_CODE, f"{(int(code) + 1 + n) % 1_000_000:06}") for n in range(99)]
    tries = await asyncio.gather(*wrong, codes.use(EMAIL, EMAIL_CODE, code), return_exceptions=True)
    assert all(isinstance(one, WrongCode) for one in tries)
    assert await store.get(keys.verify(EMAIL)) is None


async def test_the_right_code_a_hundred_times_at_once_works_once(codes: VerificationCodes) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, "usr_1")
    tries = await asyncio.gather(
        *(codes.use(EMAIL, EMAIL_CODE, code) for _ in range(100)), return_exceptions=True
    )
    assert [one for one in tries if one == "usr_1"] == ["usr_1"]


async def test_a_code_counts_for_its_purpose_and_its_target_only(codes: VerificationCodes) -> None:
    code = await codes.make(EMAIL, EMAIL_CODE, None)
    for target, kind in ((EMAIL, RESET), ("bob@example.org", EMAIL_CODE)):
        with pytest.raises(WrongCode):
            await codes.use(target, kind, code)
    assert await codes.use(EMAIL, EMAIL_CODE, code) is None


async def test_a_new_code_replaces_the_one_before(codes: VerificationCodes) -> None:
    first = await codes.make(EMAIL, EMAIL_CODE, None)
    second = await codes.make(EMAIL, EMAIL_CODE, None)
    if first != second:
        with pytest.raises(WrongCode):
            await codes.use(EMAIL, EMAIL_CODE, first)
    assert await codes.use(EMAIL, EMAIL_CODE, second) is None


async def granted(codes: VerificationCodes, turns: list[tuple[str, str]]) -> int:
    taken = await asyncio.gather(*(codes.count_send(to, ip) for to, ip in turns), return_exceptions=True)
    assert all(one is None or isinstance(one, TooManyCodes) for one in taken)
    return sum(one is None for one in taken)


async def test_of_a_hundred_at_once_a_target_gets_three(codes: VerificationCodes) -> None:
    turns = [(EMAIL, f"192.0.2.{n}") for n in range(100)]
    assert await granted(codes, turns) == PER_TARGET


async def test_of_a_hundred_at_once_an_address_sends_ten(codes: VerificationCodes) -> None:
    turns = [(f"user{n}@example.org", "192.0.2.1") for n in range(100)]
    assert await granted(codes, turns) == PER_ADDRESS


async def test_the_hour_rolls(codes: VerificationCodes, clock: PinnedClock) -> None:
    for _ in range(PER_TARGET):
        await codes.count_send(EMAIL, "192.0.2.1")
        clock.move(minutes=10)
    with pytest.raises(TooManyCodes) as refused:
        await codes.count_send(EMAIL, "192.0.2.1")
    assert refused.value.extra["retry_after"] == 30 * 60
    clock.move(minutes=30)
    await codes.count_send(EMAIL, "192.0.2.1")
    with pytest.raises(TooManyCodes):
        await codes.count_send(EMAIL, "192.0.2.1")


async def test_one_ipv6_customer_is_one_address(codes: VerificationCodes, store: Store) -> None:
    for n, ip in enumerate(["2001:db8::1", "2001:db8::ffff", "::ffff:192.0.2.1", "192.0.2.1", ""]):
        await codes.count_send(f"{n}@example.org", ip)
    for who, sends in {"2001:db8::/64": 2, "192.0.2.1": 2, "unknown": 1}.items():
        assert await store.call("ZCARD", keys.code_sends("ip", who)) == sends


async def test_a_code_signs_in_and_makes_the_account_of_a_new_address(door: Door) -> None:
    await door.accounts.code.send(" Alice@Example.ORG ", Client("192.0.2.1"))
    signed_in = await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP)
    assert (signed_in.user.email, signed_in.user.email_verified) == (EMAIL, True)
    assert signed_in.user.account_status is AccountStatus.ACTIVE
    await assert_clean(door.store)


async def test_a_code_by_sms_signs_in(door: Door) -> None:
    await door.accounts.code.send(PHONE, Client("192.0.2.1"))
    first = await door.accounts.code.sign_in(PHONE, await door.code_for(PHONE), LAPTOP)
    await door.accounts.code.send(PHONE, Client("192.0.2.1"))
    again = await door.accounts.code.sign_in(PHONE, await door.code_for(PHONE), LAPTOP)
    assert first.user.id == again.user.id
    assert again.user.phone_verified


async def test_signing_up_sends_a_code_that_confirms_the_address(door: Door) -> None:
    signed_up = await door.sign_up()
    assert signed_up.user.account_status is AccountStatus.PENDING_VERIFICATION
    identity = await door.accounts.authenticate(signed_up.access_token)
    confirmed = await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP, identity)
    assert (confirmed.user.id, confirmed.user.has_password) == (signed_up.user.id, True)
    assert confirmed.user.account_status is AccountStatus.ACTIVE
    assert len(await door.accounts.sessions.list(confirmed.user.id)) == 1


async def test_who_signed_up_with_a_strangers_address_has_no_way_into_the_owners_account(
    door: Door, clock: PinnedClock
) -> None:
    squatter = await door.sign_up()
    clock.move(minutes=1)
    await door.accounts.code.send(EMAIL, Client("192.0.2.9"))
    owner = await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), PHONE_DEVICE)
    assert await door.accounts.authenticate(squatter.access_token) is None
    with pytest.raises(WrongCredentials):
        await door.accounts.password.sign_in(EMAIL, PASSWORD, LAPTOP)
    assert await door.accounts.authenticate(owner.access_token) is not None


async def test_an_unconfirmed_address_is_taken_from_an_account_that_is_somebodys(
    door: Door, clock: PinnedClock
) -> None:
    await door.accounts.code.send(PHONE, Client("192.0.2.1"))
    other = await door.accounts.code.sign_in(PHONE, await door.code_for(PHONE), LAPTOP)
    await door.users.change(other.user.id, UserProfile(email=EMAIL))
    clock.move(minutes=1)
    await door.accounts.code.send(EMAIL, Client("192.0.2.9"))
    owner = await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), PHONE_DEVICE)
    assert owner.user.id != other.user.id
    assert (await door.users.get(other.user.id)).email is None
    assert await door.accounts.authenticate(other.access_token) is not None
    await assert_clean(door.store)


async def test_a_closed_account_is_told_only_to_its_owner(door: Door) -> None:
    signed_up = await door.sign_up()
    await door.users.set_status(signed_up.user.id, AccountStatus.SUSPENDED)
    with pytest.raises(WrongCredentials):
        await door.accounts.password.sign_in(EMAIL, "not the password", LAPTOP)
    with pytest.raises(AccountClosed):
        await door.accounts.password.sign_in(EMAIL, PASSWORD, LAPTOP)
    with pytest.raises(AccountClosed):
        await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP)


async def test_a_forgotten_password_is_replaced_and_ends_what_was_signed_in(
    door: Door, clock: PinnedClock
) -> None:
    before = await door.sign_up()
    clock.move(minutes=1)
    await door.accounts.code.send_password_reset(EMAIL, Client("192.0.2.1"))
    code = await door.code_for(EMAIL)
    with pytest.raises(CommonPassword):
        await door.accounts.code.reset_password(EMAIL, code, "password123", LAPTOP)
    after = await door.accounts.code.reset_password(EMAIL, code, "another good password", LAPTOP)
    assert after.user.id == before.user.id
    assert await door.accounts.authenticate(before.access_token) is None
    with pytest.raises(WrongCredentials):
        await door.accounts.password.sign_in(EMAIL, PASSWORD, LAPTOP)
    await door.accounts.password.sign_in(EMAIL, "another good password", LAPTOP)


async def test_a_reset_code_does_not_sign_in_and_a_sign_in_code_does_not_reset(door: Door) -> None:
    await door.sign_up()
    signing = await door.code_for(EMAIL)
    with pytest.raises(WrongCode):
        await door.accounts.code.reset_password(EMAIL, signing, "another good password", LAPTOP)
    await door.accounts.code.send_password_reset(EMAIL, Client("192.0.2.1"))
    with pytest.raises(WrongCode):
        await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP)


async def test_nobody_gets_a_reset_code_but_the_answer_and_the_store_look_the_same(door: Door) -> None:
    await door.sign_up()
    await door.accounts.delivered()
    door.letters.sent.clear()
    await door.accounts.code.send_password_reset("nobody@example.org", Client("192.0.2.1"))
    await door.accounts.delivered()
    assert door.letters.sent == []
    assert await door.store.get(keys.verify("nobody@example.org")) is not None


async def test_a_wrong_name_takes_as_long_as_a_wrong_password(door: Door) -> None:
    await door.sign_up(username="alice")

    async def seconds(name: str) -> float:
        began = time.perf_counter()
        with pytest.raises(WrongCredentials):
            await door.accounts.password.sign_in(name, "not the password", LAPTOP)
        return time.perf_counter() - began

    await seconds("nobody")
    known, unknown = [], []
    for _ in range(9):
        known.append(await seconds("alice"))
        unknown.append(await seconds("nobody"))
    assert 0.5 < statistics.median(known) / statistics.median(unknown) < 2


@pytest.mark.parametrize(
    "to", ["", "alice", "alice@", "12345", "+1", "a@b\u202e.org", "x" * 400 + "@example.org"]
)
async def test_what_is_not_an_address_gets_no_code(door: Door, to: str) -> None:
    with pytest.raises(BadProfile):
        await door.accounts.code.send(to, Client("192.0.2.1"))


async def test_a_server_without_sms_says_so_to_everybody(door: Door) -> None:
    door.letters.channels = frozenset({"email"})
    with pytest.raises(NotDeliverable):
        await door.accounts.code.send(PHONE, Client("192.0.2.1"))


async def test_changing_an_address_confirms_the_new_and_tells_the_old(door: Door) -> None:
    await door.accounts.code.send(EMAIL, Client("192.0.2.1"))
    me = await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP)
    await door.accounts.code.change_profile(
        me.user.id, UserProfile(email="new@example.org"), Client("192.0.2.1")
    )
    assert await door.code_for("new@example.org")
    assert [letter.kind for letter in door.letters.sent if letter.to == EMAIL][-1] == "address_changed"

import asyncio
import statistics
import time
from typing import Any

import msgspec
import pytest

from tests.services.accounts.door import EMAIL, LAPTOP, PASSWORD, PHONE, PHONE_DEVICE, Door
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.problems import Taken
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import AccountStatus, User, UserProfile
from townsquare.services.accounts.problems import (
    AccountClosed,
    BadProfile,
    CommonPassword,
    NotDeliverable,
    TooManyCodes,
    WrongCode,
    WrongCredentials,
)
from townsquare.services.accounts.signin.identifiers import ContactAddress
from townsquare.services.accounts.signin.models import Client, SignedIn, VerificationType, VerifyCode
from townsquare.services.accounts.signin.verification_codes import PER_ASKER, VerificationCodes
from townsquare.store.store import Store

EMAIL_CODE, RESET = VerificationType.EMAIL, VerificationType.PASSWORD_RESET


@pytest.fixture
def codes(store: Store) -> VerificationCodes:
    return VerificationCodes(store, "secret")


def other_than(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


IP, STRANGER = "192.0.2.1", "198.51.100.7"


async def issued(codes: VerificationCodes, kind: VerificationType = EMAIL_CODE, *, ip: str = IP) -> str:
    code = await codes.issue(EMAIL, kind, "usr_1", ip)
    assert code is not None
    return code


async def try_code(codes: VerificationCodes, code: str, *, ip: str = IP) -> str | None:
    return await codes.use(EMAIL, EMAIL_CODE, code, ip)


async def test_a_code_is_six_digits_and_works_once(codes: VerificationCodes) -> None:
    code = await issued(codes)
    assert len(code) == 6
    assert code.isdecimal()
    assert await try_code(codes, code) == "usr_1"
    with pytest.raises(WrongCode):
        await try_code(codes, code)


async def test_the_store_holds_the_seeds_fields_without_the_digits(
    codes: VerificationCodes, store: Store, clock: PinnedClock
) -> None:
    code = await codes.issue(EMAIL, EMAIL_CODE, None, IP)
    raw = await store.call("GET", keys.verify(EMAIL))
    kept = msgspec.json.decode(raw, type=VerifyCode)
    assert code
    assert f'"{code}"'.encode() not in raw
    assert (kept.user_id, kept.verification_type, kept.attempts) == (None, "email", 0)
    fields = {"code", "user_id", "verification_type", "created_at", "attempts", "salt", "tries"}
    assert set(msgspec.json.decode(raw)) == fields
    assert 0 < await store.call("TTL", keys.verify(EMAIL)) <= 600


async def test_the_fifth_try_may_be_right(codes: VerificationCodes) -> None:
    code = await issued(codes)
    for _ in range(keys.CODE_TRIES - 1):
        with pytest.raises(WrongCode):
            await try_code(codes, other_than(code))
    assert await try_code(codes, code) == "usr_1"


async def test_five_wrong_tries_end_the_code_for_who_tried_and_a_new_one_comes(
    codes: VerificationCodes,
) -> None:
    code = await issued(codes)
    for _ in range(keys.CODE_TRIES):
        with pytest.raises(WrongCode):
            await try_code(codes, other_than(code))
    with pytest.raises(WrongCode):
        await try_code(codes, code)
    assert await try_code(codes, await issued(codes)) == "usr_1"


async def test_wrong_tries_do_not_prolong_a_code(codes: VerificationCodes, store: Store) -> None:
    code = await issued(codes)
    await store.call("EXPIRE", keys.verify(EMAIL), 100)
    with pytest.raises(WrongCode):
        await try_code(codes, other_than(code))
    assert 0 < await store.call("TTL", keys.verify(EMAIL)) <= 100


async def test_of_a_hundred_parallel_tries_five_count(codes: VerificationCodes, store: Store) -> None:
    code = await issued(codes)
    wrong = [try_code(codes, f"{(int(code) + 1 + n) % 1_000_000:06}") for n in range(99)]
    tries = await asyncio.gather(*wrong, try_code(codes, code), return_exceptions=True)
    assert all(isinstance(one, WrongCode) for one in tries)
    kept = await store.get(keys.verify(EMAIL))
    assert kept is not None
    assert kept.attempts == keys.CODE_TRIES


async def test_a_crowd_has_twenty_tries(codes: VerificationCodes, store: Store) -> None:
    code = await issued(codes)
    crowd = [try_code(codes, other_than(code), ip=f"198.51.100.{n}") for n in range(100)]
    assert all(isinstance(one, WrongCode) for one in await asyncio.gather(*crowd, return_exceptions=True))
    assert await store.get(keys.verify(EMAIL)) is None


async def test_the_right_code_a_hundred_times_at_once_works_once(codes: VerificationCodes) -> None:
    code = await issued(codes)
    tries = await asyncio.gather(*(try_code(codes, code) for _ in range(100)), return_exceptions=True)
    assert [one for one in tries if one == "usr_1"] == ["usr_1"]


async def test_a_code_counts_for_its_purpose_and_its_target_only(codes: VerificationCodes) -> None:
    code = await issued(codes)
    for target, kind in ((EMAIL, RESET), ("bob@example.org", EMAIL_CODE)):
        with pytest.raises(WrongCode):
            await codes.use(target, kind, code, IP)
    assert await try_code(codes, code) == "usr_1"


async def test_a_code_that_is_valid_is_sent_again_and_lives_on(
    codes: VerificationCodes, store: Store, clock: PinnedClock
) -> None:
    first = await issued(codes)
    clock.move(minutes=9)
    await store.call("EXPIRE", keys.verify(EMAIL), 60)
    assert await issued(codes) == first
    assert await store.call("TTL", keys.verify(EMAIL)) > 60
    assert await try_code(codes, first) == "usr_1"


async def test_a_stranger_cannot_use_up_the_owners_codes(
    codes: VerificationCodes, clock: PinnedClock
) -> None:
    """Whatever a stranger asks for and tries, the code in the newest message works for the owner."""
    messages = []
    for _ in range(30):
        for kind in (EMAIL_CODE, RESET):
            try:
                code = await codes.issue(EMAIL, kind, "usr_1", STRANGER)
            except TooManyCodes:
                code = None
            if code and kind is EMAIL_CODE:
                messages.append(code)
        with pytest.raises(WrongCode):
            await try_code(codes, "no code", ip=STRANGER)
        clock.move(seconds=10)
    asked = await codes.issue(EMAIL, EMAIL_CODE, "usr_1", IP)
    assert await try_code(codes, asked or messages[-1]) == "usr_1"


@pytest.mark.slow
async def test_a_hundred_strangers_neither_lock_the_owner_out_nor_flood_the_mailbox(
    codes: VerificationCodes, store: Store, clock: PinnedClock
) -> None:
    """An hour in which strangers ask without end."""
    messages = []
    for minute in range(60):
        asked = (codes.issue(EMAIL, EMAIL_CODE, "usr_1", f"198.51.{minute}.{n}") for n in range(100))
        messages += [code for code in await asyncio.gather(*asked) if code]
        assert await codes.issue(EMAIL, EMAIL_CODE, "usr_1", f"192.0.2.{minute}") is None
        clock.move(minutes=1)
    assert len(messages) == keys.CODE_MAILS
    assert await try_code(codes, messages[-1]) == "usr_1"
    await assert_clean(store)


async def test_a_code_that_was_used_is_followed_by_another_within_its_life(
    codes: VerificationCodes, clock: PinnedClock
) -> None:
    for _ in range(keys.CODE_MAILS):
        await try_code(codes, await issued(codes))
    with pytest.raises(TooManyCodes) as refused:
        await issued(codes)
    assert refused.value.extra["retry_after"] == 600
    clock.move(seconds=600)
    assert await try_code(codes, await issued(codes)) == "usr_1"


async def test_a_code_is_not_prolonged_beyond_an_hour(codes: VerificationCodes, clock: PinnedClock) -> None:
    first = await issued(codes)
    for _ in range(6):
        clock.move(minutes=10)
        last = await codes.issue(EMAIL, EMAIL_CODE, "usr_1", IP)
    assert last is not None
    assert first != last


async def test_of_a_hundred_at_once_an_address_gets_ten(codes: VerificationCodes) -> None:
    turns = (codes.issue(f"user{n}@example.org", EMAIL_CODE, None, IP) for n in range(100))
    taken = await asyncio.gather(*turns, return_exceptions=True)
    assert sum(isinstance(one, str) for one in taken) == PER_ASKER
    assert all(isinstance(one, str | TooManyCodes) for one in taken)


async def test_the_hour_of_an_address_rolls(codes: VerificationCodes, clock: PinnedClock) -> None:
    for n in range(PER_ASKER):
        await codes.issue(f"user{n}@example.org", EMAIL_CODE, None, IP)
        clock.move(minutes=3)
    with pytest.raises(TooManyCodes) as refused:
        await issued(codes)
    assert refused.value.extra["retry_after"] == 30 * 60
    clock.move(minutes=30)
    await issued(codes)


async def test_one_ipv6_customer_is_one_address(codes: VerificationCodes, store: Store) -> None:
    for n, ip in enumerate(["2001:db8::1", "2001:db8::ffff", "::ffff:192.0.2.1", "192.0.2.1", ""]):
        await codes.issue(f"{n}@example.org", EMAIL_CODE, None, ip)
    for who, sends in {"2001:db8::/64": 2, "192.0.2.1": 2, "unknown": 1}.items():
        assert await store.call("ZCARD", keys.code_sends(who)) == sends


async def test_a_code_signs_in_and_makes_the_account_of_a_new_address(door: Door) -> None:
    await door.accounts.code.send(" Alice@Example.ORG ", Client("192.0.2.1"))
    signed_in = await door.accounts.code.sign_in(EMAIL, await door.code_for("Alice@Example.ORG"), LAPTOP)
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
    assert await door.store.get(keys.verify_reset("nobody@example.org")) is not None


@pytest.mark.slow
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


@pytest.fixture
async def alice(door: Door) -> SignedIn:
    """With a confirmed address."""
    await door.accounts.code.send(EMAIL, LAPTOP)
    return await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP)


async def kinds_told(door: Door, to: str) -> list[str]:
    await door.accounts.delivered()
    return [letter.kind for letter in door.letters.sent if letter.to == to]


async def change(door: Door, signed_in: SignedIn, **profile: Any) -> User:
    return await door.accounts.code.change_profile(signed_in.user.id, UserProfile(**profile), LAPTOP)


async def test_a_new_address_waits_until_it_is_confirmed_and_the_old_one_is_told(
    door: Door, alice: SignedIn
) -> None:
    waiting = await change(door, alice, email="New@example.org")
    assert (waiting.email, waiting.email_verified) == (EMAIL, True)
    assert waiting.pending_email == "New@example.org"
    assert (await kinds_told(door, EMAIL))[-1] == "address_change_wanted"
    identity = await door.accounts.authenticate(alice.access_token)
    code = await door.code_for("New@example.org")
    confirmed = (await door.accounts.code.sign_in("new@example.org", code, LAPTOP, identity)).user
    assert (confirmed.id, confirmed.email, confirmed.email_verified, confirmed.pending_email) == (
        alice.user.id, "New@example.org", True, None,
    )  # fmt: skip
    assert (await kinds_told(door, EMAIL))[-1] == "address_changed"
    assert await door.users.find_by("email", EMAIL) is None
    await assert_clean(door.store)


async def test_a_slip_of_the_pen_hands_the_account_to_nobody(door: Door, alice: SignedIn) -> None:
    await change(door, alice, email="stranger@example.org")
    code = await door.code_for("stranger@example.org")
    stranger = await door.accounts.code.sign_in("stranger@example.org", code, PHONE_DEVICE)
    assert stranger.user.id != alice.user.id
    await door.accounts.code.send(EMAIL, LAPTOP)
    owner = await door.accounts.code.sign_in(EMAIL, await door.code_for(EMAIL), LAPTOP)
    assert owner.user.id == alice.user.id
    with pytest.raises(Taken):
        await change(door, alice, email="stranger@example.org")
    await assert_clean(door.store)


async def test_a_new_number_waits_too(door: Door, clock: PinnedClock) -> None:
    await door.accounts.code.send(PHONE, LAPTOP)
    me = await door.accounts.code.sign_in(PHONE, await door.code_for(PHONE), LAPTOP)
    waiting = await change(door, me, phone="+966501234568")
    assert (waiting.phone, waiting.phone_verified, waiting.pending_phone) == (PHONE, True, "+966501234568")
    identity = await door.accounts.authenticate(me.access_token)
    code = await door.code_for("+966501234568")
    confirmed = (await door.accounts.code.sign_in("+966501234568", code, LAPTOP, identity)).user
    assert (confirmed.phone, confirmed.phone_verified, confirmed.pending_phone) == (
        "+966501234568",
        True,
        None,
    )


async def test_a_new_password_by_code_takes_a_wanted_change_back(door: Door, alice: SignedIn) -> None:
    await change(door, alice, email="intruder@example.org")
    await door.accounts.code.send_password_reset(EMAIL, LAPTOP)
    await door.accounts.code.reset_password(EMAIL, await door.code_for(EMAIL), PASSWORD, LAPTOP)
    assert (await door.users.get(alice.user.id)).pending_email is None


async def test_of_two_who_confirm_one_address_a_hundred_times_one_gets_it(
    door: Door, alice: SignedIn
) -> None:
    bob = await door.sign_up("bob@example.org")
    identity = await door.accounts.authenticate(bob.access_token)
    code = await door.code_for("bob@example.org")
    bob = await door.accounts.code.sign_in("bob@example.org", code, LAPTOP, identity)
    identities = []
    for user in (alice, bob):
        await change(door, user, email="both@example.org")
        identities.append(await door.accounts.authenticate(user.access_token))
    both = ContactAddress("both@example.org")
    confirms = (door.accounts.code._confirm_pending(both, identities[n % 2]) for n in range(100))
    ended = await asyncio.gather(*confirms, return_exceptions=True)
    assert {type(one).__name__ for one in ended} <= {"User", "Taken", "WrongCode", "NoneType"}
    assert len({one.id for one in ended if isinstance(one, User)}) == 1
    await assert_clean(door.store)

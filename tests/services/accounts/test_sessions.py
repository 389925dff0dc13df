import asyncio

import pytest

from tests.services.accounts.door import EMAIL, LAPTOP, PASSWORD, PHONE_DEVICE, Door, open_door
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import AccountStatus, Facts, UserProfile, UserRole
from townsquare.services.accounts.problems import (
    AccountClosed,
    BadRefreshToken,
    SessionNotFound,
    WrongCredentials,
)
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.square import Square


async def is_in(door: Door, signed_in: SignedIn) -> bool:
    return await door.accounts.authenticate(signed_in.access_token) is not None


async def again(door: Door) -> SignedIn:
    return await door.accounts.password.sign_in(EMAIL, PASSWORD, PHONE_DEVICE)


async def sid(door: Door, signed_in: SignedIn) -> str:
    identity = await door.accounts.authenticate(signed_in.access_token)
    assert identity is not None
    return identity.session_id


async def test_a_session_has_the_seeds_fields_and_thirty_days(door: Door) -> None:
    signed_in = await door.sign_up()
    key = keys.session(await sid(door, signed_in))
    record = await door.store.get(key)
    assert record is not None
    assert record["user_id"] == signed_in.user.id
    assert (record["ip"], record["user_agent"], record["method"]) == ("192.0.2.1", "laptop", "password")
    assert record["created_at"] == record["last_used"] == "2026-03-14T15:09:26.535Z"
    assert 30 * 86_400 - 60 < await door.store.call("TTL", key) <= 30 * 86_400
    await assert_clean(door.store)


async def test_tokens_and_their_secrets_are_not_in_the_store(door: Door) -> None:
    signed_in = await door.sign_up()
    record = await door.store.get(keys.session(await sid(door, signed_in)))
    assert record is not None
    secret = signed_in.refresh_token.split(".")[1]
    assert not any(secret in value or signed_in.access_token in value for value in record.values())


async def test_refreshing_gives_new_tokens_and_prolongs_the_session(door: Door, clock: PinnedClock) -> None:
    first = await door.sign_up()
    key = keys.session(await sid(door, first))
    await door.store.call("EXPIRE", key, 100)
    clock.move(minutes=20)
    assert not await is_in(door, first)
    second = await door.accounts.sessions.refresh(first.refresh_token, PHONE_DEVICE)
    record = await door.store.get(key)
    assert record is not None
    assert second.refresh_token != first.refresh_token
    assert await is_in(door, second)
    assert await door.store.call("TTL", key) > 100
    assert (record["last_used"], record["rotation"], record["ip"]) == (
        "2026-03-14T15:29:26.535Z",
        "1",
        "192.0.2.2",
    )


async def test_a_first_username_counts_at_once_in_every_process(door: Door, square: Square) -> None:
    nameless = await door.sign_up()
    async with open_door(square) as elsewhere:
        before = await elsewhere.accounts.authenticate(nameless.access_token)
        await door.users.change(nameless.user.id, UserProfile(username="alice"))
        after = await elsewhere.accounts.authenticate(nameless.access_token)
    assert before is not None
    assert after is not None
    assert (before.username, after.username) == ("", "alice")


async def test_an_old_refresh_token_ends_the_whole_family(door: Door) -> None:
    first = await door.sign_up()
    second = await door.accounts.sessions.refresh(first.refresh_token, LAPTOP)
    third = await door.accounts.sessions.refresh(second.refresh_token, LAPTOP)
    other = await again(door)
    with pytest.raises(BadRefreshToken):
        await door.accounts.sessions.refresh(first.refresh_token, LAPTOP)
    for token in (third.refresh_token, second.refresh_token, first.refresh_token):
        with pytest.raises(BadRefreshToken):
            await door.accounts.sessions.refresh(token, LAPTOP)
    assert not await is_in(door, third)
    assert await is_in(door, other)


async def test_a_hundred_who_refresh_at_once_get_the_same_next_token(door: Door) -> None:
    """Tabs that renew at once, and a page that was left while it renewed."""
    first = await door.sign_up()
    refresh = door.accounts.sessions.refresh
    answers = await asyncio.gather(*(refresh(first.refresh_token, LAPTOP) for _ in range(100)))
    assert len({one.refresh_token for one in answers}) == 1
    assert all([await is_in(door, one) for one in answers])
    record = await door.store.get(keys.session(await sid(door, first)))
    assert record is not None
    assert record["rotation"] == "1"
    await refresh(answers[0].refresh_token, LAPTOP)
    await assert_clean(door.store)


async def test_a_refresh_token_that_comes_again_after_the_grace_ends_the_family(
    door: Door, clock: PinnedClock
) -> None:
    first = await door.sign_up()
    second = await door.accounts.sessions.refresh(first.refresh_token, LAPTOP)
    clock.move(seconds=keys.REFRESH_GRACE_MS / 1000)
    with pytest.raises(BadRefreshToken):
        await door.accounts.sessions.refresh(first.refresh_token, LAPTOP)
    assert not await is_in(door, second)


async def test_the_grace_lets_nobody_in_whose_account_was_closed(door: Door) -> None:
    first = await door.sign_up()
    await door.accounts.sessions.refresh(first.refresh_token, LAPTOP)
    await door.users.set_status(first.user.id, AccountStatus.SUSPENDED)
    with pytest.raises(BadRefreshToken):
        await door.accounts.sessions.refresh(first.refresh_token, LAPTOP)


async def test_a_made_up_refresh_token_harms_nobody(door: Door) -> None:
    signed_in = await door.sign_up()
    session_id, secret, signature = signed_in.refresh_token.split(".")
    forged = [
        f"{session_id}.{secret}x.{signature}",
        f"{session_id}.{'A' * len(secret)}.{signature}",
        f"{session_id}.{secret}",
        f"{session_id}..",
        session_id,
        "",
        "é.é.é",
        "x" * 10_000,
    ]
    for token in forged:
        with pytest.raises(BadRefreshToken):
            await door.accounts.sessions.refresh(token, LAPTOP)
    assert await is_in(door, signed_in)
    await door.accounts.sessions.refresh(signed_in.refresh_token, LAPTOP)


async def test_leaving_ends_this_session_only(door: Door) -> None:
    here = await door.sign_up()
    there = await again(door)
    identity = await door.accounts.authenticate(here.access_token)
    assert identity is not None
    await door.accounts.sessions.sign_out(identity)
    await door.accounts.sessions.sign_out(identity)
    assert not await is_in(door, here)
    assert await is_in(door, there)
    with pytest.raises(BadRefreshToken):
        await door.accounts.sessions.refresh(here.refresh_token, LAPTOP)


async def test_sessions_are_listed_newest_first_and_ended_one_by_one(door: Door, clock: PinnedClock) -> None:
    here = await door.sign_up()
    clock.move(minutes=1)
    there = await again(door)
    mine = await sid(door, here)
    listed = await door.accounts.sessions.list(here.user.id, mine)
    assert [(one.ip, one.current) for one in listed] == [("192.0.2.2", False), ("192.0.2.1", True)]
    await door.accounts.sessions.end(here.user.id, listed[0].id)
    assert (await is_in(door, here), await is_in(door, there)) == (True, False)
    with pytest.raises(SessionNotFound):
        await door.accounts.sessions.end(here.user.id, listed[0].id)


async def test_nobody_ends_anothers_session(door: Door) -> None:
    alice = await door.sign_up()
    bob = await door.sign_up("bob@example.org")
    for session_id in (await sid(door, alice), "ses_" + "0" * 32, "nonsense", ""):
        with pytest.raises(SessionNotFound):
            await door.accounts.sessions.end(bob.user.id, session_id)
    assert await is_in(door, alice)


async def test_all_sessions_end_but_the_one_to_keep(door: Door) -> None:
    here = await door.sign_up()
    others = [await again(door) for _ in range(3)]
    assert await door.accounts.sessions.end_all(here.user.id, keep=await sid(door, here)) == 3
    assert not any([await is_in(door, other) for other in others])
    assert await is_in(door, here)
    assert await door.accounts.sessions.end_all(here.user.id) == 1
    assert not await is_in(door, here)


@pytest.mark.parametrize("status", [AccountStatus.SUSPENDED, AccountStatus.DISABLED])
async def test_closing_an_account_ends_its_sessions_at_once_in_every_process(
    door: Door, square: Square, status: AccountStatus
) -> None:
    signed_in = await door.sign_up()
    async with open_door(square) as elsewhere:
        assert await is_in(door, signed_in)
        assert await is_in(elsewhere, signed_in)
        await door.users.set_status(signed_in.user.id, status)
        assert not await is_in(door, signed_in)
        assert not await is_in(elsewhere, signed_in)
        with pytest.raises(BadRefreshToken):
            await elsewhere.accounts.sessions.refresh(signed_in.refresh_token, LAPTOP)
    with pytest.raises(AccountClosed):
        await again(door)


async def test_deletion_ends_sessions_at_once(door: Door) -> None:
    signed_in = await door.sign_up()
    assert await is_in(door, signed_in)
    job = await door.accounts.privacy.begin_deletion(signed_in.user.id)
    assert not await is_in(door, signed_in)
    await door.jobs.run(job)
    with pytest.raises(BadRefreshToken):
        await door.accounts.sessions.refresh(signed_in.refresh_token, LAPTOP)
    with pytest.raises(WrongCredentials):
        await again(door)
    await assert_clean(door.store)


async def test_a_new_password_ends_every_session_and_begins_one(door: Door, clock: PinnedClock) -> None:
    before = await door.sign_up()
    clock.move(minutes=1)
    with pytest.raises(WrongCredentials):
        await door.accounts.password.change(before.user.id, "not the password", "a new good one", LAPTOP)
    after = await door.accounts.password.change(before.user.id, PASSWORD, "a new good one", LAPTOP)
    assert not await is_in(door, before)
    assert await is_in(door, after)
    with pytest.raises(WrongCredentials):
        await again(door)


async def test_a_new_role_ends_sessions_that_carry_the_old_one(door: Door) -> None:
    signed_in = await door.sign_up()
    await door.users.set_role(signed_in.user.id, UserRole.ADMIN)
    assert not await is_in(door, signed_in)
    identity = await door.accounts.authenticate((await again(door)).access_token)
    assert identity is not None
    assert identity.role == "admin"


async def test_the_oldest_session_makes_room(door: Door, clock: PinnedClock) -> None:
    user = await door.users.create(UserProfile(email=EMAIL), Facts(email_verified=True))
    opened = []
    for _ in range(keys.SESSIONS_PER_USER + 2):
        clock.move(seconds=1)
        opened.append(await door.accounts.sessions.issue(user, "code", LAPTOP))
    assert [await is_in(door, one) for one in opened[:4]] == [False, False, True, True]
    assert await is_in(door, opened[-1])
    assert await door.store.call("ZCARD", keys.user_sessions(user.id)) == keys.SESSIONS_PER_USER


async def test_sessions_that_ran_out_are_forgotten_at_the_next_sign_in(door: Door) -> None:
    first = await door.sign_up()
    await door.store.call("DEL", keys.session(await sid(door, first)))
    assert await door.accounts.sessions.list(first.user.id) == []
    await again(door)
    assert await door.store.call("ZCARD", keys.user_sessions(first.user.id)) == 1
    await assert_clean(door.store)


async def test_an_anonymous_device_keeps_its_user_when_it_signs_up(door: Door, clock: PinnedClock) -> None:
    visitor = await door.accounts.sign_in_anonymously("device-1234567890", LAPTOP)
    identity = await door.accounts.authenticate(visitor.access_token)
    clock.move(minutes=1)
    member = await door.accounts.password.sign_up(UserProfile(email=EMAIL), PASSWORD, LAPTOP, identity)
    assert member.user.id == visitor.user.id
    assert (visitor.user.registered, member.user.registered) == (False, True)
    assert not await is_in(door, visitor)
    await assert_clean(door.store)


async def test_an_anonymous_device_comes_back_as_itself(door: Door) -> None:
    first = await door.accounts.sign_in_anonymously("device-1234567890", LAPTOP)
    second = await door.accounts.sign_in_anonymously("device-1234567890", LAPTOP)
    assert first.user.id == second.user.id

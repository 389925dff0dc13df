"""Accounts whose addresses an older rule has folded: found, respelled, and nobody left outside."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.services.accounts.door import LAPTOP, PASSWORD, Door
from tests.support.squares import Place, assert_clean, open_square
from townsquare.clock import SystemClock
from townsquare.integrity.check import check
from townsquare.problems import Taken
from townsquare.services.accounts import keys
from townsquare.services.accounts.ids import new_user_id
from townsquare.services.accounts.models import User, UserProfile
from townsquare.services.accounts.signin.passwords import Passwords
from townsquare.services.accounts.users import creation_of, old_emails
from townsquare.services.accounts.users.old_emails import old_spelling
from townsquare.square import Square

NOW = "2026-03-14T15:09:26.535Z"


async def stored_by_the_old_rule(square: Square, *typed: str) -> list[User]:
    """Accounts as the older rule has written them."""
    passwords = Passwords()
    hashed = await passwords.hash(PASSWORD)
    passwords.close()
    users = []
    for one in typed:
        email = old_spelling(one)
        user = User(
            id=new_user_id(),
            created_at=NOW,
            updated_at=NOW,
            email=email,
            email_verified=True,
            password_hash=hashed,
        )
        await square.store.run(replace(creation_of(user, [["email", email]]), job=None))
        users.append(user)
    return users


async def migrate(door: Door) -> None:
    await door.accounts.email_migration.begin()
    await door.accounts.email_migration.begin()
    await door.jobs.run_open()
    assert await door.jobs.list() == []


async def signed_in(door: Door, names: Sequence[str]) -> list[str]:
    return [(await door.accounts.password.sign_in(name, PASSWORD, LAPTOP)).user.id for name in names]


async def by_code(door: Door, to: str) -> str:
    await door.accounts.code.send(to, LAPTOP)
    await door.accounts.delivered()
    code = await door.code_for(door.letters.sent[-1].to)
    return (await door.accounts.code.sign_in(to, code, LAPTOP)).user.id


TYPED = ["Ann@Example.org", "Jörg@MÜNCHEN.de", "straße@example.org", "ÜMIT@faß.de"]


async def test_everybody_signs_in_as_before_and_the_migration_respells(square: Square, door: Door) -> None:
    users = [user.id for user in await stored_by_the_old_rule(square, *TYPED)]
    assert await signed_in(door, TYPED) == users
    assert await by_code(door, "jörg@münchen.de") == users[1]
    await migrate(door)
    assert await signed_in(door, TYPED) == users
    assert await by_code(door, "jörg@xn--mnchen-3ya.de") == users[1]
    assert door.letters.sent[-1].to == "jörg@münchen.de"
    kept = [user.email for user in await door.users.get_many(users) if user]
    assert kept == ["ann@example.org", "jörg@xn--mnchen-3ya.de", "strasse@example.org", "ümit@fass.de"]
    await assert_clean(square.store)


async def test_who_has_an_address_that_none_can_be_today_still_signs_in(square: Square, door: Door) -> None:
    odd = ["ann,bob@example.org", "ann@my_host.org"]
    users = [user.id for user in await stored_by_the_old_rule(square, *odd)]
    await migrate(door)
    assert await signed_in(door, odd) == users
    found = await check(square.store)
    assert sorted(one.key.rpartition(":")[2] for one in found.findings) == sorted(users)


async def test_two_mailboxes_that_the_old_rule_joined_are_two(square: Square, door: Door) -> None:
    (strasse,) = await stored_by_the_old_rule(square, "strasse@example.org")
    assert await by_code(door, "straße@example.org") != strasse.id
    assert door.letters.sent[-1].to == "straße@example.org"
    assert await by_code(door, "STRASSE@example.org") == strasse.id
    await assert_clean(square.store)


async def test_before_the_migration_nobody_takes_an_address_in_its_new_spelling(
    square: Square, door: Door
) -> None:
    await stored_by_the_old_rule(square, "jörg@münchen.de")
    with pytest.raises(Taken):
        await door.sign_up("jörg@MÜNCHEN.de")
    assert not await door.users.is_free("email", "jörg@münchen.de")


async def test_of_a_hundred_who_take_one_mailbox_in_many_spellings_one_gets_it(
    square: Square, door: Door
) -> None:
    spellings = [
        "jörg@münchen.de",
        "JöRG@MÜNCHEN.DE",
        "jörg@xn--mnchen-3ya.de",
        "jo\u0308rg@Mu\u0308nchen.de",
    ]
    wanted = (door.users.create(UserProfile(email=spellings[n % 4])) for n in range(100))
    ended = await asyncio.gather(*wanted, return_exceptions=True)
    assert sum(isinstance(one, User) for one in ended) == 1
    assert sum(isinstance(one, Taken) for one in ended) == 99
    await assert_clean(square.store)


async def test_of_two_accounts_with_one_mailbox_both_stay_and_check_names_the_one_that_is_left(
    square: Square, door: Door
) -> None:
    both = ["jörg@münchen.de", "jörg@xn--mnchen-3ya.de"]
    users = [user.id for user in await stored_by_the_old_rule(square, *both)]
    await migrate(door)
    assert await signed_in(door, both) == users
    assert [await by_code(door, to) for to in both] == users
    report = await check(square.store)
    assert [(one.kind.value, users[0] in one.key) for one in report.findings] == [("value", True)]
    await check(square.store, repair=True)
    assert await signed_in(door, both) == users
    await square.accounts.users.delete(users[1])
    page = await door.accounts.email_migration.respell()
    assert (page.left, page.cursor) == ([], None)
    await assert_clean(square.store)


async def test_a_migration_that_was_stopped_goes_on(
    square: Square, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(old_emails, "PAGE_LENGTH", 2)
    users = await stored_by_the_old_rule(square, *(f"u{n}@münchen.de" for n in range(7)))
    migration = door.accounts.email_migration
    await migration.begin()
    await migration._step({})
    half = await square.store.get(keys.email_migration())
    assert half is not None
    assert (half.cursor is not None, half.done) == (True, False)
    assert [one.kind for one in await door.jobs.list()] == [keys.EMAIL_MIGRATION_JOB]
    await door.jobs.run_open()
    found = await door.users.get_many([user.id for user in users])
    assert {user.email for user in found if user} == {f"u{n}@xn--mnchen-3ya.de" for n in range(7)}
    assert await door.jobs.list() == []
    await assert_clean(square.store)


async def test_a_server_begins_it_by_itself(place: Place) -> None:
    async with open_square(place, SystemClock()) as square:
        (user,) = await stored_by_the_old_rule(square, "jörg@münchen.de")
        square.background.start()
        async with asyncio.timeout(30):
            while (await square.accounts.users.get(user.id)).email == user.email:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)

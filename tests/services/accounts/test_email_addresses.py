"""One rule for email addresses: sign-up, sign-in and look-up agree on which addresses are one mailbox."""

import asyncio

import pytest
from msgspec.structs import replace

from tests.services.accounts.door import LAPTOP, PASSWORD, Door
from tests.support.squares import assert_clean
from townsquare.integrity.check import check
from townsquare.problems import Taken
from townsquare.services.accounts.ids import new_user_id
from townsquare.services.accounts.models import AccountStatus, User, UserProfile, UserRole
from townsquare.services.accounts.problems import WrongCredentials
from townsquare.services.accounts.users import write_of
from townsquare.square import Square

NOBODY = User(
    id="",
    version=1,
    created_at="2026-03-14T15:09:26.535Z",
    updated_at="2026-03-14T15:09:26.535Z",
    account_status=AccountStatus.ACTIVE,
    role=UserRole.USER,
    trust_score=100,
)
ONE_MAILBOX = ["jörg@münchen.de", "JöRG@MÜNCHEN.DE", "jörg@xn--mnchen-3ya.de", "jo\u0308rg@Mu\u0308nchen.de"]
TWO_MAILBOXES = [
    ("max@straße.example", "max@strasse.example"),
    ("max@strasse.example", "max@straße.example"),
    ("straße@example.org", "strasse@example.org"),
]


async def by_password(door: Door, address: str) -> str:
    return (await door.accounts.password.sign_in(address, PASSWORD, LAPTOP)).user.id


async def by_code(door: Door, address: str) -> str:
    await door.accounts.code.send(address, LAPTOP)
    await door.accounts.delivered()
    code = await door.code_for(door.letters.sent[-1].to)
    return (await door.accounts.code.sign_in(address, code, LAPTOP)).user.id


@pytest.mark.parametrize(("one", "other"), TWO_MAILBOXES)
async def test_sharp_s_and_double_s_are_two_mailboxes(
    square: Square, door: Door, one: str, other: str
) -> None:
    first = (await door.sign_up(one)).user.id
    assert await door.users.find_by("email", other) is None
    assert await door.users.is_free("email", other)
    with pytest.raises(WrongCredentials):
        await by_password(door, other)
    second = (await door.sign_up(other)).user.id
    for address, id in ((one, first), (other, second)):
        found = await door.users.find_by("email", address)
        assert found is not None
        assert found.id == await by_password(door, address) == await by_code(door, address) == id
    await assert_clean(square.store)


async def test_every_spelling_of_a_mailbox_leads_to_its_account(square: Square, door: Door) -> None:
    id = (await door.sign_up(ONE_MAILBOX[0])).user.id
    for spelling in ONE_MAILBOX:
        assert not await door.users.is_free("email", spelling)
        assert (await door.users.find(spelling)).id == await by_password(door, spelling) == id
        with pytest.raises(Taken):
            await door.sign_up(spelling)
    assert await by_code(door, ONE_MAILBOX[1]) == id
    await assert_clean(square.store)


async def test_of_a_hundred_who_take_one_mailbox_in_many_spellings_one_gets_it(
    square: Square, door: Door
) -> None:
    wanted = (door.users.create(UserProfile(email=ONE_MAILBOX[n % 4])) for n in range(100))
    ended = await asyncio.gather(*wanted, return_exceptions=True)
    assert sum(isinstance(one, User) for one in ended) == 1
    assert sum(isinstance(one, Taken) for one in ended) == 99
    await assert_clean(square.store)


@pytest.mark.parametrize("stored", ["jörg@münchen.de", "ann,bob@example.org"])
async def test_check_names_an_account_whose_address_is_not_normalised(square: Square, stored: str) -> None:
    user = replace(NOBODY, id=new_user_id(), email=stored)
    await square.store.run(replace(write_of(None, user), claims=[["email", stored]], job=None))
    report = await check(square.store)
    assert [(one.kind.value, user.id in one.key) for one in report.findings] == [("value", True)]

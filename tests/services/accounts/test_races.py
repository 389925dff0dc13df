import asyncio

import pytest

from tests.services.accounts.core import Core, assert_indexes_follow, core_of
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, open_square
from townsquare.problems import Taken
from townsquare.services.accounts.models import Facts, User, UserProfile
from townsquare.square import Square

CLIENTS = 50


@pytest.fixture
def core(square: Square) -> Core:
    return core_of(square)


def signup(field: str, client: int) -> tuple[UserProfile, Facts]:
    """One value that all clients want, and one of the client's own."""
    own = (
        UserProfile(username=f"client-{client}")
        if field != "username"
        else UserProfile(email=f"{client}@example.org")
    )
    return {
        "email": (UserProfile(email="one@example.org", username=own.username), Facts()),
        "username": (UserProfile(username="one", email=own.email), Facts()),
        "phone": (UserProfile(phone="+966501234567", username=own.username), Facts()),
        "deviceId": (UserProfile(device_id="device-1", username=own.username), Facts()),
        "google": (own, Facts(providers={"google": "g-1"})),
        "github": (own, Facts(providers={"github": "1"})),
    }[field]


@pytest.mark.parametrize("field", ["email", "username", "phone", "deviceId", "google", "github"])
async def test_of_fifty_signups_for_one_value_one_succeeds(
    core: Core, place: Place, clock: PinnedClock, field: str
) -> None:
    async with open_square(place, clock) as square:
        cores = (core, core_of(square))
        results = await asyncio.gather(
            *(cores[n % 2].users.register(*signup(field, n)) for n in range(CLIENTS)), return_exceptions=True
        )
    winners = [result for result in results if isinstance(result, User)]
    losers = [result for result in results if isinstance(result, Taken)]
    assert (len(winners), len(losers)) == (1, CLIENTS - 1)
    assert {loser.extra["field"] for loser in losers} == {field}
    assert await assert_indexes_follow(core.store) == winners
    await assert_clean(core.store)


async def test_of_fifty_who_want_all_the_same_values_one_succeeds(core: Core) -> None:
    wanted = UserProfile(email="one@example.org", username="one", phone="+966501234567", device_id="device-1")
    results = await asyncio.gather(
        *(core.users.create(wanted) for _ in range(CLIENTS)), return_exceptions=True
    )
    winners = [result for result in results if isinstance(result, User)]
    assert len(winners) == 1
    assert sum(isinstance(result, Taken) for result in results) == CLIENTS - 1
    assert await assert_indexes_follow(core.store) == winners


async def test_of_fifty_who_convert_one_visitor_one_succeeds(core: Core) -> None:
    visitor = await core.users.visitor("device-1")
    results = await asyncio.gather(
        *(
            core.users.register(UserProfile(email=f"{n}@example.org", device_id="device-1"))
            for n in range(CLIENTS)
        ),
        return_exceptions=True,
    )
    winners = [result for result in results if isinstance(result, User)]
    assert [winner.id for winner in winners] == [visitor.id]
    assert {result.extra["field"] for result in results if isinstance(result, Taken)} == {"deviceId"}
    assert await assert_indexes_follow(core.store) == winners


async def test_fifty_users_who_change_to_one_address(core: Core) -> None:
    users = [await core.users.create(UserProfile(username=f"u{n}")) for n in range(CLIENTS)]
    results = await asyncio.gather(
        *(core.users.change(user.id, UserProfile(email="one@example.org")) for user in users),
        return_exceptions=True,
    )
    assert sum(isinstance(result, User) for result in results) == 1
    assert sum(isinstance(result, Taken) for result in results) == CLIENTS - 1
    await assert_indexes_follow(core.store)
    await assert_clean(core.store)


async def test_one_user_may_ask_for_one_address_many_times_at_once(core: Core) -> None:
    user = await core.users.create(UserProfile(username="one"))
    wanted = UserProfile(email="one@example.org")
    results = await asyncio.gather(*(core.users.change(user.id, wanted) for _ in range(CLIENTS)))
    assert {result.email for result in results} == {"one@example.org"}
    await assert_indexes_follow(core.store)


async def test_who_is_deleted_meanwhile_holds_no_address(core: Core) -> None:
    for n in range(10):
        user = await core.users.create(UserProfile(username=f"u{n}"))
        changes = [core.users.change(user.id, UserProfile(email="one@example.org")) for _ in range(5)]
        await asyncio.gather(*changes, core.users.delete(user.id), return_exceptions=True)
        assert await assert_indexes_follow(core.store) == []


async def test_changes_deletions_and_signups_at_once_leave_no_stray(core: Core) -> None:
    users = [
        await core.users.create(UserProfile(username=f"u{n}", email=f"{n}@example.org")) for n in range(10)
    ]

    async def disturb(n: int) -> None:
        user = users[n % 10]
        if n % 3 == 0:
            await core.users.delete(user.id)
        elif n % 3 == 1:
            await core.users.change(
                user.id, UserProfile(email=f"{(n * 7) % 10}@example.org", city=f"c{n % 4}")
            )
        else:
            await core.users.create(UserProfile(email=f"{n % 10}@example.org", province="p"))

    await asyncio.gather(*(disturb(n) for n in range(60)), return_exceptions=True)
    await assert_indexes_follow(core.store)
    await assert_clean(core.store)

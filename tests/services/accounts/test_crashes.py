"""On a cluster a write has steps: the claims, the script, the effects. A process may die between any two."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator

import pytest

from tests.services.accounts.core import Core, assert_indexes_follow, core_of
from tests.services.accounts.dying import EMAIL, NEW_EMAIL, POINTS
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, open_square
from townsquare.problems import Taken
from townsquare.services.accounts.models import User, UserProfile

pytestmark = pytest.mark.faults

PATIENCE = 20.0
SWEEP_EVERY = 0.1


@pytest.fixture
async def core(cluster_place: Place, clock: PinnedClock) -> AsyncIterator[Core]:
    async with open_square(cluster_place, clock) as square:
        yield core_of(square)


async def crash(place: Place, point: str, action: str, user_id: str = "") -> None:
    program = (sys.executable, "-m", "tests.services.accounts.dying")
    process = await asyncio.create_subprocess_exec(
        *program, place.data_url, place.cache_url, point, action, user_id, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == -signal.SIGKILL, said.decode()


async def healed(core: Core) -> list[User]:
    """What is left once the sweeper has been and claims have run out."""
    async with asyncio.timeout(PATIENCE):
        while True:
            await core.store.effects.sweep()
            try:
                return await assert_indexes_follow(core.store)
            except AssertionError:
                await asyncio.sleep(SWEEP_EVERY)


@pytest.mark.parametrize("point", POINTS)
async def test_a_signup_that_died_is_whole_or_never_was(core: Core, cluster_place: Place, point: str) -> None:
    await crash(cluster_place, point, "create")
    users = await healed(core)
    await assert_clean(core.store)
    if point == "claimed":
        assert users == []
        users = [await core.users.create(UserProfile(email=EMAIL, username="one"))]
    assert [user.email for user in users] == [EMAIL]
    for taken in (UserProfile(email=EMAIL), UserProfile(username="one")):
        with pytest.raises(Taken):
            await core.users.create(taken)
    await assert_clean(core.store)


@pytest.mark.parametrize("point", POINTS)
async def test_a_change_that_died_happened_or_did_not(core: Core, cluster_place: Place, point: str) -> None:
    user = await core.users.create(UserProfile(email=EMAIL, username="one", city="Abha"))
    await crash(cluster_place, point, "change", user.id)
    (after,) = await healed(core)
    await assert_clean(core.store)
    free, taken = (NEW_EMAIL, EMAIL) if point == "claimed" else (EMAIL, NEW_EMAIL)
    assert after.email == taken
    await core.users.create(UserProfile(email=free))
    with pytest.raises(Taken):
        await core.users.create(UserProfile(email=taken))


@pytest.mark.parametrize("point", [point for point in POINTS if point != "claimed"])
async def test_a_deletion_that_died_is_done(core: Core, cluster_place: Place, point: str) -> None:
    user = await core.users.create(UserProfile(email=EMAIL, username="one", city="Abha"))
    await crash(cluster_place, point, "delete", user.id)
    assert await healed(core) == []
    await core.users.create(UserProfile(email=EMAIL, username="one"))
    await assert_clean(core.store)


async def test_a_value_that_a_dead_process_claimed_is_refused_meanwhile_and_free_after(
    core: Core, cluster_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.accounts.users.unique_values.CLAIM_PATIENCE", 0.0)
    await crash(cluster_place, "claimed", "create")
    with pytest.raises(Taken, match="email"):
        await core.users.create(UserProfile(email=EMAIL))
    await healed(core)
    assert (await core.users.create(UserProfile(email=EMAIL))).email == EMAIL

"""What other services do because an account has changed: in order, until it is done."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from tests.services.accounts.core import Core, core_of
from tests.support.clock import PinnedClock
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import User, UserProfile, UserRole
from townsquare.services.accounts.service_updates import Seen, snapshot
from townsquare.services.events import UpdateRefused, UserSnapshot
from townsquare.square import Square
from townsquare.store.coordination.jobs import RETRY_SECONDS
from townsquare.store.keys import JobRecord
from townsquare.store.keys import job as job_record


@pytest.fixture
def core(square: Square) -> Core:
    return core_of(square)


@dataclass
class Follower:
    """A service that takes in accounts, in as many shares as told, or fails."""

    shares: int = 0
    failure: Exception | None = None
    asked: list[tuple[Seen, Seen]] = field(default_factory=list)

    async def apply(self, before: Seen, after: Seen) -> int:
        self.asked.append((before, after))
        if self.failure:
            raise self.failure
        self.shares = max(0, self.shares - 1)
        return self.shares


def follow(core: Core, name: str = "shop", **how: object) -> Follower:
    follower = Follower(**how)  # type: ignore[arg-type]
    core.updates.register(name, follower.apply, None)
    return follower


async def open_jobs(core: Core) -> list[JobRecord]:
    return await core.jobs.list()


async def renamed(core: Core, user: User, name: str) -> User:
    return await core.users.change(user.id, UserProfile(username=name))


async def test_a_service_is_told_what_it_knows_and_what_the_account_is(core: Core) -> None:
    shop = follow(core)
    bob = await core.users.create(UserProfile(username="bob"))
    bobby = await renamed(core, bob, "bobby")
    await core.users.change(bob.id, UserProfile(first_name="Robert"))
    model = await core.users.set_role(bob.id, UserRole.MODEL)
    await core.users.leave(bob.id, "shop")
    back = await core.users.join(bob.id, "shop")
    known = [None, snapshot(bob), snapshot(bobby), snapshot(model), None, snapshot(back)]
    assert shop.asked == list(pairwise(known))
    assert not hasattr(snapshot(bob), "password_hash")
    assert (await open_jobs(core), await core.updates.open_job(bob.id)) == ([], None)


async def test_a_device_is_followed_when_it_signs_up(core: Core) -> None:
    shop = follow(core)
    visitor = await core.users.visitor("device-1")
    assert shop.asked == []
    bob = await core.users.convert_visitor(visitor.id, UserProfile(username="bob"))
    assert shop.asked == [(None, snapshot(bob))]


async def test_a_service_that_fails_is_asked_again_and_keeps_nobody_waiting(
    core: Core, clock: PinnedClock
) -> None:
    broken, shop = follow(core, "broken", failure=LookupError("away")), follow(core)
    bob = await core.users.create(UserProfile(username="bob"))
    assert shop.asked == [(None, snapshot(bob))]
    (job,) = await open_jobs(core)
    assert (job.kind, job.state, job.error) == (keys.UPDATE_SERVICES_JOB, "failed", "LookupError: away")
    assert await core.updates.open_job(bob.id) == job.id

    tries = len(broken.asked)
    for pause in (RETRY_SECONDS, 2 * RETRY_SECONDS):  # each is twice as long as the one before
        clock.move(seconds=pause - 1)
        await core.jobs.run_open()
        assert len(broken.asked) == tries
        clock.move(seconds=2)
        await core.jobs.run_open()
        tries += 1
        assert len(broken.asked) == tries

    broken.failure = None
    ann = await core.users.create(UserProfile(username="ann"))
    assert broken.asked[-1] == (None, snapshot(ann))
    clock.move(hours=1)
    await core.jobs.run_open()
    assert (await open_jobs(core), broken.asked[-1]) == ([], (None, snapshot(bob)))
    assert shop.asked == [(None, snapshot(bob)), (None, snapshot(ann))], "each once"


async def test_what_is_begun_is_finished_before_the_next_change(core: Core, clock: PinnedClock) -> None:
    shop = follow(core)
    bob = await core.users.create(UserProfile(username="bob"))
    shop.failure = LookupError("away")
    bobby = await renamed(core, bob, "bobby")
    await renamed(core, bob, "rob")
    robert = await renamed(core, bob, "robert")
    shop.failure, shop.asked, shop.shares = None, [], 2
    clock.move(hours=1)
    await core.jobs.run_open()
    first, second, last = snapshot(bob), snapshot(bobby), snapshot(robert)
    assert shop.asked == [(first, second), (first, second), (second, last)]
    assert await open_jobs(core) == []


async def test_what_was_refused_is_asked_anew_with_the_account_as_it_is(core: Core) -> None:
    shop = follow(core)
    bob = await core.users.create(UserProfile(username="bob"))
    shop.failure = UpdateRefused("no such name here")
    await renamed(core, bob, "bobby")
    shop.failure = None
    robert = await renamed(core, bob, "robert")
    assert shop.asked[-1] == (snapshot(bob), snapshot(robert))
    assert await open_jobs(core) == []


async def test_a_job_whose_record_is_gone_is_started_again(core: Core) -> None:
    shop = follow(core, failure=LookupError("away"))
    bob = await core.users.create(UserProfile(username="bob"))
    (job,) = await open_jobs(core)
    await core.store.call("DEL", job_record(job.id))
    shop.failure = None
    await renamed(core, bob, "bobby")
    assert (await open_jobs(core), await core.updates.open_job(bob.id)) == ([], None)


async def test_services_look_once_more_when_asked_to(core: Core) -> None:
    shop = follow(core)
    bob = await core.users.create(UserProfile(username="bob"))
    assert await core.updates.wait(await core.updates.reopen(bob.id)) == "done"
    known = UserSnapshot(
        id=bob.id, username="bob"
    )  # a rename before the update finds what is under this name
    assert shop.asked == [(None, snapshot(bob)), (known, snapshot(bob))]


async def test_a_deletion_waits_for_what_services_have_yet_to_take_in(core: Core, clock: PinnedClock) -> None:
    shop = follow(core)
    bob = await core.users.create(UserProfile(username="bob"))
    shop.failure = LookupError("away")
    bobby = await renamed(core, bob, "bobby")
    deleted = []

    async def delete(user: User) -> int:
        deleted.append((user.username, shop.asked[-1]))
        return 0

    core.privacy.register("shop", delete=delete)
    await core.privacy.begin_deletion(bob.id)
    await core.jobs.run_open()
    assert deleted == []
    shop.failure = None
    clock.move(hours=1)
    await core.jobs.run_open()
    await core.jobs.run_open()
    assert deleted[0] == ("bobby", (snapshot(bob), snapshot(bobby)))
    assert await open_jobs(core) == []

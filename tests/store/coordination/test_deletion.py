"""A deletion follows from the declarations."""

import asyncio
import contextlib
from collections.abc import Callable

import pytest

from tests.support.squares import assert_clean, raw_names
from tests.toy.keys import email, note, person, person_notes, praises
from tests.toy.service import Toy
from townsquare.keyspace import Counts, DeclarationError, Groups, Keyspace, Owns, Pairs, by_script, mint_id
from townsquare.keyspace.deletion import plan_of
from townsquare.problems import NotFound
from townsquare.store.keys import jobs_open
from townsquare.store.scripts.deletion import DeletionSource


@pytest.fixture
async def ann(service: Toy) -> str:
    for name in ("ann", "bob"):
        await service.join(name, email=f"{name}@example.org", city="rome")
    return "ann"


async def test_what_is_small_is_gone_without_a_job(service: Toy, ann: str) -> None:
    id = await service.write("bob", "hello", "a", "b")
    assert await service.deletion.begin(note(id)) == ""
    assert not any(id in name for name in await raw_names(service.store))
    assert await service.store.call("SCARD", person_notes("bob")) == 0
    await assert_clean(service.store)


async def test_a_record_that_is_not_there_is_not_found(service: Toy) -> None:
    with pytest.raises(NotFound):
        await service.deletion.begin(person("nobody"))
    assert await service.deletion.share(person("nobody")) == 0
    assert await raw_names(service.store) == set()


async def test_a_late_step_leaves_alone_who_has_come_since(service: Toy, ann: str) -> None:
    """A process that was held up runs its step when the deletion is done and the name is taken again."""
    await service.write(ann, "hello")
    job = await service.deletion.begin(person(ann))
    await service.jobs.run(job)
    await service.join(ann, email="other@example.org", city="oslo")
    await service.write(ann, "hello again")

    await service.deletion._step(person, {"values": [ann], "job": job})
    assert await service.store.get(person(ann)) is not None
    assert await service.store.call("SCARD", person_notes(ann)) == 1
    await assert_clean(service.store)


async def test_a_mention_of_nothing_does_not_stop_a_deletion(service: Toy, ann: str) -> None:
    await service.write(ann, "hello")
    await service.store.call("SADD", person_notes(ann), mint_id("000"))
    await service.leave(ann)
    assert await service.store.get(person(ann)) is None
    assert await service.store.call("ZCARD", jobs_open()) == 0


async def test_an_index_that_has_another_owner_by_now_stays(service: Toy, ann: str) -> None:
    await service.store.call("SET", email("ann@example.org"), "bob")
    await service.leave(ann)
    assert await service.store.get(email("ann@example.org")) == "bob"


async def test_what_comes_before_is_done_in_shares(service: Toy, ann: str) -> None:
    left = [3, 2]

    async def before(key: object) -> int:
        return left.pop() if left else 0

    service.deletion.before(person, before)
    job = await service.deletion.begin(person(ann))
    assert job
    assert await service.store.get(person(ann)) is not None
    await service.jobs.run(job)
    assert (left, await service.store.get(person(ann))) == ([], None)


async def test_a_hundred_delete_and_write_at_once(service: Toy) -> None:
    people = [f"person-{number}" for number in range(20)]
    for name in people:
        await service.join(name, email=f"{name}@example.org", city="rome")

    async def write(number: int) -> None:
        me, other = people[number % 20], people[(number * 7 + 1) % 20]
        for act in (service.write(me, "hello", "a"), service.follow(me, other)):
            with contextlib.suppress(NotFound):
                await act

    await asyncio.gather(
        *(write(number) for number in range(100)), *(service.leave(name) for name in people[::2])
    )
    assert not [name for name in await raw_names(service.store) if name.endswith("person:person-0")]
    await assert_clean(service.store)


def keyspace() -> Keyspace:
    return Keyspace("club", "A club.")


def counted_pair(club: Keyspace, script: bool) -> None:
    @club.hash("member:{name}", home="member:{name}")
    def member(name: str) -> None:
        """A member."""

    @club.set("member:{name}:friends", home="member:{name}")
    def friends(name: str) -> None:
        """Whom a member likes."""

    @club.set("member:{name}:fans", home="member:{name}")
    def fans(name: str) -> None:
        """Who likes a member."""

    club.relate(
        Owns(member, (friends, fans)),
        Pairs(friends, fans, remove_right=by_script("drop_fan") if script else None),
        Counts(member, "fans", fans),
    )


def unlisted_keys(club: Keyspace) -> None:
    @club.hash("member:{name}", home="member:{name}")
    def member(name: str) -> None:
        """A member."""

    @club.string("member:{name}:day:{day}", home="member:{name}")
    def day(name: str, day: str) -> None:
        """A day."""

    club.relate(Owns(member, (day,)))


def by_function(club: Keyspace) -> None:
    @club.hash("member:{name}", home="member:{name}")
    def member(name: str) -> None:
        """A member."""

    @club.set("town:{town}", home="town:{town}")
    def town(town: str) -> None:
        """Members of a town."""

    club.relate(
        Owns(member, ()), Groups(town, member, member="name", params={"town": lambda one: one["address"]})
    )


def generated(club: Keyspace) -> str:
    plan = plan_of(club.keys["member"], club.relations)
    return DeletionSource(plan, (), lambda script: ["name"]).text()


@pytest.mark.parametrize(
    ("declare", "says"),
    [
        (lambda club: counted_pair(club, False), "say which script takes a member of .* out of it"),
        (lambda club: counted_pair(club, True), "must be for the name that goes"),
        (unlisted_keys, "no collection of its own lists those keys"),
        (by_function, "a script of its own must take it out"),
    ],
)
def test_what_cannot_be_derived_is_said(declare: Callable[[Keyspace], None], says: str) -> None:
    club = keyspace()
    declare(club)
    with pytest.raises(DeclarationError, match=says):
        generated(club)


async def test_what_nobody_relates_goes_with_its_owner(service: Toy, ann: str) -> None:
    id = await service.write("bob", "hello")
    await service.praise(id, ann)
    await service.leave(ann)
    assert await service.store.call("EXISTS", praises(ann)) == 0

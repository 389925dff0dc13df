"""Loading a community from a file, from the terminal."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from tests.services.social.world import World
from tests.support.clock import PinnedClock
from tests.support.commands import Say, commands_on
from tests.support.squares import Place, assert_clean, open_square
from townsquare.services.social.load_file import load
from townsquare.services.social.sync_records import RECORDS
from townsquare.square import Square

NOW = 1_773_500_000_000


def lines(*records: object) -> list[bytes]:
    return [msgspec.json.encode(record) + b"\n" for record in records]


def community(people: int) -> list[bytes]:
    """A ring: everybody has a post, follows the next one and likes the next one's post."""
    names = [f"user{number}" for number in range(people)]
    nexts = [*names[1:], names[0]]
    return lines(
        *({"kind": "user", "username": name, "created_at": NOW} for name in names),
        *(
            {"kind": "post", "id": name, "username": name, "content": f"I am {name} #ring", "created_at": NOW}
            for name in names
        ),
        *(
            {"kind": "follow", "follower": name, "followed": other}
            for name, other in zip(names, nexts, strict=True)
        ),
        *(
            {"kind": "like", "post_id": other, "username": name}
            for name, other in zip(names, nexts, strict=True)
        ),
    )


@pytest.mark.slow
async def test_a_community_is_loaded_whole_and_once(world: World) -> None:
    people = RECORDS + 100
    heard: list[int] = []
    tally = await load(world.social, community(people), lambda tally: heard.append(tally.records))
    assert heard == sorted(heard)
    assert heard[-1] == tally.records == 4 * people
    assert set(tally.outcomes.values()) == {people}
    assert {status for _, status in tally.outcomes} == {"created"}
    profile = await world.social.profiles.get("user7")
    assert (profile.post_count, profile.follower_count, profile.following_count) == (1, 1, 1)
    await assert_clean(world.store)

    again = await load(world.social, community(people))
    assert {status for _, status in again.outcomes} == {"unchanged"}


async def test_lines_that_cannot_be_loaded_are_named(world: World) -> None:
    given = [
        *lines({"kind": "user", "username": "ann"}),
        b"not json\n",
        *lines(
            {"kind": "planet", "name": "Earth"},
            ["a list"],
            {"kind": "follow", "follower": "ann", "followed": "bob"},
        ),
    ]
    tally = await load(world.social, given)
    assert [(refused.line, refused.code) for refused in tally.refused] == [
        (2, "invalid"),
        (3, "invalid"),
        (4, "invalid"),
        (5, "profile_not_found"),
    ]
    assert tally.bytes == sum(map(len, given))


@pytest.fixture
def say(plain_place: Place, clock: PinnedClock) -> Iterator[Say]:
    @asynccontextmanager
    async def open_one() -> AsyncIterator[Square]:
        async with open_square(plain_place, clock) as square:
            yield square
            await assert_clean(square.store)

    with commands_on(open_one) as say:
        yield partial(say, "social")


def test_the_command_loads_a_file_and_says_what_became_of_it(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "community.jsonl"
    file.write_bytes(b"".join(community(30)))
    done = say("load", str(file))
    assert done.exit_code == 0, done.output
    assert [word for word in done.stdout.split() if word == "30"] == ["30"] * 4
    again = say("load", str(file))
    assert again.exit_code == 0
    file.write_bytes(b"".join([*community(2), *lines({"kind": "user", "username": "a:b"})]))
    refused = say("load", str(file))
    assert refused.exit_code == 1
    assert "line 9" in refused.stderr


def test_the_command_renames_and_deletes(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "community.jsonl"
    file.write_bytes(b"".join(community(3)))
    say("load", str(file))
    assert say("rename", "user0", "first").exit_code == 0
    assert say("rename", "user0", "second").exit_code == 1
    assert say("delete", "user1", "--yes").exit_code == 0
    gone = say("delete", "user1", "--yes")
    assert (gone.exit_code, gone.stderr.strip()) == (1, "There is no such user")

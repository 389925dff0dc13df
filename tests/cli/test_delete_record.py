"""`townsquare delete record`."""

from collections.abc import Iterator

import pytest

from tests.support.clock import PinnedClock
from tests.support.commands import Say, commands_on
from tests.support.squares import Place, open_square


@pytest.fixture
def say(plain_place: Place, clock: PinnedClock) -> Iterator[Say]:
    with commands_on(lambda: open_square(plain_place, clock)) as say:
        yield say


@pytest.fixture
async def alice(plain_place: Place, clock: PinnedClock) -> None:
    async with open_square(plain_place, clock) as square:
        await square.social.profiles.register("alice")
        await square.social.profiles.register("bob")
        await square.social.follows.follow("bob", "alice")
        await square.social.posts.create("alice", "hello")


@pytest.mark.usefixtures("alice")
def test_it_tells_what_goes_and_deletes_it(say: Say) -> None:
    told = say("delete", "record", "social", "user:alice", "--dry-run")
    assert told.exit_code == 0, told.output
    assert "social.post" in told.output
    assert "deleted" not in told.output

    assert "user:alice deleted" in say("delete", "record", "social", "user:alice", "--yes").output
    gone = say("delete", "record", "social", "user:alice", "--yes")
    assert (gone.exit_code, "There is no user:alice" in gone.output) == (1, True)


@pytest.mark.parametrize(
    ("service", "key", "says"),
    [
        ("sociall", "user:alice", "There is no service sociall"),
        ("social", "nonsense", "social has no key like nonsense"),
        ("social", "explore:feed", "cannot be deleted by itself"),
        ("analytics", "product:P9", "cannot be deleted by itself"),
        ("social", "user:alice", "There is no user:alice"),
    ],
)
def test_what_cannot_be_deleted_is_said(say: Say, service: str, key: str, says: str) -> None:
    refused = say("delete", "record", service, key, "--yes")
    assert refused.exit_code == 1
    assert says in refused.output

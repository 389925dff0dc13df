"""A script on a slot that moves runs as a whole or not at all."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.support.clock import PinnedClock
from tests.support.engines import Cluster
from tests.support.squares import Place, assert_clean, open_square
from townsquare.keyspace import AnyKey
from townsquare.problems import Unavailable
from townsquare.services.social import keys as social_keys
from townsquare.services.widgets.keys import counter
from townsquare.services.widgets.visitors import Visitor
from townsquare.square import Square

VISITOR = Visitor("192.0.2.1", "a browser")


@pytest.fixture
async def square(cluster_place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    async with open_square(cluster_place, clock) as square:
        for name in ("ann", "bob"):
            await square.accounts.sign_up(name)
        yield square


@contextlib.asynccontextmanager
async def moving(cluster: Cluster, square: Square, home: AnyKey) -> AsyncIterator[None]:
    """The slot of this home is on its way, all of its keys still where they were; in the end it has moved."""
    slot = square.store.role_store(home).layout.slot(home)
    assert slot is not None
    source = cluster.node_of(slot)
    target = next(node for node in cluster.nodes if node is not source)
    cluster.begin_migration(slot, source, target)
    yield
    cluster.move_keys(slot, source, target)
    cluster.end_migration(slot, source, target)


Work = Callable[[], Awaitable[object]]


async def refused_while_moving(cluster: Cluster, square: Square, home: AnyKey, work: Work) -> None:
    async with moving(cluster, square, home):
        with pytest.raises(Unavailable):
            await work()
    await assert_clean(square.store)


async def test_what_empties_a_list_leaves_no_half(square: Square, cluster: Cluster) -> None:
    social = square.social
    post = (await social.create_post("ann", "hello")).id
    await social.like(post, "bob")
    await social.follow("bob", "ann")
    await refused_while_moving(cluster, square, social_keys.post(post), lambda: social.unlike(post, "bob"))
    await refused_while_moving(
        cluster, square, social_keys.user("bob"), lambda: social.unfollow("bob", "ann")
    )
    assert (await social.get_post(post)).likes_count == 1
    assert (await social.unlike(post, "bob")).changed
    assert (await social.unfollow("bob", "ann")).changed
    assert (await social.get_profile("bob")).following_count == 0
    await assert_clean(square.store)


async def test_what_finds_keys_by_itself_counts_nothing(square: Square, cluster: Cluster) -> None:
    """The days of a counter, most of which are not there."""
    counters = square.widgets.counter
    id = (await counters.create("https://example.com", "a-secret-of-mine")).id
    await refused_while_moving(cluster, square, counter(id), lambda: counters.increment(id, VISITOR))
    await refused_while_moving(cluster, square, counter(id), lambda: counters.get(id))
    assert (await counters.increment(id, VISITOR)).total == 1

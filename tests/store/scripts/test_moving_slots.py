"""A script on a slot that moves runs as a whole or not at all."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.support.clock import PinnedClock
from tests.support.engines import Cluster
from tests.support.squares import Place, assert_clean, browse, open_square
from townsquare.keyspace import AnyKey
from townsquare.problems import Unavailable
from townsquare.services.social import keys as social_keys
from townsquare.services.threads import keys as threads_keys
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.keys import counter
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
    post = (await social.posts.create("ann", "hello")).id
    await social.posts.like(post, "bob")
    await social.follows.follow("bob", "ann")
    await refused_while_moving(
        cluster, square, social_keys.post(post), lambda: social.posts.unlike(post, "bob")
    )
    await refused_while_moving(
        cluster, square, social_keys.user("bob"), lambda: social.follows.unfollow("bob", "ann")
    )
    assert (await social.posts.get(post)).likes_count == 1
    assert (await social.posts.unlike(post, "bob")).changed
    assert (await social.follows.unfollow("bob", "ann")).changed
    assert (await social.profiles.get("bob")).following_count == 0
    await assert_clean(square.store)


async def test_what_finds_keys_by_itself_counts_nothing(square: Square, cluster: Cluster) -> None:
    """The days of a counter, most of which are not there."""
    counters = square.widgets.counter
    id = (await counters.create("https://example.com", "a-secret-of-mine")).id
    await refused_while_moving(cluster, square, counter(id), lambda: counters.increment(id, VISITOR))
    await refused_while_moving(cluster, square, counter(id), lambda: counters.get(id))
    assert (await counters.increment(id, VISITOR)).total == 1


async def test_what_is_not_there_yet_is_made_afterwards(square: Square, cluster: Cluster) -> None:
    """The old node sends on what it has nothing of, and the new one has to wait for it."""
    social = square.social
    await refused_while_moving(
        cluster, square, social_keys.user("cyd"), lambda: social.profiles.register("cyd")
    )
    await social.profiles.register("cyd")
    assert (await social.profiles.get("cyd")).username == "cyd"


async def test_usage_of_a_site_that_moves_is_written_down_later(square: Square, cluster: Cluster) -> None:
    threads = square.services["threads"]
    sites = [(await threads.sites.create(name, f"{name}.example.org")).id for name in ("here", "there")]
    for _ in range(2):
        for site in sites:
            threads.usage.add(site, "pageviews")
    async with moving(cluster, square, threads_keys.site(sites[0])):
        with pytest.raises(Unavailable):
            await threads.usage.flush()
    await threads.usage.flush()
    assert [(await threads.usage.read(site))[0].pageviews for site in sites] == [2, 2]


async def test_a_page_says_that_the_store_is_away(square: Square, cluster: Cluster) -> None:
    id = (await square.widgets.counter.create("https://example.com", "a-secret-of-mine")).id
    async with browse(square) as http, moving(cluster, square, counter(id)):
        answers = [await http.get("/widgets/visit", params={"action": "get", "id": id}) for _ in range(3)]
    assert [(one.status_code, one.json()["code"]) for one in answers] == [(503, "store_unavailable")] * 3

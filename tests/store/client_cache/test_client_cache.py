"""What is kept in memory is what Redis has: whatever happens between a read and its reply, and after it."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from tests.store.near.world import note, process, read_note, text_of, word, write
from tests.support.engines import Cluster, Node
from tests.support.proxy import Proxy, proxy_to
from tests.support.squares import Place
from tests.support.waiting import until
from townsquare.keyspace import Registry
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.near import NearCache, Outdated, RecordBundle
from townsquare.store.near.cache import Entry
from townsquare.store.store import Store


@pytest.fixture
def known_keys() -> Registry | None:
    return None


@pytest.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    async with process(place) as store:
        yield store


@pytest.fixture
async def other(place: Place) -> AsyncIterator[Store]:
    async with process(place) as store:
        yield store


@pytest.fixture
async def proxy(data_node: Node) -> AsyncIterator[Proxy]:
    async with proxy_to("127.0.0.1", data_node.port) as proxy:
        yield proxy


@pytest.fixture
async def behind(plain_place: Place, proxy: Proxy) -> AsyncIterator[Store]:
    """A process whose replies the test can hold back."""
    async with process(Place("plain", proxy.url, plain_place.cache_url)) as store:
        yield store


def kept(store: Store) -> NearCache:
    assert store.near is not None
    return store.near


async def test_a_record_is_read_once_and_again_when_anybody_changes_it(store: Store, other: Store) -> None:
    assert await text_of(store, "a") is None, "and what is not there is not kept"
    await write(other, "a", "one")
    await store.call("EXISTS", note("a"))  # after whose reply the news of that is here
    assert [await text_of(store, "a") for _ in range(3)] == ["one"] * 3
    assert (kept(store).hits, kept(store).misses) == (2, 2)
    for writer, text in ((other, "two"), (store, "three")):
        await write(writer, "a", text)
        assert await text_of(store, "a") == text
        assert await text_of(other, "a") == text
    await other.call("DEL", note("a"))
    assert await text_of(store, "a") is None
    assert kept(store).size == 0


async def test_a_batch_mixes_what_is_kept_with_what_is_asked(store: Store, other: Store) -> None:
    await asyncio.gather(*(write(other, str(number), f"text {number}") for number in range(20)))
    reads = [read_note(str(number)) for number in range(20)]
    for _ in range(2):
        found = await store.read([*reads, ("HLEN", note("3"))])
        assert [one.text for one in found[:-1]] == [f"text {number}" for number in range(20)]
        assert found[-1] == 2
        await write(other, "7", "text 7")
        await until(lambda: len(kept(store).entries) == 19)
    assert kept(store).hits == 19


async def test_a_change_that_comes_with_the_reply_is_not_missed(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    """The reply and the news of the change arrive in one piece, before anybody could keep anything."""
    await write(behind, "a", "old")
    proxy.hold_replies()
    reading = asyncio.create_task(text_of(behind, "a"))
    await until(lambda: data_node.ask("INFO", "stats")["tracking_total_keys"] == 1)
    data_node.ask("HSET", "test:near:note:a", "text", "new")
    proxy.release()
    assert await reading == "old", "the change came after the read"
    assert not kept(behind).entries
    assert await text_of(behind, "a") == "new"


async def test_a_kept_record_waits_for_news_that_are_on_their_way(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "old")
    assert await text_of(behind, "a") == "old"
    proxy.hold_replies()
    data_node.ask("HSET", "test:near:note:a", "text", "new")  # acknowledged to its writer
    reading = asyncio.create_task(text_of(behind, "a"))
    await asyncio.sleep(0)
    assert kept(behind).entries, "we do not know yet"
    proxy.release()
    assert await reading == "new"


async def test_a_request_that_used_what_had_changed_is_not_confirmed(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "old")
    assert await text_of(behind, "a") == "old"
    proxy.hold_replies()
    data_node.ask("HSET", "test:near:note:a", "text", "new")
    reading = behind.reading()
    assert reading is not None
    assert await text_of(behind, "a") == "old", "at once, without a reply"
    confirming = asyncio.create_task(reading.confirm())
    await asyncio.sleep(0)
    assert not confirming.done(), "something that was asked after it began must be answered first"
    proxy.release()
    assert not await confirming
    reading.end()
    assert await text_of(behind, "a") == "new"


async def test_what_a_request_used_is_confirmed_by_what_it_asks_anyway(store: Store, other: Store) -> None:
    await write(other, "a", "one")
    await text_of(store, "a")
    reading = store.reading()
    assert reading is not None
    assert await text_of(store, "a") == "one"
    await store.call("HGET", note("a"), "text")
    assert all(map(reading.proves, reading.used))
    assert await reading.confirm()
    reading.end()


def is_gone(entry: Entry) -> bool:
    return not entry.live


async def test_a_request_writes_only_after_what_it_used_is_confirmed(store: Store, other: Store) -> None:
    await write(other, "a", "one")
    await text_of(store, "a")
    for changed in (False, True):
        reading = store.reading()
        assert reading is not None
        assert await text_of(store, "a") == "one"
        if changed:
            await other.call("HSET", note("a"), "text", "two")
            await until(partial(is_gone, reading.used[0]))  # on a cluster it asked for news when it read
            with pytest.raises(Outdated):
                await store.call("HSET", note("b"), "text", "not written")
        else:
            await store.call("HSET", note("b"), "text", "written")
            assert await reading.confirm(), "what is written is not done anew"
        reading.end()
    assert await store.call("HGET", note("b"), "text") == b"written"


async def test_a_task_that_outlives_its_request_asks(store: Store, other: Store) -> None:
    await write(other, "a", "one")
    await text_of(store, "a")
    reading = store.reading()
    assert reading is not None
    assert await asyncio.create_task(text_of(store, "a")) == "one"
    assert not reading.used
    reading.end()


async def test_what_has_a_lifetime_is_not_shown_after_its_end(store: Store, other: Store) -> None:
    await other.call("SET", word("a"), "soon", "PX", 60_000)
    assert await store.get(word("a")) == await store.get(word("a")) == "soon"
    (entry,) = kept(store).entries.values()
    assert 30 < entry.until - asyncio.get_running_loop().time() <= 60
    assert kept(store).hits == 1
    entry.until = asyncio.get_running_loop().time()  # the end has come, and no news of it
    assert await store.get(word("a")) == "soon"
    assert kept(store).hits == 1, "it was asked"


async def test_a_flushed_node_and_a_lost_connection_leave_nothing(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "one")
    assert await text_of(behind, "a") == "one"
    data_node.ask("FLUSHALL")
    assert await text_of(behind, "a") is None
    await write(behind, "a", "two")
    assert await text_of(behind, "a") == "two"
    proxy.cut()
    await until(lambda: not kept(behind).entries)
    data_node.ask("HSET", "test:near:note:a", "text", "three")
    await until(lambda: behind.role_stores[note.role].nodes.links())
    assert await text_of(behind, "a") == "three"


async def test_a_slot_that_moves_takes_its_records_along(cluster_place: Place, cluster: Cluster) -> None:
    async with process(cluster_place) as store, process(cluster_place) as other:
        await write(other, "a", "one")
        assert await text_of(store, "a") == await text_of(store, "a") == "one"
        slot = store.role_stores[note.role].layout.slot(note("a"))
        assert slot is not None
        source = cluster.node_of(slot)
        target = next(node for node in cluster.nodes if node is not source)
        cluster.begin_migration(slot, source, target)
        cluster.move_keys(slot, source, target)
        await write(other, "a", "two")
        assert await text_of(store, "a") == "two", "where the slot is on its way"
        await write(other, "a", "three")
        cluster.end_migration(slot, source, target)
        for text in ("four", "five"):
            await write(other, "a", text)
            assert await text_of(store, "a") == await text_of(store, "a") == text
        cluster.migrate(slot, target, source)


async def test_memory_is_bounded_and_what_is_used_stays(plain_place: Place) -> None:
    async with process(plain_place, limit=200_000) as store:
        cache = kept(store)
        for number in range(1_000):  # some ten times more than fits
            await write(store, str(number), "x" * 100)
            await text_of(store, str(number))
            await text_of(store, "0")
            assert cache.size <= cache.limit
        assert 50 < len(cache.entries) < 200
        assert cache.size == sum(entry.size for entry in cache.entries.values())
        assert store.name(note("0")).encode() in cache.entries
        await write(store, "large", "x" * 100_000)
        await text_of(store, "large")
        assert store.name(note("large")).encode() not in cache.entries


async def test_what_is_made_of_several_records_counts_into_the_memory(plain_place: Place) -> None:
    async with process(plain_place, limit=300_000) as store:
        for number in range(100):
            await write(store, str(number), "x" * 500)
        for start in range(95):
            bundle = RecordBundle([read_note(str(start + number)) for number in range(5)])
            before = kept(store).size
            snapshot, _ = await store.read_bundle(bundle, [])
            assert [note.text for note in snapshot.answers] == ["x" * 500] * 5
            if start < 20:  # while there is room
                assert (await store.read_bundle(bundle, []))[0] is snapshot
                assert kept(store).size > before + 5 * 500
            assert kept(store).size <= 300_000


async def test_what_has_changed_is_not_kept_by_who_relied_on_it(store: Store, other: Store) -> None:
    await write(other, "a", "x" * 1_000)
    await text_of(store, "a")
    (entry,) = kept(store).entries.values()
    assert entry.views
    await write(other, "a", "y")
    await until(lambda: not entry.live)
    assert not entry.views


async def test_a_redis_that_does_not_tell_of_changes_is_read_every_time(
    plain_place: Place, data_node: Node
) -> None:
    data_node.ask("ACL", "SETUSER", "default", "-client|tracking")
    try:
        async with process(plain_place) as store:
            await write(store, "a", "one")
            assert await text_of(store, "a") == "one"
            data_node.ask("HSET", "test:near:note:a", "text", "two")
            assert await text_of(store, "a") == "two"
            assert not kept(store).entries
    finally:
        data_node.ask("ACL", "SETUSER", "default", "+client|tracking")


async def test_off_by_setting(plain_place: Place) -> None:
    async with process(plain_place, limit=0) as store:
        await write(store, "a", "one")
        assert await text_of(store, "a") == "one"
        assert store.near is None
        assert store.reading() is None


async def test_a_failure_of_the_store_is_told(behind: Store, proxy: Proxy) -> None:
    await write(behind, "a", "one")
    await text_of(behind, "a")
    await proxy.refuse()
    with pytest.raises((Unavailable, OutcomeUnknown)):
        await text_of(behind, "a")

"""A cached record is what Redis holds, whatever happens between a read and its reply, and after it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from tests.store.client_cache.world import (
    NOTE,
    SHELF,
    VERSIONS,
    Note,
    ReadShelf,
    cache_of,
    commands,
    fill_shelf,
    forget_commands,
    note,
    process,
    read_joined,
    request,
    text_of,
    word,
    write,
)
from tests.support.engines import Cluster, Node
from tests.support.proxy import Proxy, proxy_to
from tests.support.squares import Place
from tests.support.waiting import until
from townsquare.keyspace import DeclarationError, Registry
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.client_cache import Composite, Record, StaleRead
from townsquare.store.store import Store
from townsquare.store.wire.protocol import RedisProtocol

NOTE_A = "test:notes:note:a"  # on one node
PATIENCE = 5  # seconds: what takes longer hangs


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
def nodes(place: Place, request: pytest.FixtureRequest) -> list[Node]:
    """The nodes of the data role."""
    if place.name == "cluster":
        cluster: Cluster = request.getfixturevalue("cluster")
        return cluster.nodes
    return [request.getfixturevalue("data_node")]


@pytest.fixture
async def proxy(data_node: Node) -> AsyncIterator[Proxy]:
    async with proxy_to("127.0.0.1", data_node.port) as proxy:
        yield proxy


@pytest.fixture
async def behind(plain_place: Place, proxy: Proxy) -> AsyncIterator[Store]:
    """A process whose replies the test can hold back."""
    async with process(Place("plain", proxy.url, plain_place.cache_url)) as store:
        yield store


def connection_of(store: Store) -> RedisProtocol:
    """The only connection of the data role."""
    (connection,) = store.role_stores[note.role].nodes.sessions()
    return connection


async def test_a_record_is_read_once_and_again_after_each_change(store: Store, other: Store) -> None:
    assert await text_of(store, "a") is None
    assert not cache_of(store).entries, "a record that does not exist is not cached"
    await write(other, "a", "one")
    await store.call("EXISTS", note("a"))  # with its reply the invalidation is here
    assert [await text_of(store, "a") for _ in range(3)] == ["one"] * 3
    assert (cache_of(store).hits, cache_of(store).misses) == (2, 2)
    for writer, text in ((other, "two"), (store, "three")):
        await write(writer, "a", text)
        assert await text_of(store, "a") == text
        assert await text_of(other, "a") == text
    await other.call("DEL", note("a"))
    assert await text_of(store, "a") is None
    assert cache_of(store).size == 0


async def test_an_entry_is_found_by_its_record_and_parameters(store: Store) -> None:
    """Several kinds of record may read one key; its invalidation removes them all."""
    length = Record(note, "HLEN", decode=int)
    await write(store, "a", "one")
    assert await store.read([NOTE("a"), length("a")]) == [Note("one"), 2]
    assert set(cache_of(store).entries) == {(NOTE, "a"), (length, "a")}
    await write(store, "a", "two")
    await until(lambda: not cache_of(store).entries)


async def test_a_composite_is_used_until_one_of_its_records_changes(store: Store, other: Store) -> None:
    await fill_shelf(other, 3)
    numbers, key = (0, 1, 2), ("0", "1", "2")
    assert await read_joined(store, numbers) == [0, 0, 0]
    with request(store):
        await store.run(ReadShelf(name=SHELF))
        assert await store.composite(VERSIONS, key) == (0, 0, 0)
    await write(other, "1", "1", version=7)
    assert await read_joined(store, numbers) == [0, 7, 0]
    assert cache_of(store).entries[VERSIONS, key].value == (0, 7, 0)


async def test_a_composite_waits_for_invalidations_in_flight(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await fill_shelf(behind, 1)
    await read_joined(behind, [0])
    proxy.hold_replies()
    data_node.ask("HSET", "test:notes:note:0", "version", "7")
    with request(behind):
        reading = asyncio.create_task(behind.composite(VERSIONS, ("0",)))
        await asyncio.sleep(0)
        proxy.release()
        assert await reading is None


async def test_a_composite_of_records_that_have_changed_is_not_cached(store: Store) -> None:
    await fill_shelf(store, 2)
    first, _ = await store.read_all(NOTE, ["0", "1"])
    for changed in (((NOTE, "1"), Note("1")), ((NOTE, "5"), None)):  # equal, but of another read; not there
        store.add_composite(VERSIONS, ("0", "1"), (0, 0), [((NOTE, "0"), first), changed])
    assert (VERSIONS, ("0", "1")) not in cache_of(store).entries


async def test_requests_wait_for_a_composite_that_another_one_makes(store: Store) -> None:
    await fill_shelf(store, 1)
    may_end, calls = asyncio.Event(), 0

    async def make() -> tuple[int, ...]:
        nonlocal calls
        calls += 1
        await may_end.wait()
        (found,) = await store.read_all(NOTE, ["0"])
        store.add_composite(VERSIONS, ("0",), (0,), [((NOTE, "0"), found)])
        return (0,)

    async def ask() -> object:
        with request(store):
            return await store.compose(VERSIONS, ("0",), make)

    first, cancelled, last = [asyncio.create_task(ask()) for _ in range(3)]
    await asyncio.sleep(0)
    cancelled.cancel()
    may_end.set()
    assert [await first, await last] == [(0,), (0,)]
    assert calls == 1

    async def fail() -> None:
        raise LookupError

    with request(store), pytest.raises(LookupError):
        await store.compose(VERSIONS, ("1",), fail)
    with request(store):
        assert await store.compose(VERSIONS, ("1",), make) == (0,)  # it does not wait for what has failed


async def test_a_composite_counts_for_the_memory_limit(plain_place: Place) -> None:
    async with process(plain_place, limit=160_000) as store:
        await fill_shelf(store, 2)
        read = [((NOTE, id), one) for id, one in zip("01", await store.read_all(NOTE, "01"), strict=True)]
        large = Composite[bytes](memory=len)
        store.add_composite(large, "too large", b"x" * 9_000, read)
        assert (large, "too large") not in cache_of(store).entries
        for number in range(100):
            store.add_composite(large, number, b"x" * 2_000, read)
            assert cache_of(store).size <= 160_000
        assert {NOTE, large} == {record for record, _ in cache_of(store).entries} | {NOTE}


async def test_a_batch_mixes_cached_records_misses_and_commands(store: Store, other: Store) -> None:
    await asyncio.gather(*(write(other, str(number), f"text {number}") for number in range(20)))
    reads = [NOTE(str(number)) for number in range(20)]
    for _ in range(2):
        found = await store.read([*reads, ("HLEN", note("3"))])
        assert [one.text for one in found[:-1]] == [f"text {number}" for number in range(20)]
        assert found[-1] == 2
        await write(other, "7", "text 7")
        await until(lambda: len(cache_of(store).entries) == 19)
    assert cache_of(store).hits == 19


async def test_an_invalidation_that_arrives_with_the_reply_is_not_missed(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    """Both arrive in one piece, before the record could be cached."""
    await write(behind, "a", "old")
    proxy.hold_replies()
    reading = asyncio.create_task(text_of(behind, "a"))
    await until(lambda: data_node.ask("INFO", "stats")["tracking_total_keys"] == 1)
    data_node.ask("HSET", NOTE_A, "text", "new")
    proxy.release()
    assert await reading == "old", "the change came after the read"
    assert not cache_of(behind).entries
    assert await text_of(behind, "a") == "new"


async def test_a_cached_record_waits_for_invalidations_in_flight(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "old")
    assert await text_of(behind, "a") == "old"
    proxy.hold_replies()
    data_node.ask("HSET", NOTE_A, "text", "new")  # acknowledged to its writer
    reading = asyncio.create_task(text_of(behind, "a"))
    await asyncio.sleep(0)
    assert cache_of(behind).entries, "the invalidation is not here yet"
    proxy.release()
    assert await reading == "new"


async def test_a_request_that_used_a_stale_record_is_not_validated(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "old")
    assert await text_of(behind, "a") == "old"
    proxy.hold_replies()
    data_node.ask("HSET", NOTE_A, "text", "new")
    with request(behind) as barrier:
        assert await text_of(behind, "a") == "old", "at once, without a round trip"
        validating = asyncio.create_task(barrier.validate())
        await asyncio.sleep(0)
        assert not validating.done(), "a command sent after the request began must be answered first"
        proxy.release()
        assert not await validating
    assert await text_of(behind, "a") == "new"


@pytest.mark.parametrize("changed", [False, True])
async def test_a_validation_that_was_cancelled_can_be_repeated(
    behind: Store, proxy: Proxy, data_node: Node, changed: bool
) -> None:
    """A service may bound `validate_reads` by a timeout, and the web layer validates at the end."""
    await write(behind, "a", "old")
    await text_of(behind, "a")
    proxy.hold_replies()
    if changed:
        data_node.ask("HSET", NOTE_A, "text", "new")
    with request(behind) as barrier:
        await text_of(behind, "a")
        validating = asyncio.create_task(barrier.validate())
        await asyncio.sleep(0)
        validating.cancel()
        await asyncio.wait([validating])
        assert validating.cancelled()
        again = asyncio.create_task(barrier.validate())
        await asyncio.sleep(0)
        assert not again.done(), "there is still no reply"
        proxy.release()
        assert await asyncio.wait_for(again, PATIENCE) is not changed


async def test_the_reply_to_the_skeleton_is_the_proof(plain_place: Place, data_node: Node) -> None:
    """Before it and after it: a page whose records are cached is one command."""
    async with process(plain_place) as store:
        await fill_shelf(store, 20)
        ids = await store.run(ReadShelf(name=SHELF))
        await store.read_all(NOTE, ids)
        forget_commands([data_node])
        with request(store) as barrier:
            assert await text_of(store, "3") == "3", "used before it"
            assert await store.run(ReadShelf(name=SHELF)) == ids
            found = await store.read_all(NOTE, ids)
            assert [one.text for one in found if one] == ids
            assert await barrier.validate()
        sent = commands([data_node])
        assert sent["evalsha"] == 1
        assert sent["ping"] == sent["role"] == sent["hmget"] == 0


async def test_an_invalidation_before_the_reply_to_the_skeleton_counts(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    """A record that was used before the skeleton makes the request run again; one after it is read again."""
    await fill_shelf(behind, 3)
    await behind.read_all(NOTE, ["0", "1", "2"])
    proxy.hold_replies()
    data_node.ask("HSET", "test:notes:note:1", "text", "new")
    with request(behind) as barrier:
        skeleton = asyncio.create_task(behind.run(ReadShelf(name=SHELF)))
        await asyncio.sleep(0)
        proxy.release()
        await skeleton
        found = await behind.read_all(NOTE, ["0", "1", "2"])
        assert [one.text for one in found if one] == ["0", "new", "2"]
        assert await barrier.validate()


async def test_barriers_to_all_nodes_are_sent_beside_the_skeleton(
    cluster_place: Place, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a page whose records are cached takes one round trip, wherever they are."""
    async with process(cluster_place) as store:
        await fill_shelf(store, 20)
        ids = await store.run(ReadShelf(name=SHELF))
        await store.read_all(NOTE, ids)
        nodes = store.role_stores[note.role].nodes
        assert len({entry.connection for entry in cache_of(store).entries.values()}) == 3
        order: list[str] = []
        execute, barrier_command = nodes.execute, RedisProtocol.barrier

        async def executed(*command: object) -> object:
            order.append("skeleton")
            reply = await execute(*command)  # type: ignore[arg-type]
            order.append("reply")
            return reply

        def sent(connection: RedisProtocol) -> asyncio.Future[None]:
            order.append("barrier")
            return barrier_command(connection)

        monkeypatch.setattr(nodes, "execute", executed)
        monkeypatch.setattr(RedisProtocol, "barrier", sent)
        forget_commands(cluster.nodes)
        with request(store) as barrier:
            await store.run(ReadShelf(name=SHELF))
            found = await store.read_all(NOTE, ids)
            assert [one.text for one in found if one] == ids
            assert await barrier.validate()
        assert order[-1] == "reply", "nothing is sent after the reply to the skeleton"
        assert 3 <= order.count("barrier") <= 4, "the three nodes, and the node of the cache role"
        assert [commands([node])["role"] for node in cluster.nodes] == [1, 1, 1]
        assert not commands(cluster.nodes)["hmget"]


async def test_a_request_writes_only_after_validation(store: Store, other: Store) -> None:
    await write(other, "a", "one")
    await text_of(store, "a")
    for changed in (False, True):
        with request(store) as barrier:
            assert await text_of(store, "a") == "one"
            if changed:
                await other.call("HSET", note("a"), "text", "two")
                # on a cluster the barrier command was sent when the record was used
                await until(lambda: (NOTE, "a") not in cache_of(store).entries)
                with pytest.raises(StaleRead):
                    await store.call("HSET", note("b"), "text", "not written")
            else:
                await store.call("HSET", note("b"), "text", "written")
                assert await barrier.validate(), "a request that has written does not run again"
    assert await store.call("HGET", note("b"), "text") == b"written"


async def test_a_request_that_will_write_sends_its_barrier_at_first_use(
    plain_place: Place, data_node: Node
) -> None:
    async with process(plain_place) as store:
        await write(store, "a", "one")
        await text_of(store, "a")
        forget_commands([data_node])
        with request(store, eager=True):
            await text_of(store, "a")
            await until(lambda: commands([data_node])["ping"] == 1)
            await store.call("HSET", note("b"), "text", "written")
        assert commands([data_node])["ping"] == 1


async def test_validate_reads_refuses_what_has_changed(store: Store, other: Store) -> None:
    """For a request to an external service, which cannot be repeated."""
    await store.validate_reads()  # outside of a request there is nothing to validate
    await write(other, "a", "one")
    await text_of(store, "a")
    with request(store):
        await text_of(store, "a")
        await store.validate_reads()
    with request(store):
        await text_of(store, "a")
        await write(other, "a", "two")
        await until(lambda: not cache_of(store).entries)
        with pytest.raises(StaleRead):
            await store.validate_reads()


async def test_a_request_reads_its_own_writes(plain_place: Place) -> None:
    """Redis sends the invalidation of a client's own write after the reply: they may arrive apart."""
    async with process(plain_place) as store:
        await write(store, "a", "old")
        await text_of(store, "a")
        connection = connection_of(store)
        receive, held = connection.data_received, b""

        def receive_apart(data: bytes) -> None:
            nonlocal held
            data, held = held + data, b""
            at = data.find(b"invalidate")
            at = data.rfind(b">", 0, at) if at >= 0 else -1
            if at > 0 and data.endswith(b"a\r\n"):  # behind a reply, and nothing behind it
                data, held = data[:at], data[at:]
            receive(data)

        connection.data_received = receive_apart  # type: ignore[method-assign]
        with request(store, eager=True):
            await store.call("HGET", note("b"), "text")
            assert await text_of(store, "a") == "old"
            await write(store, "a", "new")
            assert held, "the invalidation has not arrived yet"
            assert await text_of(store, "a") == "new"


async def test_a_task_that_outlives_its_request_proves_what_it_reads(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "old")
    await text_of(behind, "a")
    ended = asyncio.Event()

    async def read_later() -> str | None:
        await ended.wait()
        return await text_of(behind, "a")

    with request(behind) as barrier:
        await behind.call("EXISTS", note("a"))
        task = asyncio.create_task(read_later())
        assert await barrier.validate()
    proxy.hold_replies()
    data_node.ask("HSET", NOTE_A, "text", "new")
    ended.set()
    await asyncio.sleep(0)
    assert not task.done()
    proxy.release()
    assert await task == "new"


async def test_the_tasks_of_a_request_are_validated_with_it(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    """Whether they use its barrier, or prove what they read themselves."""
    await fill_shelf(behind, 2)
    await behind.read_all(NOTE, ["0", "1"])
    proxy.hold_replies()
    data_node.ask("HSET", "test:notes:note:1", "text", "new")
    with request(behind) as barrier:
        reading = asyncio.gather(text_of(behind, "0"), text_of(behind, "1"))
        await asyncio.sleep(0)
        proxy.release()
        found = await reading
        assert list(found) == ["0", "new"] or not await barrier.validate()


async def test_a_record_with_a_lifetime_is_not_used_after_its_end(store: Store, other: Store) -> None:
    await other.call("SET", word("a"), "soon", "PX", 60_000)
    assert await store.get(word("a")) == await store.get(word("a")) == "soon"
    (entry,) = cache_of(store).entries.values()
    assert 30 < entry.expires_at - asyncio.get_running_loop().time() <= 60
    assert cache_of(store).hits == 1
    entry.expires_at = asyncio.get_running_loop().time()  # the end has come, without an invalidation
    assert await store.get(word("a")) == "soon"
    assert cache_of(store).hits == 1, "it was read from Redis"


async def test_a_flushed_node_and_a_lost_connection_leave_no_entries(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "one")
    assert await text_of(behind, "a") == "one"
    data_node.ask("FLUSHALL")
    assert await text_of(behind, "a") is None
    await write(behind, "a", "two")
    assert await text_of(behind, "a") == "two"
    proxy.cut()
    await until(lambda: not cache_of(behind).entries)
    data_node.ask("HSET", NOTE_A, "text", "three")
    await until(lambda: behind.role_stores[note.role].nodes.sessions())
    assert await text_of(behind, "a") == "three"


async def test_a_request_whose_connection_is_lost_is_not_validated(behind: Store, proxy: Proxy) -> None:
    await write(behind, "a", "one")
    await text_of(behind, "a")
    with request(behind) as barrier:
        await text_of(behind, "a")
        proxy.hold_replies()
        validating = asyncio.create_task(barrier.validate())
        await asyncio.sleep(0)
        proxy.cut()
        assert not await asyncio.wait_for(validating, PATIENCE)
    proxy.release()


async def test_a_demoted_primary_leaves_no_entries(plain_place: Place, data_node: Node) -> None:
    """In a cluster it answers reads of its old slots for a while, and invalidates late."""
    async with process(plain_place) as store:
        await write(store, "a", "one")
        connection = connection_of(store)
        connection.in_cluster = True
        await text_of(store, "a")
        data_node.ask("REPLICAOF", "127.0.0.1", "1")
        try:
            with request(store) as barrier:
                assert await text_of(store, "a") == "one"
                assert not await barrier.validate()
            assert connection.failure
            assert not cache_of(store).entries
        finally:
            data_node.ask("REPLICAOF", "NO", "ONE")


async def test_the_records_of_a_slot_that_moves_are_forgotten(cluster_place: Place, cluster: Cluster) -> None:
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
        assert await text_of(store, "a") == "two", "while the slot is being moved"
        await write(other, "a", "three")
        cluster.end_migration(slot, source, target)
        for text in ("four", "five"):
            await write(other, "a", text)
            assert await text_of(store, "a") == await text_of(store, "a") == text
        cluster.migrate(slot, target, source)


async def test_memory_is_bounded_and_used_entries_stay(plain_place: Place) -> None:
    async with process(plain_place, limit=200_000) as store:
        cache = cache_of(store)
        for number in range(1_000):  # several times more than fit
            await write(store, str(number), "x" * 100)
            await text_of(store, str(number))
            await text_of(store, "0")
            assert cache.size <= cache.limit
        assert 50 < len(cache.entries) < 200
        assert cache.size == sum(entry.size for entry in cache.entries.values())
        assert (NOTE, "0") in cache.entries, "it had its second chance each time"
        assert (NOTE, "1") not in cache.entries
        await write(store, "large", "x" * 100_000)
        await text_of(store, "large")
        assert (NOTE, "large") not in cache.entries


async def test_a_removed_entry_does_not_hold_its_value(store: Store, other: Store) -> None:
    """A request may refer to it until it ends."""
    await write(other, "a", "x" * 1_000)
    await text_of(store, "a")
    (entry,) = cache_of(store).entries.values()
    assert entry.value is not None
    await write(other, "a", "y")
    await until(lambda: not entry.live)
    assert entry.value is None


async def test_a_mutable_value_is_refused(store: Store) -> None:
    await write(store, "a", "one")
    with pytest.raises(DeclarationError, match="list is mutable"):
        await store.read_one(Record(note, "HMGET", "text", decode=list), "a")


async def test_a_redis_without_tracking_is_read_every_time(plain_place: Place, data_node: Node) -> None:
    data_node.ask("ACL", "SETUSER", "default", "-client|tracking")
    try:
        async with process(plain_place) as store:
            await write(store, "a", "one")
            assert await text_of(store, "a") == "one"
            data_node.ask("HSET", NOTE_A, "text", "two")
            with request(store) as barrier:
                assert await text_of(store, "a") == "two"
                assert await barrier.validate()
            assert not cache_of(store).entries
    finally:
        data_node.ask("ACL", "SETUSER", "default", "+client|tracking")


async def test_off_by_setting(plain_place: Place) -> None:
    async with process(plain_place, limit=0) as store:
        await write(store, "a", "one")
        assert await text_of(store, "a") == "one"
        assert await store.read_all(NOTE, ["a", "b"]) == [Note("one"), None]
        assert store.client_cache is None
        assert store.begin_barrier() is None
        await store.validate_reads()


async def test_a_failure_of_the_store_is_raised(behind: Store, proxy: Proxy) -> None:
    await write(behind, "a", "one")
    await text_of(behind, "a")
    await proxy.refuse()
    with pytest.raises((Unavailable, OutcomeUnknown)):
        await text_of(behind, "a")


class Requests:
    """Requests that have all begun before any of them reads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read = asyncio.Event()

    def begin(self, id: str) -> asyncio.Task[str | None]:
        return asyncio.create_task(self._run(id))

    async def _run(self, id: str) -> str | None:
        with request(self._store) as barrier:
            await self._read.wait()
            text = await text_of(self._store, id)
            assert await barrier.validate()
            return text

    async def read(self) -> None:
        """All of them, in one loop iteration."""
        await asyncio.sleep(0)  # each has begun
        self._read.set()
        await asyncio.sleep(0)  # each has sent its command, or has joined another


async def test_concurrent_requests_share_one_fetch(place: Place, nodes: list[Node]) -> None:
    async with process(place) as store:
        await write(store, "a", "one")
        forget_commands(nodes)
        requests = Requests(store)
        running = [requests.begin("a") for _ in range(50)]
        await requests.read()
        assert await asyncio.gather(*running) == ["one"] * 50
        assert commands(nodes)["hmget"] == 1


async def test_a_read_without_a_request_joins_no_fetch(plain_place: Place, data_node: Node) -> None:
    """It is not known when the caller began."""
    async with process(plain_place) as store:
        await write(store, "a", "one")
        forget_commands([data_node])
        assert await asyncio.gather(*(text_of(store, "a") for _ in range(3))) == ["one"] * 3
        assert commands([data_node])["hmget"] == 3


async def test_a_request_does_not_join_a_fetch_that_was_sent_before_it_began(
    behind: Store, proxy: Proxy, data_node: Node
) -> None:
    await write(behind, "a", "old")
    proxy.hold_replies()
    early, late = Requests(behind), Requests(behind)
    first = early.begin("a")
    await early.read()
    await until(lambda: data_node.ask("INFO", "stats")["tracking_total_keys"] == 1)
    data_node.ask("HSET", NOTE_A, "text", "new")  # acknowledged before the second begins
    second = late.begin("a")
    await late.read()
    proxy.release()
    assert await first == "old"
    assert await second == "new"


@pytest.mark.parametrize("trouble", ["cancelled", "lost"])
async def test_a_fetch_whose_owner_fails_does_not_take_others_along(
    behind: Store, proxy: Proxy, trouble: str
) -> None:
    await write(behind, "a", "one")
    proxy.hold_replies()
    requests = Requests(behind)
    owner, *joiners = [requests.begin("a") for _ in range(4)]
    await requests.read()
    if trouble == "cancelled":
        owner.cancel()
        await asyncio.wait([owner])
        proxy.release()
        assert await asyncio.wait_for(asyncio.gather(*joiners), PATIENCE) == ["one"] * 3
        assert owner.cancelled()
    else:
        proxy.cut()
        found = await asyncio.wait_for(asyncio.gather(owner, *joiners, return_exceptions=True), PATIENCE)
        assert {type(one) for one in found} <= {Unavailable, OutcomeUnknown}
        proxy.release()
    await until(behind.role_stores[note.role].nodes.sessions)
    assert await asyncio.wait_for(text_of(behind, "a"), PATIENCE) == "one"


async def test_a_joiner_that_is_cancelled_leaves_the_others(behind: Store, proxy: Proxy) -> None:
    await write(behind, "a", "one")
    proxy.hold_replies()
    requests = Requests(behind)
    running = [requests.begin("a") for _ in range(4)]
    await requests.read()
    running[2].cancel()
    proxy.release()
    found = await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), PATIENCE)
    assert Counter(map(str, found)) == {"one": 3, "": 1}


async def test_a_record_that_cannot_be_decoded_fails_everybody_who_reads_it(store: Store) -> None:
    """And leaves nothing behind that a later read would wait for."""
    await store.call("HSET", note("a"), "text", "one", "version", "no number")
    requests = Requests(store)
    running = [requests.begin("a") for _ in range(3)]
    await requests.read()
    found = await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), PATIENCE)
    assert [type(one) for one in found] == [ValueError] * 3
    await store.call("HSET", note("a"), "version", 1)
    again = Requests(store)
    last = again.begin("a")
    await again.read()
    assert await asyncio.wait_for(last, PATIENCE) == "one"


async def test_an_error_of_one_command_does_not_keep_the_others_from_the_cache(plain_place: Place) -> None:
    async with process(plain_place) as store:
        await write(store, "a", "one")
        await store.call("SET", note("b"), "not a hash")
        with pytest.raises(Exception, match="WRONGTYPE"):
            await store.read([NOTE("a"), NOTE("b")])
        assert set(cache_of(store).entries) == {(NOTE, "a")}
        with pytest.raises(Exception, match="WRONGTYPE"):
            await store.read_one(NOTE, "b")


async def test_validations_of_one_loop_iteration_share_one_command(
    plain_place: Place, data_node: Node
) -> None:
    """The waiter of one may be cancelled: that is not the others' concern."""
    async with process(plain_place) as store:
        await write(store, "a", "one")
        await text_of(store, "a")
        forget_commands([data_node])
        requests = Requests(store)
        running = [requests.begin("a") for _ in range(30)]
        await requests.read()
        running[0].cancel()
        found = await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), PATIENCE)
        assert Counter(map(str, found)) == {"one": 29, "": 1}
        assert commands([data_node])["ping"] == 1
        assert commands([data_node])["hmget"] == 0

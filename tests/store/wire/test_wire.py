import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.engines import Cluster, Node, throwaway_node
from tests.support.proxy import Proxy, proxy_to
from tests.support.waiting import until
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.wire import protocol as protocol_module
from townsquare.store.wire.address import Address, parse
from townsquare.store.wire.connection import NodeConnection, ReplyError, execute_once, fixed
from townsquare.store.wire.nodes import connect


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with throwaway_node(enable_debug_command="yes") as node:
        yield node


@pytest.fixture
async def proxy(node: Node) -> AsyncIterator[Proxy]:
    node.ask("FLUSHALL")
    async with proxy_to("127.0.0.1", node.port) as proxy:
        yield proxy


@pytest.fixture
async def connection(node: Node) -> AsyncIterator[NodeConnection]:
    node.ask("FLUSHALL")
    connection = to(node.url)
    await connection.ready()
    yield connection
    await connection.close()


@pytest.fixture
async def proxied(proxy: Proxy) -> AsyncIterator[NodeConnection]:
    connection = to(proxy.url)
    await connection.ready()
    yield connection
    await connection.close()


def to(url: str, timeout: float = 2.0) -> NodeConnection:
    return NodeConnection(fixed(parse(url).addresses[0]), timeout=timeout)


async def back(connection: NodeConnection) -> None:
    await until(lambda: connection.connected)


async def test_replies_keep_their_types(connection: NodeConnection) -> None:
    assert await connection.execute("SET", "k", b"\x00\xff\r\n") == b"OK"
    assert await connection.execute(b"GET", "k") == b"\x00\xff\r\n"
    assert await connection.execute("GET", "missing") is None
    assert await connection.execute("HSET", "h", "é", 1, "f", 1.5) == 2
    assert await connection.execute("HGETALL", "h") == {"é".encode(): b"1", b"f": b"1.5"}
    await connection.execute("ZADD", "z", 2.5, "m")
    assert await connection.execute("ZSCORE", "z", "m") == 2.5


async def test_a_thousand_tasks_get_their_own_replies(connection: NodeConnection) -> None:
    async def echo(number: int) -> bool:
        answers = [await connection.execute("ECHO", f"{number}:{turn}") for turn in range(5)]
        return answers == [f"{number}:{turn}".encode() for turn in range(5)]

    assert all(await asyncio.gather(*(echo(number) for number in range(1000))))


async def test_commands_of_one_loop_iteration_travel_in_one_write(connection: NodeConnection) -> None:
    before = await connection.execute("INFO", "stats")
    await asyncio.gather(*(connection.execute("PING") for _ in range(200)))
    after = await connection.execute("INFO", "stats")

    def reads(info: bytes) -> int:
        return int(info.split(b"total_reads_processed:")[1].split(b"\r\n")[0])

    assert reads(after) - reads(before) <= 4


async def test_much_work_is_handed_over_before_the_loop_comes_round(proxied: NodeConnection) -> None:
    """The node works while the other tasks of this iteration prepare their commands."""
    session = proxied._session
    assert session is not None
    small = session.send(("ECHO", "x"))
    assert session._unwritten, "a small command waits for others"
    large = session.send(("ECHO", "x" * protocol_module.WORTH_WRITING))
    assert not session._unwritten
    after = session.send(("ECHO", "y"))
    assert await small == b"x"
    assert len(await large) == protocol_module.WORTH_WRITING
    assert await after == b"y"


async def test_a_packed_command_is_sent_as_it_is(connection: NodeConnection) -> None:
    packed = protocol_module.pack(("ECHO", "packed"))
    assert await connection.execute_many([packed, ("ECHO", "words")]) == [b"packed", b"words"]


async def test_an_error_reply_has_code_and_message(connection: NodeConnection) -> None:
    await connection.execute("SET", "k", "text")
    with pytest.raises(ReplyError) as caught:
        await connection.execute("INCR", "k")
    assert caught.value.code == "ERR"
    assert caught.value.message == "value is not an integer or out of range"


async def test_errors_of_a_batch_are_values_in_their_places(connection: NodeConnection) -> None:
    replies = await connection.execute_many([("SET", "k", "x"), ("INCR", "k"), ("GET", "k")])
    assert replies[0] == b"OK"
    assert isinstance(replies[1], ReplyError)
    assert replies[2] == b"x"
    assert await connection.execute_many([]) == []


async def test_an_argument_of_a_wrong_type_disturbs_nobody(connection: NodeConnection) -> None:
    other = asyncio.create_task(connection.execute("ECHO", "fine"))
    with pytest.raises(TypeError):
        await connection.execute("ECHO", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        await connection.execute_many([("ECHO", "a"), ("ECHO", None)])  # type: ignore[list-item]
    assert await other == b"fine"
    assert await connection.execute("ECHO", "still") == b"still"


async def test_a_cancelled_caller_shifts_nobodys_reply(proxied: NodeConnection, proxy: Proxy) -> None:
    proxy.hold_replies()
    tasks = [asyncio.create_task(proxied.execute("ECHO", str(number))) for number in range(100)]
    many = asyncio.create_task(proxied.execute_many([("ECHO", "a"), ("ECHO", "b")]))
    last = asyncio.create_task(proxied.execute("ECHO", "last"))
    await asyncio.sleep(0)
    for task in (*tasks[::3], many):
        task.cancel()
    proxy.release()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    for number, answer in enumerate(answers):
        if number % 3:
            assert answer == str(number).encode()
        else:
            assert isinstance(answer, asyncio.CancelledError)
    assert await last == b"last"


async def test_huge_and_binary_values_survive(connection: NodeConnection) -> None:
    value = bytes(range(256)) * (50 * 1024 * 1024 // 256)
    written, small = await asyncio.gather(
        connection.execute("SET", "huge", value), connection.execute("ECHO", "behind")
    )
    assert (written, small) == (b"OK", b"behind")
    assert await connection.execute("GET", "huge") == value


async def test_a_silent_node_leaves_the_outcome_unknown(node: Node, proxy: Proxy) -> None:
    connection = to(proxy.url, timeout=0.2)
    await connection.ready()
    proxy.hold_replies()
    started = time.perf_counter()
    with pytest.raises(OutcomeUnknown):
        await connection.execute("INCR", "counted")
    assert 0.2 <= time.perf_counter() - started < 0.6
    proxy.release()
    await back(connection)
    assert await connection.execute("GET", "counted") == b"1"
    await connection.close()


async def test_a_steady_stream_of_slow_replies_is_not_a_timeout(node: Node, proxy: Proxy) -> None:
    connection = to(proxy.url, timeout=0.2)
    await connection.ready()
    proxy.delay = 0.05
    for _ in range(10):
        assert await connection.execute("PING") == b"PONG"
    assert proxy.accepted == 1
    await connection.close()


async def test_a_cut_in_flight_leaves_the_outcome_unknown(proxied: NodeConnection, proxy: Proxy) -> None:
    proxy.hold_replies()
    seen = proxy.bytes_seen
    commands = [asyncio.create_task(proxied.execute("INCR", "k")) for _ in range(3)]
    commands.append(asyncio.create_task(proxied.execute_many([("INCR", "k")])))
    await until(lambda: proxy.bytes_seen > seen)
    proxy.cut()
    for outcome in await asyncio.gather(*commands, return_exceptions=True):
        assert isinstance(outcome, OutcomeUnknown)


async def test_what_was_never_written_is_certainly_not_executed(proxied: NodeConnection) -> None:
    command = asyncio.create_task(proxied.execute("INCR", "k"))
    many = asyncio.create_task(proxied.execute_many([("INCR", "k")]))
    await asyncio.sleep(0)
    assert proxied._session is not None
    proxied._session.drop("test")
    for outcome in await asyncio.gather(command, many, return_exceptions=True):
        assert isinstance(outcome, Unavailable)
    await back(proxied)
    assert await proxied.execute("GET", "k") is None


async def test_commands_fail_at_once_while_the_node_is_away(proxied: NodeConnection, proxy: Proxy) -> None:
    await proxy.refuse()
    await until(lambda: not proxied.connected)
    started = time.perf_counter()
    for _ in range(100):
        with pytest.raises(Unavailable):
            await proxied.execute("PING")
    assert (time.perf_counter() - started) / 100 < 0.001
    with pytest.raises(Unavailable):
        await proxied.execute_many([("PING",)])


async def test_it_reconnects_when_the_node_returns(proxied: NodeConnection, proxy: Proxy) -> None:
    await proxy.refuse()
    await until(lambda: not proxied.connected)
    await proxy.open()
    await back(proxied)
    assert await proxied.execute("PING") == b"PONG"


async def test_every_reconnect_asks_where_the_node_is(node: Node, proxy: Proxy) -> None:
    places = [Address(host="127.0.0.1", port=proxy.port), Address(host="127.0.0.1", port=node.port)]
    asked: list[Address] = []

    async def resolve() -> Address:
        asked.append(places[min(len(asked), 1)])
        return asked[-1]

    connection = NodeConnection(resolve)
    await connection.ready()
    proxy.cut()
    await until(lambda: len(asked) == 2 and connection.connected)
    assert await connection.execute("PING") == b"PONG"
    await connection.close()


async def test_a_resolver_that_fails_is_asked_again(node: Node) -> None:
    failures = [ValueError("no idea")]

    async def resolve() -> Address:
        if failures:
            raise failures.pop()
        return Address(host="127.0.0.1", port=node.port)

    connection = NodeConnection(resolve)
    with pytest.raises(Unavailable, match="no idea"):
        await connection.ready()
    await connection.ready()
    assert await connection.execute("PING") == b"PONG"
    await connection.close()


async def test_ready_waits_for_a_node_that_is_late(node: Node, proxy: Proxy) -> None:
    await proxy.refuse()
    connection = to(proxy.url, timeout=5)
    waiting = asyncio.create_task(connection.ready())
    await until(lambda: connection.address is not None and "refused" in connection.reason)
    await proxy.open()
    await waiting
    assert await connection.execute("PING") == b"PONG"
    await connection.close()


async def test_ready_gives_up_and_says_why(proxy: Proxy) -> None:
    await proxy.refuse()
    connection = to(proxy.url, timeout=0.2)
    with pytest.raises(Unavailable, match=rf"127.0.0.1:{proxy.port}: Connection refused"):
        await connection.ready()
    await connection.close()


async def test_a_node_that_accepts_but_never_greets_is_not_ready(proxy: Proxy) -> None:
    proxy.hold_replies()
    connection = to(proxy.url, timeout=0.2)
    with pytest.raises(Unavailable, match="no answer"):
        await connection.ready()
    await connection.close()


async def test_a_node_that_speaks_another_protocol_is_dropped() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    connection = to(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}", timeout=0.3)
    with pytest.raises(Unavailable):
        await connection.ready()
    await connection.close()
    server.close()


async def test_push_messages_are_ignored(connection: NodeConnection) -> None:
    await connection.execute("CLIENT", "TRACKING", "ON")
    await connection.execute("SET", "k", 1)
    await connection.execute("GET", "k")
    answers = await asyncio.gather(*(connection.execute("INCR", "k") for _ in range(3)))
    assert answers == [2, 3, 4]
    assert await connection.execute("ECHO", "in order") == b"in order"


async def test_a_full_pipe_makes_senders_wait(
    proxied: NodeConnection, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol_module, "MAX_IN_FLIGHT", 10)
    proxy.hold_replies()
    senders = [asyncio.create_task(proxied.execute("INCR", "k")) for _ in range(50)]
    await until(lambda: proxied._session is not None and proxied._session.full)
    assert proxied._session is not None
    assert len(proxied._session._waiting) == 10
    proxy.release()
    assert sorted(await asyncio.gather(*senders)) == list(range(1, 51))


async def test_senders_do_not_wait_for_room_for_ever(
    node: Node, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol_module, "MAX_IN_FLIGHT", 1)
    connection = to(proxy.url, timeout=0.2)
    await connection.ready()
    proxy.hold_replies()
    senders = [asyncio.create_task(connection.execute("PING")) for _ in range(3)]
    outcomes = await asyncio.gather(*senders, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknown, Unavailable, Unavailable]
    await connection.close()


async def test_a_slow_reader_pauses_the_writer(proxied: NodeConnection, proxy: Proxy) -> None:
    proxy.hold_requests()
    value = b"x" * 8_000_000
    first = asyncio.create_task(proxied.execute("SET", "big", value))
    await until(lambda: proxied._session is not None and proxied._session.full)
    second = asyncio.create_task(proxied.execute("STRLEN", "big"))
    proxy.release()
    assert await first == b"OK"
    assert await second == len(value)


@pytest.mark.parametrize("refusal", ["LOADING", "MASTERDOWN", "CLUSTERDOWN", "BUSY", "OOM"])
async def test_a_refusal_means_not_executed(connection: NodeConnection, refusal: str) -> None:
    script = f"return redis.error_reply('{refusal} not now')"
    with pytest.raises(Unavailable):
        await connection.execute("EVAL", script, 0)
    with pytest.raises(Unavailable):
        await connection.execute_many([("EVAL", script, 0)])
    with pytest.raises(OutcomeUnknown):
        await connection.execute_many([("SET", "k", 1), ("EVAL", script, 0)])
    assert await connection.execute("PING") == b"PONG"


async def test_a_node_that_became_a_replica_is_left(node: Node, connection: NodeConnection) -> None:
    first = await connection.execute("CLIENT", "ID")
    node.ask("REPLICAOF", "127.0.0.1", "1")
    try:
        with pytest.raises(Unavailable):
            await connection.execute("SET", "k", 1)
        await until(lambda: not connection.connected)
    finally:
        node.ask("REPLICAOF", "NO", "ONE")
    await back(connection)
    assert await connection.execute("CLIENT", "ID") != first


async def test_a_barrier_drops_the_session_of_a_node_that_was_demoted(
    node: Node, connection: NodeConnection
) -> None:
    """In a cluster: a replica answers PING, and invalidates late."""
    session = connection.session
    assert session is not None
    assert not session.in_cluster
    session.in_cluster = True
    await session.barrier()
    assert connection.connected
    node.ask("REPLICAOF", "127.0.0.1", "1")
    try:
        waiters = [session.barrier() for _ in range(3)]
        behind = session.send(("GET", "k"))
        await asyncio.wait_for(asyncio.gather(*waiters), 5)
        assert session.failure == "The node became a replica"
        with pytest.raises(OutcomeUnknown):
            await behind
    finally:
        node.ask("REPLICAOF", "NO", "ONE")


async def test_the_nodes_of_a_cluster_say_so(cluster: Cluster) -> None:
    nodes = await connect(cluster.url)
    assert all(session.in_cluster for session in nodes.sessions())
    await nodes.close()


async def test_user_password_database_and_name_are_sent(node: Node) -> None:
    node.ask("ACL", "SETUSER", "ann", "on", ">p@ss/w", "~*", "+@all")
    connection = to(f"redis://ann:p%40ss%2Fw@127.0.0.1:{node.port}/3")
    await connection.ready()
    described = await connection.execute("CLIENT", "INFO")
    for part in (b"user=ann", b"db=3", b"name=townsquare", b"resp=3"):
        assert part in described
    await connection.close()


async def test_a_wrong_password_fails_at_once_and_is_not_told() -> None:
    with throwaway_node(requirepass="right") as locked:
        connection = to(f"redis://:wrong@127.0.0.1:{locked.port}", timeout=5)
        started = time.perf_counter()
        with pytest.raises(Unavailable, match="WRONGPASS") as caught:
            await connection.ready()
        assert time.perf_counter() - started < 1
        assert "wrong@" not in str(caught.value)
        await connection.close()
        good = to(f"redis://:right@127.0.0.1:{locked.port}")
        await good.ready()
        assert await good.execute("PING") == b"PONG"
        await good.close()


async def test_a_database_that_does_not_exist_is_refused(node: Node) -> None:
    connection = to(f"{node.url}/999", timeout=5)
    with pytest.raises(Unavailable, match="DB index is out of range"):
        await connection.ready()
    await connection.close()


async def test_unix_sockets(node: Node) -> None:
    connection = to(node.unix_url)
    await connection.ready()
    assert await connection.execute("PING") == b"PONG"
    await connection.close()
    assert await execute_once(parse(node.unix_url).addresses[0], "PING") == b"PONG"


async def test_tls_verifies_the_node(node: Node, certificate: tuple[Path, Path]) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    async with proxy_to("127.0.0.1", node.port, context) as proxy:
        trusting = to(f"{proxy.url}?ssl_ca_certs={certificate[0]}")
        await trusting.ready()
        value = b"x" * 5_000_000
        assert await trusting.execute("SET", "big", value) == b"OK"
        assert await trusting.execute("GET", "big") == value
        await trusting.close()

        careless = to(f"{proxy.url}?ssl_cert_reqs=none")
        await careless.ready()
        assert await careless.execute("PING") == b"PONG"
        await careless.close()

        wary = to(proxy.url, timeout=0.5)
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
            await wary.ready()
        await wary.close()


async def test_close_ends_what_is_in_flight_and_leaves_no_task(proxied: NodeConnection, proxy: Proxy) -> None:
    proxy.hold_replies()
    seen = proxy.bytes_seen
    command = asyncio.create_task(proxied.execute("PING"))
    await until(lambda: proxy.bytes_seen > seen)
    started = time.perf_counter()
    await proxied.close()
    assert time.perf_counter() - started < 0.1
    with pytest.raises(OutcomeUnknown):
        await command
    with pytest.raises(Unavailable):
        await proxied.execute("PING")
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "townsquare-connection"]


async def test_close_while_it_tries_to_connect(proxy: Proxy) -> None:
    await proxy.refuse()
    connection = to(proxy.url)
    waiting = asyncio.create_task(connection.ready())
    await until(lambda: connection.address is not None)
    await connection.close()
    with pytest.raises(Unavailable):
        await waiting


async def test_barriers_of_one_loop_iteration_share_one_command(
    node: Node, connection: NodeConnection
) -> None:
    session = connection.session
    assert session is not None

    def pings() -> int:
        stats = node.ask("INFO", "commandstats")
        return int(stats["cmdstat_ping"]["calls"]) if "cmdstat_ping" in stats else 0

    node.ask("CONFIG", "RESETSTAT")
    cancelled, *others = [session.barrier() for _ in range(100)]
    cancelled.cancel()
    await asyncio.wait_for(asyncio.gather(*others), 5)
    assert pings() == 1
    await session.barrier()
    assert pings() == 2, "that one was answered before this one was needed"


async def test_a_barrier_is_answered_after_everything_that_was_sent_before_it(
    proxied: NodeConnection, proxy: Proxy
) -> None:
    session = proxied.session
    assert session is not None
    proxy.hold_replies()
    before = session.send(("ECHO", "x"))
    barrier = session.barrier()
    after = session.send(("ECHO", "y"))
    await asyncio.sleep(0)
    late = session.barrier()
    assert not barrier.done()
    proxy.release()
    await barrier
    assert before.done()
    await asyncio.gather(late, after)


async def test_barriers_end_with_their_session(proxied: NodeConnection, proxy: Proxy) -> None:
    """Whoever waits finds out from the session that it has ended."""
    session = proxied.session
    assert session is not None
    proxy.hold_replies()
    written = session.barrier()
    await asyncio.sleep(0)
    queued = session.barrier()
    session.drop("cut by the test")
    await asyncio.wait_for(asyncio.gather(written, queued, session.barrier()), 5)
    assert session.failure
    proxy.release()

"""A Redis that turns us away says what to do, whoever is to blame; losing and finding it is told once."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.engines import Node, free_ports, throwaway_node
from tests.support.logs import capture_logs
from tests.support.waiting import until
from townsquare.problems import Unavailable
from townsquare.store.wire.nodes import connect


async def refusal_of(url: str) -> str:
    with pytest.raises(Unavailable) as refused:
        await connect(url, timeout=1.0)
    return str(refused.value)


@contextlib.asynccontextmanager
async def answering(answer: bytes, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that answers whatever it is asked with this; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await reader.read(65_536)
            writer.write(answer)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls) as listening:
        yield listening.sockets[0].getsockname()[1]


async def test_a_password_that_is_missing_or_wrong() -> None:
    with throwaway_node(requirepass="right") as locked:
        missing = await refusal_of(locked.url)
        assert "put it into the URL, as in redis://user:PASSWORD@host:port (NOAUTH" in missing
        wrong = await refusal_of(f"redis://:false@127.0.0.1:{locked.port}")
        assert "correct them in the URL" in wrong
        assert "false" not in wrong


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"-ERR unknown command `HELLO`, with args beginning with: `3`,\r\n", "use Redis 6.2 or newer"),
        (b"-DENIED Redis is running in protected mode\r\n", "give it a password"),
        (b"-ERR max number of clients reached\r\n", "raise its `maxclients`"),
        (b"-NOPERM this user has no permissions to run the 'hello' command\r\n", "grant all commands"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "correct the port, or use rediss:// if it wants TLS"),
    ],
)
async def test_a_node_that_refuses_the_greeting(answer: bytes, says: str) -> None:
    async with answering(answer) as port:
        assert says in await refusal_of(f"redis://127.0.0.1:{port}")


async def test_a_place_where_no_redis_is() -> None:
    assert "there is no host no-such-host.invalid: correct the URL" in await refusal_of(
        "redis://no-such-host.invalid"
    )
    assert "Connection refused: start Redis, or correct the URL" in await refusal_of(
        f"redis://127.0.0.1:{free_ports(1)[0]}"
    )
    assert "No such file or directory: start Redis" in await refusal_of("unix:///nowhere/at/all")


async def test_tls_on_one_side_only(data_node: Node, certificate: tuple[Path, Path]) -> None:
    assert "TLS" in await refusal_of(f"rediss://127.0.0.1:{data_node.port}")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    async with answering(b"+OK\r\n", context) as port:
        assert "use rediss:// if it wants TLS" in await refusal_of(f"redis://127.0.0.1:{port}")
        assert "?ssl_ca_certs=FILE" in await refusal_of(f"rediss://127.0.0.1:{port}")


async def test_a_node_that_is_no_cluster(data_node: Node) -> None:
    assert "use redis:// instead of redis+cluster://" in await refusal_of(
        f"redis+cluster://127.0.0.1:{data_node.port}"
    )


async def test_losing_and_finding_a_node_is_logged_once_each() -> None:
    with throwaway_node() as node:
        nodes = await connect(node.url)
        (connection,) = nodes.connections()
        with capture_logs() as logged:
            node.kill()
            await until(lambda: "refused" in connection.reason)
            for _ in range(50):
                with pytest.raises(Unavailable):
                    await nodes.execute(None, "PING")
            node.start()
            await until(lambda: connection.connected)
            await nodes.close()
        assert [(line["event"], line["node"]) for line in logged] == [
            ("lost Redis", f"127.0.0.1:{node.port}"),
            ("Redis is back", f"127.0.0.1:{node.port}"),
        ]

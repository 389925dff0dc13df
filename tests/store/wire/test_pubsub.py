import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.support.engines import Cluster, Node
from tests.toy.keys import square_channel
from townsquare.store.store import Store
from townsquare.store.wire import pubsub as pubsub_module
from townsquare.store.wire.pubsub import FellBehind, PubSub


@pytest.fixture
async def channels(store: Store) -> AsyncIterator[PubSub]:
    pubsub = PubSub(store)
    yield pubsub
    await pubsub.close()


async def test_every_listener_hears_what_is_said_after_it_came(store: Store, channels: PubSub) -> None:
    async with (
        channels.subscribe(square_channel("a")) as one,
        channels.subscribe(square_channel("a")) as two,
        channels.subscribe(square_channel("b")) as other,
    ):
        await store.call("PUBLISH", square_channel("a"), b"hello")
        await store.call("PUBLISH", square_channel("b"), b"effects")
        assert await anext(one) == await anext(two) == b"hello"
        assert await anext(other) == b"effects"


async def test_a_channel_can_be_left_and_entered_again(store: Store, channels: PubSub) -> None:
    for message in (b"first", b"second"):
        async with channels.subscribe(square_channel("a")) as listener:
            await store.call("PUBLISH", square_channel("a"), message)
            assert await anext(listener) == message


async def test_a_slow_listener_is_dropped_and_delays_nobody(
    store: Store, channels: PubSub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with channels.subscribe(square_channel("a")) as quick:
        monkeypatch.setattr(pubsub_module, "QUEUE", 2)
        async with channels.subscribe(square_channel("a")) as slow:
            for number in range(5):
                await store.call("PUBLISH", square_channel("a"), b"%d" % number)
            assert [await anext(quick) for _ in range(5)] == [b"0", b"1", b"2", b"3", b"4"]
            with pytest.raises(FellBehind):
                await anext(slow)


async def test_a_lost_connection_is_made_again(
    store: Store, channels: PubSub, request: pytest.FixtureRequest, data_node: Node, cluster: Cluster
) -> None:
    async with channels.subscribe(square_channel("a")) as listener:
        for node in (data_node, *cluster.nodes):
            node.ask("CLIENT", "KILL", "TYPE", "pubsub")

        async def heard() -> bytes:
            while True:
                await store.call("PUBLISH", square_channel("a"), b"again")
                try:
                    return await asyncio.wait_for(anext(listener), 0.05)
                except TimeoutError:
                    continue

        assert await asyncio.wait_for(heard(), 10) == b"again"


async def test_who_subscribes_while_the_connection_is_made_is_heard(store: Store, channels: PubSub) -> None:
    async def hear(number: int) -> bytes:
        async with channels.subscribe(square_channel(f"c{number}")) as listener:
            await store.call("PUBLISH", square_channel(f"c{number}"), b"%d" % number)
            return await anext(listener)

    listening = []
    for number in range(30):
        listening.append(asyncio.create_task(hear(number)))
        await asyncio.sleep(0)  # one after the other, as far as each of them gets
    heard = await asyncio.wait_for(asyncio.gather(*listening), 10)
    assert heard == [b"%d" % number for number in range(30)]


async def test_who_gives_up_takes_nobody_elses_channel_along(store: Store, channels: PubSub) -> None:
    async def listen() -> bytes:
        async with channels.subscribe(square_channel("a")) as listener:
            return await anext(listener)

    async with channels.subscribe(square_channel("b")):  # the connection is there
        for _ in range(20):
            first, second = asyncio.create_task(listen()), asyncio.create_task(listen())
            await asyncio.sleep(0)
            second.cancel()
            await asyncio.wait([second])

            async def told(first: asyncio.Task[bytes] = first) -> bytes:
                while not first.done():
                    await store.call("PUBLISH", square_channel("a"), b"hello")
                return await first

            assert await asyncio.wait_for(told(), 5) == b"hello"

"""Whatever a client says over a socket, in both protocols: no crash, no hang, nothing half written."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.services.threads.live_clients import Process, process_of
from tests.services.threads.world import ORIGIN, World
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Display

MESSAGES = 240
OF_ONE_SOCKET = 8  # fewer than are taken in one second
CRASHED = {1011, 4500}
NASTY: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        2**53,
        1e308,
        "",
        " ",
        "x" * 5_000,
        "\0",
        "\ud800",
        "../..",
        "{}",
        "usr_" + "0" * 32,
    ),
    *([], [[]] * 50, {}, {"a": {"b": {}}}, ["page_url"], "javascript:alert(1)", "https://evil.org/", "/ok"),
    *("0-0", "9" * 15 + "-0", "-", "12-", "ffffffff-ffff-ffff-ffff-ffffffffffff", "2026", "❤" * 100),
)
RAW: tuple[str | bytes, ...] = (
    *(
        "",
        "null",
        "[]",
        "1",
        '"x"',
        "{",
        '{"type":}',
        '{"type":"ping","type":"subscribe"}',
        "\ufeff{}",
        "[" * 10_000,
    ),
    *(b"\xff\xfe", b"", b"{}", '{"type": "subscribe", "page_url": "/a"' + " " * 17_000 + "}"),
)
TYPES = (
    "subscribe",
    "unsubscribe",
    "typing",
    "stop_typing",
    "ping",
    "new_comment",
    "presence",
    "",
    "__class__",
)
FIELDS = ("page_url", "page_key", "page_id", "last_event", "reply_to", "type", "token", "constructor")


def our_message(chance: random.Random) -> Any:
    fields = {chance.choice(FIELDS): chance.choice(NASTY) for _ in range(chance.randrange(4))}
    return {**fields, "type": chance.choice([*TYPES, chance.choice(NASTY)])}


def old_message(chance: random.Random) -> Any:
    params: Any = {chance.choice(FIELDS): chance.choice(NASTY) for _ in range(chance.randrange(4))}
    if chance.random() < 0.2:
        params = chance.choice(NASTY)
    frame = {"jsonrpc": "2.0", "method": chance.choice([*TYPES, chance.choice(NASTY)]), "params": params}
    return dict(chance.sample(list(frame.items()), chance.randrange(1, 4)))


async def say(socket: ClientConnection, message: Any) -> None:
    if isinstance(message, str | bytes):
        await socket.send(message)
    else:
        await socket.send(json.dumps(message))


async def answers(socket: ClientConnection, ping: Any) -> bool:
    """Whether it still answers; it may have been closed, but not because we broke down."""
    try:
        async with asyncio.timeout(10):
            await socket.send(json.dumps(ping))
            while "pong" not in str(await socket.recv()):
                pass
    except ConnectionClosed as closed:
        ended = closed.rcvd
    else:
        return True
    assert ended is not None, "cut off without a word"
    assert ended.code not in CRASHED
    return False


@pytest.mark.parametrize(
    ("path", "made", "ping"),
    [
        ("/threads/v1/live?site={key}", our_message, {"type": "ping"}),
        ("/threadkit/ws?project_id={key}&token={token}", old_message, {"jsonrpc": "2.0", "method": "ping"}),
    ],
    ids=["ours", "threadkit"],
)
async def test_no_message_breaks_a_socket(
    world: World, path: str, made: Callable[[random.Random], Any], ping: Any
) -> None:
    await world.settings(display=Display(typing=True))
    ann = await world.user("ann")
    comment = await world.comment(ann, "stays")
    before = await world.record(keys.comment(comment.id)), await world.record(keys.page(comment.page_id))
    chance = random.Random(7)
    messages = [*RAW, *(made(chance) for _ in range(MESSAGES))]
    chance.shuffle(messages)
    async with process_of(world) as process:
        lasted = await speak(process, path, world, str(ann.user_id), messages, ping)
    assert lasted > len(messages) / OF_ONE_SOCKET / 2  # most of them were read, not cut off
    after = await world.record(keys.comment(comment.id)), await world.record(keys.page(comment.page_id))
    assert after == before
    assert await world.texts() == ["stays"]
    await world.check()


async def speak(
    process: Process, path: str, world: World, user_id: str, messages: list[Any], ping: Any
) -> int:
    """All messages, over as many connections as it takes; how many of these answer in the end."""
    lasted = 0
    token = await process._token(user_id)
    address = path.format(key=world.site.api_key_public, token=token)
    options: dict[str, Any] = {} if "token" in path else {"subprotocols": [f"bearer.{token}"]}
    while messages:
        share, messages = messages[:OF_ONE_SOCKET], messages[OF_ONE_SOCKET:]
        async with process.server.opened(address, origin=ORIGIN, **options) as socket:
            for number, message in enumerate(share):
                try:
                    await say(socket, message)
                except ConnectionClosed:
                    messages = share[number:] + messages
                    break
            lasted += await answers(socket, ping)
    return lasted

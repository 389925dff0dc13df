"""GET /count and /toggle: one script that writes, for another visitor with every request, as JSON."""

import hashlib
import os
import time
from datetime import date
from typing import Any

import msgspec
from msgspec.structs import astuple

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.clock import iso
from townsquare.keyspace import Layout
from townsquare.services.widgets.days import days_before
from townsquare.services.widgets.scripts import CountVisit, ToggleLike
from townsquare.store.scripts.assembly import assemble
from townsquare.store.scripts.folder import BY_STRUCT
from townsquare.store.scripts.invocation import Invocation
from townsquare.store.scripts.script import Script
from townsquare.store.wire.connection import Arg
from townsquare.store.wire.nodes import Nodes, connect

ID = os.environ["BENCH_ID"]
SOMEBODY = "f" * 16
TTL = 3_600_000
LAYOUT = Layout("prod")
NOW = iso(time.time_ns() // 1_000_000)
COUNT = CountVisit(id=ID, visitor=SOMEBODY, timezone="UTC", days=days_before(date.today()), now=NOW, ttl=TTL)
TOGGLE = ToggleLike(id=ID, visitor=SOMEBODY, timezone="UTC", now=NOW, ttl=TTL)
nodes: Nodes | None = None


def prepared(call: Script[Any]) -> Invocation:
    script = BY_STRUCT[type(call)]
    return Invocation(script, astuple(call), assemble(script, LAYOUT), LAYOUT)


def for_visitor(command: list[Arg], visitor: str) -> list[Arg]:
    return [word.replace(SOMEBODY, visitor) if isinstance(word, str) else word for word in command]


CALLS = {"/count": prepared(COUNT), "/toggle": prepared(TOGGLE)}
COMMANDS = {path: call.by_digest() for path, call in CALLS.items()}


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    global nodes
    if scope["type"] != "http":
        return
    if nodes is None:
        nodes = await connect(os.environ["BENCH_REDIS"])
        for call in CALLS.values():
            await nodes.execute(None, *for_visitor(call.by_source(), "0" * 16))
    if scope["path"] not in COMMANDS:
        await answer(send, b"{}")
        return
    agent = next(value for name, value in scope["headers"] if name == b"user-agent")
    visitor = hashlib.sha256(agent).hexdigest()[:16]
    reply = await nodes.execute(None, *for_visitor(COMMANDS[scope["path"]], visitor))
    texts = [part.decode() if isinstance(part, bytes) else part for part in reply]
    await answer(send, msgspec.json.encode(texts))

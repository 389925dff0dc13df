"""GET: one script read of a counter, as JSON."""

import os
from datetime import date

import msgspec
from msgspec.structs import astuple

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.keyspace import Layout
from townsquare.services.widgets.days import days_before
from townsquare.services.widgets.scripts import ShowCounter
from townsquare.store.scripts.assembly import assemble
from townsquare.store.scripts.folder import BY_STRUCT
from townsquare.store.scripts.invocation import Invocation
from townsquare.store.wire.nodes import Nodes, connect

SCRIPT = BY_STRUCT[ShowCounter]
LAYOUT = Layout("prod")
PROGRAM = assemble(SCRIPT, LAYOUT)
COMMAND = Invocation(
    SCRIPT, astuple(ShowCounter(id=os.environ["BENCH_ID"], days=days_before(date.today()))), PROGRAM, LAYOUT
)
nodes: Nodes | None = None


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    global nodes
    if scope["type"] != "http":
        return
    if nodes is None:
        nodes = await connect(os.environ["BENCH_REDIS"])
        await nodes.execute(None, *COMMAND.by_source())
    _, zone, url, total, last, today, _, _, month, _ = await nodes.execute(None, *COMMAND.by_digest())
    body = {
        "url": url.decode(),
        "total": total,
        "today": today,
        "month": month,
        "zone": zone.decode(),
        "last": last and last.decode(),
    }
    await answer(send, msgspec.json.encode(body))

"""The overview of the console: charts of the last hours, and memory by service."""

import asyncio
from collections import defaultdict
from typing import Any, cast

from townsquare.api import Nothing
from townsquare.clock import iso
from townsquare.keyspace import Role
from townsquare.kit.templates import Markup, fill, joined
from townsquare.square import Square
from townsquare.store.wire.connection import NodeConnection, ReplyError
from townsquare.web.console import markup
from townsquare.web.console.context import ConsoleContext
from townsquare.web.console.markup import chart, heading
from townsquare.web.metric_totals import Minute

SAMPLED = 300  # keys of a store whose memory is measured
SAMPLE_MEMORY = """
local sample = {}
for _ = 1, tonumber(ARGV[1]) do
  local name = redis.call('RANDOMKEY')
  if not name then break end
  local bytes = redis.call('MEMORY', 'USAGE', name)
  if bytes then
    sample[#sample + 1] = name
    sample[#sample + 1] = bytes
  end
end
return sample
"""  # no script of a service: it reads any key of a node


async def overview(context: ConsoleContext, given: Nothing) -> Markup:
    minutes, memory = await asyncio.gather(context.metrics.history(), memory_by_service(context.square))
    return joined([traffic(minutes), heading("Memory by service"), memory])


def traffic(minutes: list[Minute]) -> Markup:
    begin = iso(minutes[0].at * 60_000)[11:16] + " UTC" if minutes else ""
    requests = [one.requests / 60 for one in minutes]
    p95 = [one.quantile(0.95) * 1000 for one in minutes]
    errors = [float(one.errors) for one in minutes]
    hits = [100 * one.hits / ((one.hits + one.misses) or 1) for one in minutes]
    connections = [float(one.connections) for one in minutes]

    def drawn(title: str, values: list[float], unit: str, *, bad: bool = False) -> Markup:
        form = "{:,.1f}{}" if any(value % 1 for value in values) else "{:,.0f}{}"
        now, top = values[-1] if values else 0, max(values, default=0)
        return chart(
            title, form.format(now, unit), values, form.format(top, unit), begin, bad=bad and top > 0
        )

    return fill(
        '<p class="small">One point a minute, this server, since its start: the last three hours at most.'
        '</p><div class="charts">$charts</div>',
        charts=joined(
            [
                drawn("Requests per second", requests, ""),
                drawn("Latency, 95 % are below", p95, " ms"),
                drawn("Errors (5xx) per minute", errors, "", bad=True),
                drawn("Client cache hit rate", hits, " %"),
                drawn("Live connections", connections, ""),
            ]
        ),
    )


async def memory_by_service(square: Square) -> Markup:
    """Estimated from random keys: one round trip."""
    found: defaultdict[str, float] = defaultdict(float)
    used = 0
    for role, side in square.store.role_stores.items():
        if role is not Role.DATA and side.nodes is square.store.role_stores[Role.DATA].nodes:
            continue
        samples = await asyncio.gather(*(sampled(connection) for connection in side.nodes.connections()))
        for sizes, keys, memory in samples:
            used += memory
            for name, size in sizes:
                key = square.store.registry.parse(name.decode(errors="replace"), side.layout)
                found[key.declared.service if key else "not declared"] += size * keys / len(sizes)
    rows = sorted(found.items(), key=lambda row: -row[1])
    return joined(
        [
            markup.bars([(name, size, markup.size(size)) for name, size in rows]),
            fill(
                '<p class="small">Estimated from $sampled random keys of each store. '
                "Redis uses $used in all.</p>",
                sampled=SAMPLED,
                used=markup.size(used),
            ),
        ]
    )


async def sampled(connection: NodeConnection) -> tuple[list[tuple[bytes, int]], int, int]:
    """The bytes of random keys, the number of keys and the memory of one node, in one round trip."""
    commands = [("INFO", "memory"), ("DBSIZE",), ("EVAL", SAMPLE_MEMORY, 0, SAMPLED)]
    replies = await connection.execute_many(commands)
    if any(isinstance(reply, ReplyError) for reply in replies):  # some hosters do not permit it
        return [], 0, 0
    info, keys, sample = cast("tuple[bytes, int, list[Any]]", replies)
    used = next(line for line in info.split(b"\r\n") if line.startswith(b"used_memory:"))
    return list(zip(sample[::2], sample[1::2], strict=True)), keys, int(used[12:])

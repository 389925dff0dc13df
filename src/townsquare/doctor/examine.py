"""Run all checks of the doctor."""

import asyncio
import statistics
import time

from townsquare.doctor.checks import node as node_checks
from townsquare.doctor.checks import server as server_checks
from townsquare.doctor.checks import work as work_checks
from townsquare.doctor.findings import SEVERITIES, DoctorFinding, Machine, NodeFacts
from townsquare.keyspace import Role
from townsquare.settings import Settings
from townsquare.store.requirements import judge, state_of
from townsquare.store.store import Store
from townsquare.store.wire.connection import NodeConnection, ReplyError

PINGS = 5


async def examine(store: Store, settings: Settings, machine: Machine | None = None) -> list[DoctorFinding]:
    """All findings, the most urgent first. Reads only; an attack or a failure makes it no slower."""
    machine = machine or Machine.this(settings.data_dir)
    found: dict[DoctorFinding, None] = {}
    for facts in await asyncio.gather(*read_nodes(store, settings)):
        for check in node_checks.CHECKS:
            found |= dict.fromkeys(check(facts))
    for server_check in server_checks.CHECKS:
        found |= dict.fromkeys(server_check(settings, machine))
    for work_check in work_checks.CHECKS:
        found |= dict.fromkeys([finding async for finding in work_check(store)])
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def read_nodes(store: Store, settings: Settings) -> "list[asyncio.Task[NodeFacts]]":
    both = bool(settings.data_url) and settings.data_url == settings.cache_url
    urls = {Role.DATA: settings.data_url, Role.CACHE: settings.cache_url}
    return [
        asyncio.create_task(read_node(store, role, node, embedded=not urls[role], both_roles=both))
        for role, side in store.role_stores.items()
        if role is Role.DATA or not both
        for node in side.nodes.connections()
    ]


async def read_node(
    store: Store, role: Role, node: NodeConnection, *, embedded: bool, both_roles: bool
) -> NodeFacts:
    state = await state_of(node)
    state.by_one_node = not store.role_stores[role].nodes.clustered
    info = await read_info(node, "INFO")
    pings = []
    for _ in range(PINGS):
        began = time.perf_counter()
        await node.execute("PING")
        pings.append((time.perf_counter() - began) * 1000)
    seconds, microseconds = map(int, await node.execute("TIME"))
    clustered = info.get("cluster_enabled") == "1"
    return NodeFacts(
        role=role,
        name=f"{role} store" + (f" at port {info.get('tcp_port')}" if clustered else ""),
        info=info,
        cluster_info=await read_info(node, "CLUSTER", "INFO") if clustered else {},
        configuration=judge(role, state),
        ping_ms=statistics.median(pings),
        clock_ms=seconds * 1000 + microseconds // 1000 - store.clock.now_ms(),
        embedded=embedded,
        both_roles=both_roles,
    )


async def read_info(node: NodeConnection, *command: str) -> dict[str, str]:
    try:
        text: bytes = await node.execute(*command)
    except ReplyError:  # some hosters do not permit it
        return {}
    return dict(line.partition(":")[::2] for line in text.decode(errors="replace").splitlines())

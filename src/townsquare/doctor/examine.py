"""Run all checks of the doctor."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable

from townsquare.doctor.checks import node as node_checks
from townsquare.doctor.checks import server as server_checks
from townsquare.doctor.checks import work as work_checks
from townsquare.doctor.findings import SEVERITIES, DoctorFinding, Machine, NodeFacts
from townsquare.keyspace import Role
from townsquare.settings import Settings
from townsquare.store.requirements import STATE_COMMANDS, info_of, judge, state_from
from townsquare.store.store import Store
from townsquare.store.wire.connection import NodeConnection

PINGS = 5


async def examine(
    store: Store, settings: Settings, machine: Machine | None = None, *, pings: int = PINGS
) -> list[DoctorFinding]:
    """All findings, the most urgent first. Reads only, in one round trip and one for each ping."""
    machine = machine or Machine.this(settings.data_dir)
    nodes, work = await asyncio.gather(
        asyncio.gather(*read_nodes(store, settings, pings)),
        asyncio.gather(*(listed(check(store)) for check in work_checks.CHECKS)),
    )
    found: dict[DoctorFinding, None] = {}
    for facts in nodes:
        for check in node_checks.CHECKS:
            found |= dict.fromkeys(check(facts))
    for server_check in server_checks.CHECKS:
        found |= dict.fromkeys(server_check(settings, machine))
    for findings in work:
        found |= dict.fromkeys(findings)
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


async def listed(findings: AsyncIterator[DoctorFinding]) -> list[DoctorFinding]:
    return [finding async for finding in findings]


def read_nodes(store: Store, settings: Settings, pings: int) -> list[Awaitable[NodeFacts]]:
    both = bool(settings.data_url) and settings.data_url == settings.cache_url
    urls = {Role.DATA: settings.data_url, Role.CACHE: settings.cache_url}
    return [
        read_node(store, role, node, embedded=not urls[role], both_roles=both, pings=pings)
        for role, side in store.role_stores.items()
        if role is Role.DATA or not both
        for node in side.nodes.connections()
    ]


async def read_node(
    store: Store, role: Role, node: NodeConnection, *, embedded: bool, both_roles: bool, pings: int = PINGS
) -> NodeFacts:
    reply, save, cluster = await node.execute_many([*STATE_COMMANDS, ("CLUSTER", "INFO")])
    info = info_of(reply)
    state = state_from(info, save)
    state.by_one_node = not store.role_stores[role].nodes.clustered
    clustered = info.get("cluster_enabled") == "1"
    took, skew = zip(*[await ping(store, node) for _ in range(pings)], strict=True)
    return NodeFacts(
        role=role,
        name=f"{role} store" + (f" at port {info.get('tcp_port')}" if clustered else ""),
        info=info,
        cluster_info=info_of(cluster) if clustered else {},
        configuration=judge(role, state),
        ping_ms=statistics.median(took),
        clock_ms=min(skew, key=abs),
        embedded=embedded,
        both_roles=both_roles,
    )


async def ping(store: Store, node: NodeConnection) -> tuple[float, int]:
    """The duration of a small command, and by how much the clock of the node is ahead; both in ms."""
    began = time.perf_counter()
    seconds, microseconds = map(int, await node.execute("TIME"))
    took = (time.perf_counter() - began) * 1000
    return took, seconds * 1000 + microseconds // 1000 - store.clock.now_ms()

"""Checks of one node of a store: configuration, memory, persistence, latency, clock, replication."""

from collections.abc import Callable, Iterator

from townsquare.clock import CLOCK_SKEW_MS
from townsquare.doctor.findings import DoctorFinding, NodeFacts, Severity, megabytes
from townsquare.keyspace import Role

FULL = 0.85  # of maxmemory
FORK_SHARE = 0.6  # of the machine's memory: a fork copies the pages that are written while it runs
SLOW_PING_MS = 5.0  # the budget of a request is a few round trips
MOST_REPLICA_LAG = 10  # seconds

TITLES = {
    "too_old": "The engine is too old",
    "cluster_by_one_node": "The URL names one node of a cluster",
    "evicts": "The data store evicts data",
    "not_persistent": "The data store is not persistent",
    "snapshots_only": "The data store has no append-only file",
}
SEVERITY: dict[str, Severity] = {"refused": "critical", "warning": "warning"}


def configuration(node: NodeFacts) -> Iterator[DoctorFinding]:
    for one in node.configuration:
        yield DoctorFinding(
            one.code, SEVERITY[one.severity], TITLES[one.code], f"The {node.name} {one.says}.", one.change
        )


def cache_eviction(node: NodeFacts) -> Iterator[DoctorFinding]:
    if node.role is Role.DATA or node.both_roles:
        return
    if not node.number("maxmemory"):
        yield DoctorFinding(
            "cache_unbounded",
            "warning",
            "The cache has no memory limit",
            f"The {node.name} can grow until the machine has no memory left.",
            "CONFIG SET maxmemory 450mb and CONFIG SET maxmemory-policy volatile-lru.",
        )
    elif node.info.get("maxmemory_policy") == "noeviction":
        yield DoctorFinding(
            "cache_cannot_evict",
            "warning",
            "The cache cannot evict",
            f"The {node.name} refuses writes when its memory is full (maxmemory-policy noeviction).",
            "CONFIG SET maxmemory-policy volatile-lru.",
        )


def memory(node: NodeFacts) -> Iterator[DoctorFinding]:
    limit, used = node.number("maxmemory"), node.number("used_memory")
    if node.info.get("maxmemory_policy") == "noeviction" and limit and used > FULL * limit:
        yield DoctorFinding(
            "memory_nearly_full",
            "critical",
            "The memory of the store is nearly full",
            f"The {node.name} uses {megabytes(used)} of {megabytes(limit)} (maxmemory). "
            "When it is full, all writes fail.",
            "Raise maxmemory, use a larger machine or a cluster, or delete data (`townsquare memory`).",
        )


def fork_headroom(node: NodeFacts) -> Iterator[DoctorFinding]:
    """Snapshots and rewrites of the append-only file fork. In the worst case memory doubles."""
    total = node.number("total_system_memory")
    most = max(node.number("maxmemory"), node.number("used_memory_rss"))
    if node.role is Role.DATA and total and most > FORK_SHARE * total:
        yield DoctorFinding(
            "fork_headroom",
            "warning",
            "Too little memory for a fork",
            f"The {node.name} may use {megabytes(most)} of the {megabytes(total)} of its machine. "
            "A snapshot or a rewrite of the append-only file can need as much again.",
            f"Set maxmemory to at most {FORK_SHARE:.0%} of the memory, and vm.overcommit_memory = 1.",
        )


def persistence(node: NodeFacts) -> Iterator[DoctorFinding]:
    failed = [
        name
        for name in ("rdb_last_bgsave_status", "aof_last_bgrewrite_status", "aof_last_write_status")
        if node.info.get(name, "ok") != "ok"
    ]
    if failed and node.role is Role.DATA:
        yield DoctorFinding(
            "persistence_failing",
            "critical",
            "The store cannot write to its disk",
            f"The {node.name} reports an error ({', '.join(failed)}).",
            "Look into its log. Usually the disk is full or its folder cannot be written.",
        )


def latency(node: NodeFacts) -> Iterator[DoctorFinding]:
    if node.ping_ms > SLOW_PING_MS:
        yield DoctorFinding(
            "latency",
            "warning",
            "The store responds slowly",
            f"A PING to the {node.name} took {node.ping_ms:.1f} ms (median); normal is below 1 ms.",
            "Run the server and the store in one data centre. SLOWLOG GET and LATENCY DOCTOR list slow "
            "commands; look for swapping and for other programs on the machine.",
        )


def clock(node: NodeFacts) -> Iterator[DoctorFinding]:
    if abs(node.clock_ms) > CLOCK_SKEW_MS:
        yield DoctorFinding(
            "clock",
            "warning",
            "The clocks differ",
            f"The clock of the {node.name} differs by {node.clock_ms / 1000:+.1f} s from this machine.",
            "Synchronise all machines with NTP (`timedatectl set-ntp true`).",
        )


def is_primary(node: NodeFacts) -> Iterator[DoctorFinding]:
    if node.info.get("role") == "slave":
        yield DoctorFinding(
            "replica",
            "critical",
            "The URL names a replica",
            f"The {node.name} is a replica of {node.info.get('master_host')}:{node.info.get('master_port')}: "
            "writes fail.",
            "Use the URL of the primary, or redis+sentinel:// which follows a failover.",
        )


def has_replica(node: NodeFacts) -> Iterator[DoctorFinding]:
    if node.role is Role.CACHE or node.embedded or node.info.get("role") != "master":
        return
    if not node.number("connected_slaves"):
        clustered = node.info.get("cluster_enabled") == "1"
        yield DoctorFinding(
            "no_replica",
            "warning" if clustered else "notice",
            "No replica can take over",
            f"The {node.name} has no replica. If it fails, its data is unavailable until it returns.",
            "Add a replica to every primary (`--cluster-replicas 1`)."
            if clustered
            else "Add a replica and Redis Sentinel, and use redis+sentinel://. Or accept the downtime.",
        )


def replicas_follow(node: NodeFacts) -> Iterator[DoctorFinding]:
    for name, line in node.info.items():
        if not (name.startswith("slave") and name[5:].isdigit()):
            continue
        replica = dict(part.partition("=")[::2] for part in line.split(","))
        if replica.get("state") != "online" or int(replica.get("lag", 0)) > MOST_REPLICA_LAG:
            yield DoctorFinding(
                "replica_behind",
                "warning",
                "A replica does not follow",
                f"The replica {replica.get('ip')}:{replica.get('port')} of the {node.name} is "
                f"{replica.get('state')}, {replica.get('lag', '?')} s behind. A failover now loses writes.",
                "Look into the log of the replica, its network and `client-output-buffer-limit replica`.",
            )


def cluster_state(node: NodeFacts) -> Iterator[DoctorFinding]:
    if node.cluster_info.get("cluster_state", "ok") != "ok":
        assigned = node.cluster_info.get("cluster_slots_assigned")
        yield DoctorFinding(
            "cluster_down",
            "critical",
            "The cluster does not serve all slots",
            f"The {node.name} reports cluster_state {node.cluster_info['cluster_state']}, "
            f"{assigned} of 16384 slots assigned.",
            "Start the missing nodes, or assign their slots: `redis-cli --cluster fix`.",
        )


CHECKS: tuple[Callable[[NodeFacts], Iterator[DoctorFinding]], ...] = (
    configuration,
    cache_eviction,
    memory,
    fork_headroom,
    persistence,
    latency,
    clock,
    is_primary,
    has_replica,
    replicas_follow,
    cluster_state,
)

"""What Townsquare requires of a Redis, and the remedy if a requirement is not met.

`serve` and `check` refuse one that would lose data in silence, unless the setting `allow_unsafe_store` is on.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from townsquare.keyspace import Role
from townsquare.problems import Problem, Unavailable
from townsquare.settings import Settings
from townsquare.store.wire.advice import OLDEST
from townsquare.store.wire.connection import NodeConnection, ReplyError
from townsquare.store.wire.nodes import Nodes, connect

Severity = Literal["refused", "warning"]


class NodeState(msgspec.Struct):
    """The state that a node reports; unknown values are empty."""

    version: str = ""
    policy: str = ""
    append_only: str = ""
    snapshots: str | None = None  # its `save` setting; "": never, None: unknown
    clustered: str = ""
    by_one_node: bool = False  # its URL is not a cluster URL


class Requirement(NamedTuple):
    code: str
    severity: Severity
    says: str
    change: str
    broken: Callable[[NodeState], bool]
    roles: tuple[Role, ...] = (Role.DATA,)


APPEND_ONLY = "Set `appendonly yes` in its configuration, or run CONFIG SET appendonly yes."
REQUIREMENTS = (
    Requirement(
        "too_old",
        "refused",
        "is Redis {state.version}, which is too old",
        f"Use Redis {OLDEST} or newer, or Valkey.",
        lambda state: bool(state.version) and _version(state.version) < _version(OLDEST),
        tuple(Role),
    ),
    Requirement(
        "cluster_by_one_node",
        "refused",
        "is a cluster, but its URL names one node",
        "Use redis+cluster:// instead of redis://.",
        lambda state: state.clustered == "1" and state.by_one_node,
        tuple(Role),
    ),
    Requirement(
        "evicts",
        "refused",
        "throws data away when its memory is full (maxmemory-policy {state.policy})",
        "Set `maxmemory-policy noeviction` in its configuration, or CONFIG SET maxmemory-policy noeviction.",
        lambda state: state.policy not in ("", "noeviction"),
    ),
    Requirement(
        "not_persistent",
        "warning",
        "keeps everything in memory only: a restart loses all accounts, posts and counts",
        APPEND_ONLY,
        lambda state: state.append_only == "0" and state.snapshots == "",
    ),
    Requirement(
        "snapshots_only",
        "warning",
        "is saved now and then only: a crash loses what was written since the last snapshot",
        APPEND_ONLY,
        lambda state: state.append_only == "0" and state.snapshots != "",
    ),
)


class StoreFinding(msgspec.Struct, frozen=True):
    """A setting of a store that its operator should change."""

    role: Role
    code: str
    severity: Severity
    says: str
    change: str

    def __str__(self) -> str:
        return f"The {self.role} store {self.says}. {self.change}"


class UnsafeStore(Problem):
    """A store that is used only with the setting `allow_unsafe_store`."""

    code, status, title = "unsafe_store", 503, "The store is not safe to use"


async def require_safe(settings: Settings) -> list[StoreFinding]:
    """Raise UnsafeStore, or return the warnings about the stores of the settings."""
    findings = await examine_settings(settings)
    refused = [str(finding) for finding in findings if finding.severity == "refused"]
    if refused and not settings.allow_unsafe_store:
        raise UnsafeStore(
            f"{' '.join(refused)} To use it nevertheless, set TOWNSQUARE_ALLOW_UNSAFE_STORE=true."
        )
    return findings


async def examine_settings(settings: Settings) -> list[StoreFinding]:
    """Examine the stores that have a URL; embedded stores are always configured correctly."""
    found: list[StoreFinding] = []
    for role, url in ((Role.DATA, settings.data_url), (Role.CACHE, settings.cache_url)):
        if url:
            try:
                nodes = await connect(url, timeout=settings.command_timeout)
            except Unavailable as away:
                raise Unavailable(f"{away.detail} (setting {role}_url)") from None
            try:
                found += await examine(role, nodes)
            finally:
                await nodes.close()
    return found


async def examine(role: Role, nodes: Nodes) -> list[StoreFinding]:
    found: dict[StoreFinding, None] = {}
    for node in nodes.connections():
        state = await state_of(node)
        state.by_one_node = not nodes.clustered
        found |= dict.fromkeys(judge(role, state))
    return list(found)


def judge(role: Role, state: NodeState) -> list[StoreFinding]:
    return [
        StoreFinding(role, one.code, one.severity, one.says.format(state=state), one.change)
        for one in REQUIREMENTS
        if role in one.roles and one.broken(state)
    ]


STATE_COMMANDS = [("INFO",), ("CONFIG", "GET", "save")]


async def state_of(node: NodeConnection) -> NodeState:
    info, save = await node.execute_many(STATE_COMMANDS)
    return state_from(info_of(info), save)


def state_from(info: dict[str, str], save: Any) -> NodeState:
    """From the replies to `STATE_COMMANDS`; some hosters refuse one or both."""
    snapshots = None if isinstance(save, ReplyError) else save.get(b"save")
    return NodeState(
        version=info.get("redis_version", ""),  # of Valkey: the Redis version that it is compatible with
        policy=info.get("maxmemory_policy", ""),
        append_only=info.get("aof_enabled", ""),
        snapshots=None if snapshots is None else bytes(snapshots).decode(),
        clustered=info.get("cluster_enabled", ""),
    )


def info_of(reply: Any) -> dict[str, str]:
    """The names and values of an INFO; none if it was refused."""
    if isinstance(reply, ReplyError):
        return {}
    return dict(line.partition(":")[::2] for line in reply.decode(errors="replace").splitlines())


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())

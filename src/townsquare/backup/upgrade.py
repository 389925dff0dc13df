"""Upgrades stored data: runs the declared migrations in order, in bounded steps.

After each migration the version of the service is stored. An interrupted migration begins again and skips
keys that are already in the new form.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pkgutil import resolve_name

import msgspec

from townsquare.keyspace import AnyKey, Keyspace, Registry, Role
from townsquare.logger import get_logger
from townsquare.store.data_state import (
    GRACE,
    OFFLINE,
    POLL,
    DataInUse,
    Offline,
    PendingMigration,
    Progress,
    current_versions,
    pending_migrations,
    read_state,
    usable,
    write_state,
)
from townsquare.store.keys import DataState, data_state, lease
from townsquare.store.scripts.assembly import LuaText
from townsquare.store.store import Store

log = get_logger("townsquare.upgrade")

REPLACE_STATE = LuaText("""
if (redis.call('GET', KEYS[1]) or '') == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
""")

Step = Callable[[Store, Sequence[AnyKey], bool], Awaitable[int]]


async def bring_up_to_date(store: Store, progress: Progress | None = None) -> None:
    """Upgrade the data if it is older; one process upgrades, others wait. Costs one round trip otherwise."""
    deadline = asyncio.get_running_loop().time() + GRACE
    while True:
        raw, offline = await store.pipeline([("GET", data_state()), ("EXISTS", lease(OFFLINE))])
        state = usable(store, raw)
        if state is None and await is_empty(store):
            await replace_state(store, b"", DataState(current_versions(store.registry)))
        elif state is None or pending_migrations(store, state):
            await upgrade(store, progress)
        elif not offline:
            if not current_versions(store.registry).keys() <= state.versions.keys():  # a service is new
                await replace_state(store, raw, DataState(current_versions(store.registry) | state.versions))
            return
        elif asyncio.get_running_loop().time() > deadline:
            raise DataInUse("The data is being copied. Start again when that has finished")
        else:
            await asyncio.sleep(POLL)


async def is_empty(store: Store) -> bool:
    """Whether the store has no key at all."""
    nodes = store.role_stores[Role.DATA].nodes.connections()
    return not any([await node.execute("DBSIZE") for node in nodes])


async def replace_state(store: Store, old: bytes, new: DataState) -> None:
    """Write the state unless another process has changed it."""
    await store.evaluate(REPLACE_STATE, data_state(), old, msgspec.json.encode(new))


async def upgrade(store: Store, progress: Progress | None = None) -> list[tuple[PendingMigration, int]]:
    """Run all pending migrations; returns how many keys each has changed. No server may run."""
    state = await read_state(store)
    if state is not None and not pending_migrations(store, state):
        return []
    report = progress or (lambda *_: None)
    async with Offline(store, waiting=lambda: report("Waiting for another process", 0, 0)):
        state = await read_state(store)
        versions = dict.fromkeys(current_versions(store.registry), 1)
        if state is not None:
            versions = current_versions(store.registry) | state.versions
        done = []
        for pending in pending_migrations(store, state):
            service, version = pending.keyspace.service, pending.version
            log.info("upgrading", service=service, version=version, summary=pending.migration.summary)
            changed = await run_migration(store, pending, report, write=True)
            versions[service] = version
            await write_state(store, DataState(versions))
            log.info("upgraded", service=service, version=version, changed=changed)
            done.append((pending, changed))
        await write_state(store, DataState(versions))
        return done


async def preview(store: Store, progress: Progress) -> list[tuple[PendingMigration, int]]:
    """How many keys each pending migration would change."""
    pending = pending_migrations(store, await read_state(store))
    return [(one, await run_migration(store, one, progress, write=False)) for one in pending]


async def run_migration(store: Store, pending: PendingMigration, progress: Progress, *, write: bool) -> int:
    migration = pending.migration
    step: Step = resolve_name(migration.source)
    reads = Keyspace(pending.keyspace.service, pending.keyspace.description)
    for declared in migration.keys:
        reads.add(declared)
    registry = Registry([reads])
    changed = 0
    for role in {declared.role for declared in migration.keys}:
        seen, total = 0, await number_of_keys(store, role)
        async for names in store.scan(role):
            parsed = (registry.parse(name, store.role_stores[role].layout) for name in dict.fromkeys(names))
            keys = [key for key in parsed if key is not None]
            if keys:
                changed += await step(store, keys, write)
            seen += len(names)
            progress(migration.summary, seen, max(seen, total))
    return changed


async def number_of_keys(store: Store, role: Role) -> int:
    return sum([await node.execute("DBSIZE") for node in store.role_stores[role].nodes.connections()])

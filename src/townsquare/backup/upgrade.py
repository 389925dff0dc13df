"""Upgrades stored data: runs the declared migrations in order, in bounded steps.

After each migration the version of the service is stored. An interrupted migration begins again and skips
keys that are already in the new form.
"""

from collections.abc import Awaitable, Callable, Sequence
from pkgutil import resolve_name

from townsquare.keyspace import AnyKey, Keyspace, Registry, Role
from townsquare.logger import get_logger
from townsquare.store.data_state import (
    Offline,
    PendingMigration,
    Progress,
    current_versions,
    pending_migrations,
    read_state,
    write_state,
)
from townsquare.store.keys import DataState
from townsquare.store.store import Store

log = get_logger("townsquare.upgrade")

Step = Callable[[Store, Sequence[AnyKey], bool], Awaitable[int]]


async def upgrade(store: Store, progress: Progress | None = None) -> list[tuple[PendingMigration, int]]:
    """Run all pending migrations; returns how many keys each has changed. No server may run."""
    state = await read_state(store)
    if state is not None and not pending_migrations(store, state):
        return []
    report = progress or (lambda *_: None)
    async with Offline(store, waiting=lambda: report("Waiting for another process", 0, 0)):
        state = await read_state(store)
        versions = dict.fromkeys(current_versions(store), 1)
        if state is not None:
            versions = current_versions(store) | state.versions
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

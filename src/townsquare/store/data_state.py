"""The state of the data: the version of each service's key layout, and whether the data is complete.

A server reads it once, when it starts. Data without a state was written before versions existed: version 1.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from townsquare.keyspace import Keyspace, Migration, Registry
from townsquare.problems import Problem
from townsquare.store.coordination.background import JOBS_LEASE, Lease
from townsquare.store.keys import BACKGROUND_LEASE_SECONDS, DataState, data_state, lease

if TYPE_CHECKING:
    from townsquare.store.store import Store

OFFLINE = "offline"  # the lease of a process that needs the data for itself
POLL = 0.05
GRACE = 1.0  # a process that has finished its upgrade may still hold the lease

Progress = Callable[[str, int, int], None]  # what is being done, keys read, keys in all


class StoreIncomplete(Problem):
    code, status, title = "store_incomplete", 503, "The data is incomplete"


class DataTooNew(Problem):
    code, status, title = "data_too_new", 503, "A newer version of Townsquare wrote the data"


class DataTooOld(Problem):
    code, status, title = "data_too_old", 503, "The data must be upgraded first"


class DataInUse(Problem):
    code, status, title = "data_in_use", 503, "Another process uses the data"


class PendingMigration(NamedTuple):
    keyspace: Keyspace
    version: int  # after the migration
    migration: Migration


async def read_state(store: "Store") -> DataState | None:
    """The state, or None. Raises if this version of Townsquare cannot use the data."""
    return usable(store, await store.call("GET", data_state()))


def usable(store: "Store", raw: bytes | None) -> DataState | None:
    if raw is None:
        return None
    state = msgspec.json.decode(raw, type=DataState)
    if state.incomplete:
        raise StoreIncomplete(f"{state.incomplete} was interrupted. Run it again, or restore a backup")
    require_known_versions(store.registry, state.versions)
    return state


def require_known_versions(registry: Registry, versions: dict[str, int]) -> None:
    """Raise `DataTooNew` if a service has data of a later version."""
    newer = [
        f"{keyspace.service} has version {found}, this Townsquare supports {keyspace.version}"
        for keyspace in registry.keyspaces
        if (found := versions.get(keyspace.service, 1)) > keyspace.version
    ]
    if newer:
        raise DataTooNew(f"{'; '.join(newer)}. Install a Townsquare that supports these versions")


def pending_migrations(store: "Store", state: DataState | None) -> list[PendingMigration]:
    """A service that is not in the state has no data yet."""
    return [
        PendingMigration(keyspace, version, migration)
        for keyspace in store.registry.keyspaces
        for version, migration in enumerate(keyspace.migrations, 2)
        if version > (1 if state is None else state.versions.get(keyspace.service, version))
    ]


def current_versions(registry: Registry) -> dict[str, int]:
    return {keyspace.service: keyspace.version for keyspace in registry.keyspaces}


async def require_current(store: "Store") -> None:
    """For commands that only read: the data is complete and has the versions of this Townsquare."""
    pending = pending_migrations(store, await read_state(store))
    if pending:
        names = ", ".join(sorted({one.keyspace.service for one in pending}))
        raise DataTooOld(f"{names}: run `townsquare upgrade`, or start the server")


async def write_state(store: "Store", state: DataState) -> None:
    await store.call("SET", data_state(), msgspec.json.encode(state))


async def require_no_server(store: "Store") -> None:
    """Raise if a server runs on this data; one that was killed holds its lease for some seconds."""
    for _ in range(int((BACKGROUND_LEASE_SECONDS + GRACE) / POLL)):
        if not await store.call("EXISTS", lease(JOBS_LEASE)):
            return
        await asyncio.sleep(POLL)
    raise DataInUse("A server runs on this data. Stop all servers first")


class Offline:
    """Exclusive use of the data: no server runs, and none starts. With `waiting`, wait for other commands."""

    def __init__(self, store: "Store", waiting: Callable[[], None] | None = None) -> None:
        self._store = store
        self._lease = Lease(store, OFFLINE)
        self._waiting = waiting

    async def __aenter__(self) -> None:
        while not await self._lease.take():
            if self._waiting is None:
                raise DataInUse("Another command uses the data for itself. Try again when it has finished")
            self._waiting()
            await asyncio.sleep(POLL)
        self._renewing = asyncio.create_task(self._lease.keep())
        try:
            await require_no_server(self._store)
        except BaseException:
            await self.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._renewing.cancel()
        await asyncio.gather(self._renewing, return_exceptions=True)
        await self._lease.give_back()

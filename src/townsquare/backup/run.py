"""Backs up, verifies and restores the data of an environment, and moves it between stores."""

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from townsquare.backup.file import (
    FORMAT,
    BackupEnd,
    BackupHeader,
    BackupRecord,
    BadBackup,
    bytes_of,
    read_backup,
    written_backup,
)
from townsquare.backup.read_store import StoreScan
from townsquare.backup.snapshot import NoSnapshot, opened_snapshots
from townsquare.backup.write_store import StoreWriter, Validator, delete_all, require_one_type
from townsquare.clock import iso
from townsquare.keyspace import Registry, Role
from townsquare.problems import Problem
from townsquare.settings import SECRETS, Settings, variable_of
from townsquare.store import keys
from townsquare.store.data_state import (
    OFFLINE,
    Offline,
    Progress,
    current_versions,
    read_state,
    require_known_versions,
    require_no_server,
    write_state,
)
from townsquare.store.keys import DataState
from townsquare.store.store import Store

POINT_IN_TIME = "point in time"
PER_HOME = "home"  # all keys of a home at one moment
NO_SERVER = "no server was running"
EVERY = 1_000  # keys between two reports of the progress


class NotEmpty(Problem):
    code, status, title = "store_not_empty", 409, "The store is not empty"


class BackupReport(NamedTuple):
    header: BackupHeader
    keys: int


async def backup(store: Store, settings: Settings, path: Path, progress: Progress) -> BackupReport:
    """Write all data into a file."""
    versions = await stored_versions(store)
    with written_backup(path) as file:

        async def write(record: BackupRecord) -> None:
            file.write(record)

        try:
            header = await header_of(store, settings, versions, snapshot_consistency(store))
            nodes = store.role_stores[Role.DATA].nodes.connections()
            async with opened_snapshots(nodes, path.parent) as snapshots:
                first = True
                async for node in snapshots:
                    if first:  # only now it is known that the snapshot can be read
                        file.write(header)
                        first = False
                    scan = StoreScan([node], store.role_stores[Role.DATA].layout, store.registry)
                    await copy(scan, write, progress)
        except NoSnapshot as reason:
            if file.keys:
                raise BadBackup(f"The snapshot could not be read to its end: {reason}") from None
            header = await header_of(store, settings, versions, f"{PER_HOME}; no snapshot: {reason}")
            file.write(header)
            await copy(scan_of(store), write, progress, by_home=True)
    return BackupReport(header, file.keys)


def snapshot_consistency(store: Store) -> str:
    return PER_HOME if store.role_stores[Role.DATA].layout.clustered else POINT_IN_TIME


def scan_of(store: Store) -> StoreScan:
    side = store.role_stores[Role.DATA]
    return StoreScan(side.nodes.connections(), side.layout, store.registry)


async def copy(
    scan: StoreScan,
    write: Callable[[BackupRecord], Awaitable[None]],
    progress: Progress,
    *,
    by_home: bool = False,
) -> None:
    count = 0
    async for record in scan.records(by_home=by_home):
        await write(record)
        count += 1
        if count % EVERY == 0:
            progress("Copying", scan.seen, max(scan.seen, scan.total))
    progress("Copying", scan.seen, max(scan.seen, scan.total))


async def stored_versions(store: Store) -> dict[str, int]:
    """Raises if the data is incomplete or of a later version."""
    state = await read_state(store)
    return state.versions if state else dict.fromkeys(current_versions(store.registry), 1)


async def header_of(
    store: Store, settings: Settings, versions: dict[str, int], consistency: str
) -> BackupHeader:
    side = store.role_stores[Role.DATA]
    return BackupHeader(
        format=FORMAT,
        townsquare=version("townsquare"),
        made_at=iso(store.clock.now_ms()),
        env=side.layout.env,
        engine=await engine_of(store),
        layout="cluster" if side.layout.clustered else "plain",
        consistency=consistency,
        versions=versions,
        supply=sorted(variable_of(name) for name in SECRETS if getattr(settings, name)),
    )


async def engine_of(store: Store) -> str:
    node = store.role_stores[Role.DATA].nodes.connections()[0]
    text = (await node.execute("INFO", "server")).decode(errors="replace")
    info = dict(line.partition(":")[::2] for line in text.splitlines())
    if "valkey_version" in info:
        return f"valkey {info['valkey_version']}"
    return f"redis {info.get('redis_version', 'unknown')}"


def verify(registry: Registry, path: Path, progress: Progress) -> BackupReport:
    """Read the whole file. Raises `BadBackup` unless it can be restored here."""
    header: BackupHeader | None = None
    versions = current_versions(registry)
    current: set[str] = set()  # services whose keys must be as they are declared now
    keys = 0
    validator = Validator(registry)
    for line in read_backup(path):
        if isinstance(line, BackupHeader):
            header = line
            require_known_versions(registry, line.versions)
            current = {name for name, number in versions.items() if line.versions.get(name, number) == number}
        elif isinstance(line, BackupRecord):
            keys += not line.more
            service = bytes_of(line.key).partition(b":")[0].decode(errors="replace")
            validator.validate(line, service in current)
            if keys % EVERY == 0:
                progress("Verifying", keys, keys)
    if header is None:
        raise BadBackup(f"{path} has no header")
    if repeated := validator.repeated():
        require_one_type((line for line in read_backup(path) if isinstance(line, BackupRecord)), repeated)
    return BackupReport(header, keys)


async def restore(store: Store, path: Path, progress: Progress, *, force: bool = False) -> BackupReport:
    """Replace the data of the store with the backup."""
    report = verify(store.registry, path, progress)
    async with Offline(store):
        finish = await begin_replacing(store, f"The restore of {path.name}", force)
        writer = StoreWriter(store)
        complete = False
        for line in read_backup(path):
            if isinstance(line, BackupRecord):
                await writer.write(line)
                if writer.keys % EVERY == 0:
                    progress("Restoring", writer.keys, report.keys)
            complete = isinstance(line, BackupEnd)
        await writer.flush()
        if not complete or writer.keys != report.keys:
            raise BadBackup(f"{path} has changed while it was read")
        await finish(report.header.versions)
    return report


async def move(source: Store, target: Store, progress: Progress, *, force: bool = False) -> int:
    """Copy all data of one store into another. No server may run on either."""
    async with Offline(source), Offline(target):
        versions = await stored_versions(source)
        await source.effects.sweep()
        finish = await begin_replacing(target, "The migration", force)
        writer = StoreWriter(target)
        await copy(scan_of(source), writer.write, progress)
        await writer.flush()
        await require_no_server(source)  # one that has started at the same moment as this command
        await finish(versions)
        return writer.keys


Finish = Callable[[dict[str, int]], Awaitable[None]]


async def begin_replacing(store: Store, what: str, force: bool) -> Finish:
    """Empty the store. It counts as incomplete until the returned function gets the versions of the data."""
    spared = [store.name(keys.data_state()), store.name(keys.lease(OFFLINE))]
    if not force and not await is_replaceable(store, spared):
        raise NotEmpty("Restore into an empty store, or replace the data with --force")
    await write_state(store, DataState(incomplete=what))
    for role in Role:
        await delete_all(store, role, spared)

    async def finish(versions: dict[str, int]) -> None:
        await write_state(store, DataState(current_versions(store.registry) | versions))

    return finish


async def is_replaceable(store: Store, spared: list[str]) -> bool:
    """Whether the environment has no data, or only what an interrupted restore has left."""
    state = await store.get(keys.data_state())
    if state is not None and state.incomplete:
        return True
    async for names in store.scan(Role.DATA):
        if set(names) - {*spared}:
            return False
    return True

"""A backup has everything, restores onto any layout and engine, and is whole or refused."""

import asyncio
import base64
import gzip
import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.backup.contents import contents, lasting, same
from tests.integrity.corruption import populate
from tests.support.clock import PinnedClock
from tests.support.engines import Node, throwaway_node
from tests.support.servers import PROJECT
from tests.support.squares import Place, assert_clean, open_square, raw_names
from townsquare.backup import file as backup_file
from townsquare.backup import run, snapshot
from townsquare.backup.file import BadBackup
from townsquare.backup.read_store import MEMBERS
from townsquare.keyspace import Registry, Role
from townsquare.keyspace.buckets import SLOT_OF_BUCKET
from townsquare.services import registry
from townsquare.square import Square
from townsquare.store import data_state, keys
from townsquare.store.coordination.background import JOBS_LEASE, Lease
from townsquare.store.store import Store

REDIS_7 = Path("/usr/bin/redis-server")


def silent(*_: object) -> None:
    pass


@pytest.fixture
def known_keys() -> Registry | None:
    """A backup also has keys that no declaration knows."""
    return None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "all.backup"


@pytest.fixture
async def filled(square: Square, clock: PinnedClock) -> Square:
    await populate(square, clock)
    return square


def text_of(file: Path) -> str:
    return gzip.decompress(file.read_bytes()).decode()


def files_and_modes(folder: Path) -> dict[str, int]:
    return {one.name: one.stat().st_mode & 0o777 for one in folder.iterdir() if one.is_file()}


async def back_up(square: Square, file: Path) -> run.BackupReport:
    return await run.backup(square.store, square.settings, file, silent)


@pytest.mark.slow
async def test_a_backup_restores_every_key(filled: Square, file: Path) -> None:
    before = await contents(filled.store)
    report = await back_up(filled, file)
    assert report.keys == len(before) > 100
    assert files_and_modes(file.parent) == {file.name: 0o600}
    header = run.verify(registry(), file, silent).header
    assert header.versions == data_state.current_versions(registry())
    clustered = filled.store.role_stores[Role.DATA].layout.clustered
    assert header.consistency == ("home" if clustered else "point in time")

    await filled.accounts.sign_up("dave", email="dave@example.org")
    with pytest.raises(run.NotEmpty):
        await run.restore(filled.store, file, silent)
    restored = await run.restore(filled.store, file, silent, force=True)
    assert restored.keys == report.keys
    assert same(lasting(before), lasting(await contents(filled.store)))
    await assert_clean(filled.store)


async def test_a_backup_of_one_node_restores_onto_a_cluster_and_back(
    plain_place: Place, cluster_place: Place, clock: PinnedClock, tmp_path: Path
) -> None:
    async with open_square(plain_place, clock) as one, open_square(cluster_place, clock) as cluster:
        await populate(one, clock)
        before = await contents(one.store)
        await back_up(one, tmp_path / "one")
        await run.restore(cluster.store, tmp_path / "one", silent, force=True)
        assert same(lasting(before), lasting(await contents(cluster.store)))
        await assert_clean(cluster.store)
        await back_up(cluster, tmp_path / "cluster")
        await run.restore(one.store, tmp_path / "cluster", silent, force=True)
        assert same(lasting(before), lasting(await contents(one.store)))
        await assert_clean(one.store)


async def fill_with_every_shape(store: Store) -> None:
    """Values at the limits of the format, under names that no declaration knows."""
    side = store.role_stores[Role.DATA]
    many = range(3 * MEMBERS)
    commands: list[list[Any]] = [
        ["SET", "empty", ""],
        ["SET", "binary", bytes(range(256))],
        ["SET", "large", ("ü" * 700 + "x").encode() * 2_000],
        ["SET", "passing", "x", "PX", 3_600_123],
        ["HSET", "hash", b"\xff", "x", "y", b"\xfe"],
        ["HSET", "large-hash", *(each for number in many for each in (f"f{number}", "x" * 100))],
        ["SADD", "large-set", *many],
        ["ZADD", "zset", "inf", "a", "-inf", "b", "0.1", "c", "1e300", "d", str(2**53 + 1), "e"],
        ["ZADD", "large-zset", *(each for number in many for each in (number / 7, f"m{number}"))],
        ["RPUSH", "list", "b", "a", "b", ""],
        ["RPUSH", "large-list", *(number if number % MEMBERS else "" for number in many)],
        ["PFADD", "visitors", *many],
        ["XADD", "stream", "5-1", "a", "1", "b", b"\xff"],
        ["XADD", "stream", "6-1", "a", "2"],
        ["XSETID", "stream", "9-9"],
        ["XADD", "emptied", "MAXLEN", 0, "7-7", "a", "1"],
        *(["XADD", "large-stream", f"{number + 1}-0", "n", number] for number in many),
    ]
    for verb, name, *rest in commands:
        tagged = f"{{0a3}}:{name}" if side.layout.clustered else name
        await side.nodes.execute(SLOT_OF_BUCKET["0a3"], verb, f"{side.layout.prefix}shapes:{tagged}", *rest)


@pytest.mark.parametrize("snapshots", [True, False], ids=["snapshot", "live"])
async def test_every_shape_is_equal_afterwards(
    square: Square, file: Path, snapshots: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not snapshots:
        monkeypatch.setattr(snapshot, "save_snapshot", refuse)
    await fill_with_every_shape(square.store)
    before = await contents(square.store)
    report = await back_up(square, file)
    assert ("no snapshot: NOPERM" in report.header.consistency) is not snapshots
    await run.restore(square.store, file, silent, force=True)
    assert same(lasting(before), lasting(await contents(square.store)))


async def refuse(*_: object) -> None:
    raise snapshot.NoSnapshot("NOPERM")


async def test_a_backup_has_the_data_of_one_moment(
    plain_place: Place, clock: PinnedClock, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = snapshot.save_snapshot

    async def save_then_write(*args: Any) -> None:
        await save(*args)
        await square.accounts.sign_up("late", email="late@example.org")

    monkeypatch.setattr(snapshot, "save_snapshot", save_then_write)
    async with open_square(plain_place, clock) as square:
        await square.accounts.sign_up("early", email="early@example.org")
        await back_up(square, file)
    text = text_of(file)
    assert "early@example.org" in text
    assert "late@example.org" not in text


async def test_the_cache_and_leases_are_not_in_it(square: Square, file: Path) -> None:
    assert await Lease(square.store, JOBS_LEASE).take()
    await back_up(square, file)
    names = [json.loads(line).get("key", "") for line in text_of(file).splitlines()]
    assert "system:secret" in names
    assert not [name for name in names if "lease" in name or name.startswith("system:data")]


async def test_secrets_of_the_settings_are_listed(place: Place, clock: PinnedClock, file: Path) -> None:
    async with open_square(place, clock, secret="s" * 32, admin_token="t" * 32) as square:
        report = await back_up(square, file)
    assert report.header.supply == ["TOWNSQUARE_ADMIN_TOKEN", "TOWNSQUARE_SECRET"]
    assert "ssssssss" not in text_of(file)


async def killed(what: str, file: Path, place: Place) -> None:
    command = [sys.executable, "-m", "tests.backup.dying_command", what, str(file)]
    ended = await asyncio.to_thread(subprocess.run, [*command, place.data_url, place.cache_url], cwd=PROJECT)
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.slow
async def test_a_backup_that_is_killed_leaves_no_file(filled: Square, place: Place, file: Path) -> None:
    await killed("backup", file, place)
    (left,) = files_and_modes(file.parent)
    assert left.endswith(".partial")
    with pytest.raises(BadBackup):
        run.verify(registry(), file.with_name(left), silent)


@pytest.mark.slow
async def test_a_restore_that_is_killed_is_not_taken_for_complete(
    filled: Square, place: Place, clock: PinnedClock, file: Path
) -> None:
    before = await contents(filled.store)
    await back_up(filled, file)
    for node in filled.store.role_stores[Role.DATA].nodes.connections():
        await node.execute("FLUSHALL")
    await killed("restore", file, place)
    assert 0 < len(await contents(filled.store)) < len(before)
    with pytest.raises(data_state.StoreIncomplete, match="Run it again"):
        async with open_square(place, clock):
            pass
    with pytest.raises(data_state.StoreIncomplete):
        await back_up(filled, file.with_name("other"))
    await filled.store.call("DEL", keys.lease(data_state.OFFLINE))  # it would expire in 5 s
    await run.restore(filled.store, file, silent)  # without --force: what is there is incomplete
    assert same(lasting(before), lasting(await contents(filled.store)))
    async with open_square(place, clock) as opened:
        await assert_clean(opened.store)


async def test_nothing_is_restored_under_a_running_server(
    square: Square, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_state, "BACKGROUND_LEASE_SECONDS", 0)
    monkeypatch.setattr(data_state, "GRACE", 2 * data_state.POLL)
    await back_up(square, file)
    before = await contents(square.store)
    assert await Lease(square.store, JOBS_LEASE).take()
    with pytest.raises(data_state.DataInUse):
        await run.restore(square.store, file, silent, force=True)
    assert same(lasting(before), lasting(await contents(square.store)))


def sign(lines: list[dict[str, Any]]) -> bytes:
    """A file with a correct checksum."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines[:-1])
    keys = sum(line["line"] == "key" and not line.get("more") for line in lines)
    end = {"line": "end", "keys": keys, "sha256": hashlib.sha256(body).hexdigest()}
    return gzip.compress(body + json.dumps(end).encode() + b"\n")


def edited(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[bytes], bytes]:
    def hostile(good: bytes) -> bytes:
        lines = [json.loads(line) for line in gzip.decompress(good).splitlines()]
        change(lines)
        return sign(lines)

    return hostile


def record(lines: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("type") == kind)


def continue_with(lines: list[dict[str, Any]], first: dict[str, Any], second: dict[str, Any]) -> None:
    """An undeclared key in two lines."""
    base = {"line": "key", "key": "x:y", "home": "000", "type": "set", "value": ["a"]}
    lines[-1:-1] = [base | first, base | first | {"more": True} | second]


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "not gzip": lambda good: b"PK" + good,
    "cut": lambda good: good[: len(good) // 2],
    "end missing": lambda good: gzip.compress(b"\n".join(gzip.decompress(good).splitlines()[:-1]) + b"\n"),
    "one bit": lambda good: gzip.compress(gzip.decompress(good).replace(b"example", b"axample", 1)),
    "one line less": lambda good: gzip.compress(
        b"\n".join((lines := gzip.decompress(good).splitlines())[:3] + lines[4:]) + b"\n"
    ),
    "something behind the end": lambda good: gzip.compress(gzip.decompress(good) + b"{}\n"),
    "endless line": lambda good: gzip.compress(b"x" * (backup_file.LONGEST_LINE + 2), 1),
    "deep": lambda good: gzip.compress(b"[" * 100_000),
    "no header": edited(lambda lines: lines.pop(0)),
    "two headers": edited(lambda lines: lines.insert(1, lines[0])),
    "later format": edited(lambda lines: lines[0].update(format=2)),
    "another type": edited(lambda lines: record(lines, "hash").update(type="set")),
    "another home": edited(lambda lines: record(lines, "hash").update(home="zzz")),
    "a home with a line break": edited(lambda lines: record(lines, "set").update(key="x:y", home="000\n")),
    "not its home": edited(lambda lines: record(lines, "hash").update(home="000")),
    "half a pair": edited(lambda lines: record(lines, "hash")["value"].pop()),
    "no value": edited(lambda lines: record(lines, "set").update(value=[])),
    "not base64": edited(lambda lines: record(lines, "set").update(value=[{"base64": "?"}])),
    "not a name": edited(lambda lines: record(lines, "set").update(key="x y")),
    "of the cache": edited(
        lambda lines: record(lines, "string").update(key="system:ratelimit:ip:read:x:1", value=["1"])
    ),
    "the state": edited(lambda lines: record(lines, "string").update(key="system:data:state")),
    "the state, encoded": edited(
        lambda lines: record(lines, "string").update(
            key={"base64": base64.b64encode(b"system:data:state").decode()}
        )
    ),
    "a version before the first": edited(lambda lines: lines[0]["versions"].update(system=0)),
    "millions of values in a line": edited(
        lambda lines: record(lines, "set").update(key="x:y", value=["1"] * 3_000_000)
    ),
    "continues another": edited(lambda lines: lines[-2].update(more=True)),
    "a damaged stream": edited(
        lambda lines: record(lines, "set").update(key="x:y", type="stream", value=["1-1", "99", "a"])
    ),
    "the first id of a stream": edited(
        lambda lines: record(lines, "set").update(key="x:y", type="stream", value=["0-0", "2", "a", "b"])
    ),
    "a later id than a stream has": edited(
        lambda lines: record(lines, "set").update(
            key="x:y", type="stream", value=["99999999999999999999-1", "2", "a", "b"]
        )
    ),
    "ids of a stream that do not increase": edited(
        lambda lines: record(lines, "set").update(
            key="x:y", type="stream", value=["2-1", "2", "a", "b", "1-1", "2", "a", "b"]
        )
    ),
    "a last id before the entries": edited(
        lambda lines: continue_with(
            lines, {"type": "stream", "value": ["2-1", "2", "a", "b"]}, {"last_id": "1-1", "value": []}
        )
    ),
    "an entry before the last id": edited(
        lambda lines: continue_with(
            lines, {"type": "stream", "last_id": "5-1", "value": []}, {"value": ["2-1", "2", "a", "b"]}
        )
    ),
    "continues with another type": edited(lambda lines: continue_with(lines, {}, {"type": "list"})),
    "continues in another home": edited(lambda lines: continue_with(lines, {}, {"home": "001"})),
    "one key twice": edited(
        lambda lines: lines.__setitem__(
            slice(-1, -1), [{**record(lines, "set"), "key": "x:y"}, {**record(lines, "hash"), "key": "x:y"}]
        )
    ),
    "a score too large": edited(lambda lines: record(lines, "zset")["value"].__setitem__(1, "1e999")),
    "a score too small": edited(lambda lines: record(lines, "zset")["value"].__setitem__(1, "1e-999")),
    "a score of Python": edited(lambda lines: record(lines, "zset")["value"].__setitem__(1, "1_0")),
    "an expiry out of range": edited(lambda lines: record(lines, "set").update(expires=10**30)),
}


@pytest.fixture(scope="module")
def good_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    with throwaway_node() as node, throwaway_node() as cache:
        place = Place("plain", node.unix_url, cache.unix_url)
        path = tmp_path_factory.mktemp("good") / "file"

        async def make() -> None:
            clock = PinnedClock()
            async with open_square(place, clock) as square:
                await populate(square, clock)
                await back_up(square, path)

        asyncio.run(make())
        yield path.read_bytes()


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_before_anything_is_written(
    hostile: Callable[[bytes], bytes], good_file: bytes, plain_place: Place, clock: PinnedClock, file: Path
) -> None:
    file.write_bytes(hostile(good_file))

    async def attempt() -> None:
        async with open_square(plain_place, clock) as square:
            before = await raw_names(square.store)
            with pytest.raises(BadBackup) as refused:
                await run.restore(square.store, file, silent, force=True)
            assert len(refused.value.detail) < 500
            assert await raw_names(square.store) == before
            await data_state.require_current(square.store)

    asyncio.run(attempt())


def test_a_backup_of_a_later_version_is_refused(good_file: bytes, file: Path) -> None:
    file.write_bytes(edited(lambda lines: lines[0]["versions"].update(threads=9))(good_file))
    with pytest.raises(data_state.DataTooNew):
        run.verify(registry(), file, silent)


def test_an_older_backup_is_upgraded_when_it_is_opened(
    good_file: bytes, plain_place: Place, clock: PinnedClock, file: Path
) -> None:
    file.write_bytes(edited(lambda lines: lines[0]["versions"].update(threads=1))(good_file))

    async def use() -> None:
        async with open_square(plain_place, clock) as square:
            await run.restore(square.store, file, silent, force=True)
            state = await data_state.read_state(square.store)
            assert state is not None
            assert state.versions["threads"] == 1
        async with open_square(plain_place, clock) as square:
            state = await data_state.read_state(square.store)
            assert state is not None
            assert state.versions["threads"] == 2

    asyncio.run(use())


@pytest.mark.skipif(not REDIS_7.exists(), reason="no redis-server here")
@pytest.mark.parametrize("permitted", [True, False], ids=["replication", "no replication"])
def test_a_redis_of_another_version(
    permitted: bool, cache_node: Node, clock: PinnedClock, file: Path
) -> None:
    cache_node.flush()
    with throwaway_node(binary=REDIS_7) as node:
        if not permitted:
            node.ask("ACL", "SETUSER", "default", "-sync")
        place = Place("plain", node.unix_url, cache_node.unix_url)

        async def use() -> None:
            async with open_square(place, clock) as square:
                await populate(square, clock)
                before = await contents(square.store)
                report = await back_up(square, file)
                assert report.header.engine.startswith("redis 7")
                expected = "point in time" if permitted else "home; no snapshot: -NOPERM"
                assert report.header.consistency.startswith(expected)
                await run.restore(square.store, file, silent, force=True)
                assert same(lasting(before), lasting(await contents(square.store)))
                await assert_clean(square.store)

        asyncio.run(use())

import asyncio
import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.engines import wait_until
from tests.support.servers import children, command_line
from tests.support.waiting import until
from townsquare.keyspace import Role
from townsquare.store.engine import (
    DataFolderInUse,
    DataFolderUnusable,
    EngineFailed,
    Engines,
    engine_binary,
)
from townsquare.store.engine import engines as engine_module
from townsquare.store.engine import process as process_module
from townsquare.store.engine.folder import LONGEST_SOCKET_PATH, DataFolder
from townsquare.store.wire.address import parse
from townsquare.store.wire.connection import execute_once

pytestmark = pytest.mark.slow

OWNER = """
import asyncio, sys
from townsquare.store.engine import Engines

async def own():
    await Engines(sys.argv[1]).start()
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(own())
"""


CONNECTED = """
import signal, sys, townsquare
square = townsquare.connect(settings=townsquare.Settings.load(environ={}, data_dir=sys.argv[1]))
print("ready", flush=True)
signal.pause()
"""

OPENED = """
import asyncio, sys, townsquare

async def use():
    async with townsquare.open(settings=townsquare.Settings.load(environ={}, data_dir=sys.argv[1])):
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(use())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def engines(folder: Path) -> AsyncIterator[Engines]:
    engines = Engines(folder)
    await engines.start()
    yield engines
    await engines.stop()


@contextlib.contextmanager
def another_owner(folder: Path, program: str = OWNER) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


async def call(engines: Engines, role: Role, *command: Any) -> Any:
    return await execute_once(parse(engines.url(role)).addresses[0], *command)


async def configured(engines: Engines, role: Role, name: str) -> bytes:
    return bytes((await call(engines, role, "CONFIG", "GET", name))[name.encode()])


def pid_of(engines: Engines, role: Role) -> int:
    pid = engines.health()[role].pid
    assert pid is not None
    return pid


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ended(process_id: int) -> bool:
    """Gone, or a zombie that its parent has not buried yet."""
    status = Path(f"/proc/{process_id}/stat")
    with contextlib.suppress(OSError):
        return status.read_text().rpartition(")")[2].split()[0] == "Z"
    return not alive(process_id)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_data_is_kept_and_never_evicted(engines: Engines) -> None:
    assert await configured(engines, Role.DATA, "appendonly") == b"yes"
    assert await configured(engines, Role.DATA, "appendfsync") == b"everysec"
    assert await configured(engines, Role.DATA, "aof-load-truncated") == b"yes"
    assert await configured(engines, Role.DATA, "maxmemory-policy") == b"noeviction"
    assert await configured(engines, Role.DATA, "save") == b""
    assert await configured(engines, Role.DATA, "port") == b"0"


async def test_records_with_a_text_are_stored_in_one_piece(engines: Engines) -> None:
    await call(engines, Role.DATA, "HSET", "hash", "text", "t" * 4_000)
    await call(engines, Role.DATA, "ZADD", "sorted", "1", "m" * 500)
    await call(engines, Role.DATA, "SADD", "set", *(f"member{number}" for number in range(500)))
    for name in ("hash", "sorted", "set"):
        assert await call(engines, Role.DATA, "OBJECT", "ENCODING", name) == b"listpack"


async def test_the_cache_is_bounded_and_not_kept(engines: Engines) -> None:
    assert await configured(engines, Role.CACHE, "appendonly") == b"no"
    assert await configured(engines, Role.CACHE, "save") == b""
    assert await configured(engines, Role.CACHE, "maxmemory-policy") == b"volatile-lru"
    assert await configured(engines, Role.CACHE, "maxmemory") == str(450 * 1024 * 1024).encode()
    assert await configured(engines, Role.CACHE, "port") == b"0"


async def test_the_folder_is_for_our_eyes_only(engines: Engines, folder: Path) -> None:
    assert mode_of(folder) == mode_of(folder / "data.sock") == 0o700


def test_a_wider_folder_is_narrowed(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    DataFolder(folder).prepare()
    assert mode_of(folder) == 0o700


async def test_a_clean_stop_keeps_data_and_ends_the_processes(folder: Path) -> None:
    engines = Engines(folder)
    await engines.start()
    pids = [pid_of(engines, role) for role in Role]
    await call(engines, Role.DATA, "SET", "k", "kept")
    await call(engines, Role.CACHE, "SET", "k", "lost")
    await engines.stop()
    assert not any(alive(pid) for pid in pids)
    assert [health.state for health in engines.health().values()] == ["stopped", "stopped"]
    assert asyncio.all_tasks() == {asyncio.current_task()}

    await engines.start()
    assert await call(engines, Role.DATA, "GET", "k") == b"kept"
    assert await call(engines, Role.CACHE, "GET", "k") is None
    await engines.stop()


async def test_only_the_embedded_roles_run(folder: Path) -> None:
    engines = Engines(folder, roles=[Role.CACHE])
    await engines.start()
    assert list(engines.health()) == [Role.CACHE]
    assert not (folder / "data.sock").exists()
    await engines.stop()


async def test_a_second_owner_is_refused_by_name(engines: Engines, folder: Path) -> None:
    with pytest.raises(DataFolderInUse, match=rf"{folder} is in use by process {os.getpid()}"):
        await Engines(folder).start()
    assert await call(engines, Role.DATA, "PING") == b"PONG"


async def test_a_patient_owner_waits_for_a_passing_one(engines: Engines, folder: Path) -> None:
    second = Engines(folder)
    waiting = asyncio.create_task(second.start(patience=10))
    await asyncio.sleep(0)
    await engines.stop()
    await waiting
    assert await call(second, Role.DATA, "PING") == b"PONG"
    await second.stop()


async def test_engines_outlive_a_killed_owner_and_are_adopted(folder: Path) -> None:
    with another_owner(folder) as owner:
        first = Engines(folder)
        with pytest.raises(DataFolderInUse, match=str(owner.pid)):
            await first.start()
        await call(first, Role.DATA, "SET", "k", "kept")
        await call(first, Role.DATA, "CONFIG", "SET", "hash-max-listpack-value", "64")
        owner.kill()
        owner.wait()
    pid = int((folder / "data.pid").read_text())
    heir = Engines(folder, durability="always", cache_memory="64mb")
    await heir.start()
    health = heir.health()[Role.DATA]
    assert (health.adopted, health.pid, health.state) == (True, pid, "running")
    assert await call(heir, Role.DATA, "GET", "k") == b"kept"
    assert await configured(heir, Role.DATA, "appendfsync") == b"always"
    assert await configured(heir, Role.DATA, "hash-max-listpack-value") == b"4096"
    assert await configured(heir, Role.CACHE, "maxmemory") == str(64 * 1024 * 1024).encode()
    await heir.stop()
    assert ended(pid)


@pytest.mark.parametrize(("program", "number"), [(CONNECTED, signal.SIGTERM), (OPENED, signal.SIGKILL)])
def test_engines_of_the_library_end_with_its_process(folder: Path, program: str, number: int) -> None:
    with another_owner(folder, program) as owner:
        engines = [int((folder / f"{role}.pid").read_text()) for role in Role]
        os.kill(owner.pid, number)
        owner.wait()
    wait_until(lambda: all(map(ended, engines)), "the engines end")
    wait_until(DataFolder(folder).ownership.take, "the watchdog ends")
    assert not list(folder.glob("*.pid"))


async def test_engines_of_a_killed_library_stay_with_their_guest_and_the_server_that_adopts_them(
    folder: Path,
) -> None:
    heir = Engines(folder)
    with another_owner(folder, OPENED) as owner:
        async with Engines(folder).visit() as guest:
            (watchdog,) = (pid for pid in children(owner.pid) if b"watchdog" in command_line(pid))
            owner.kill()
            owner.wait()
            await heir.start(patience=5)
            assert await call(guest, Role.DATA, "PING") == b"PONG"
        await until(lambda: ended(watchdog))
    assert heir.health()[Role.DATA].adopted
    assert await call(heir, Role.DATA, "PING") == b"PONG"
    await heir.stop()


async def test_an_adopted_engine_that_dies_is_replaced(folder: Path) -> None:
    with another_owner(folder) as owner:
        owner.kill()
        owner.wait()
    heir = Engines(folder)
    await heir.start()
    await call(heir, Role.DATA, "SET", "k", "kept")
    os.kill(pid_of(heir, Role.DATA), signal.SIGKILL)
    await until(lambda: heir.health()[Role.DATA].restarts == 1)
    assert not heir.health()[Role.DATA].adopted
    assert await call(heir, Role.DATA, "GET", "k") == b"kept"
    await heir.stop()


async def test_a_killed_engine_is_restarted_with_its_data(engines: Engines) -> None:
    for number in range(100):
        await call(engines, Role.DATA, "RPUSH", "list", number)
    for turn in (1, 2):
        before = pid_of(engines, Role.DATA)
        os.kill(before, signal.SIGKILL)
        await until(lambda turn=turn: engines.health()[Role.DATA].restarts == turn)  # type: ignore[misc]
        assert pid_of(engines, Role.DATA) != before
        assert await call(engines, Role.DATA, "LLEN", "list") == 100
    assert engines.health()[Role.CACHE].restarts == 0


async def test_an_engine_that_somebody_shut_down_is_restarted(engines: Engines) -> None:
    os.kill(pid_of(engines, Role.CACHE), signal.SIGTERM)
    await until(lambda: engines.health()[Role.CACHE].restarts == 1)
    assert await call(engines, Role.CACHE, "PING") == b"PONG"


async def test_half_a_command_at_the_end_of_the_file_is_forgiven(folder: Path) -> None:
    engines = Engines(folder)
    await engines.start()
    await call(engines, Role.DATA, "SET", "k", "kept")
    await engines.stop()
    (increments,) = (folder / "data" / "appendonlydir").glob("*.incr.aof")
    with increments.open("ab") as file:
        file.write(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\nlo")
    await engines.start()
    assert await call(engines, Role.DATA, "GET", "k") == b"kept"
    await engines.stop()


async def test_an_engine_that_cannot_start_shows_its_log(folder: Path) -> None:
    engines = Engines(folder)
    await engines.start()
    await call(engines, Role.DATA, "SET", "k", "v")
    await engines.stop()
    (increments,) = (folder / "data" / "appendonlydir").glob("*.incr.aof")
    increments.write_bytes(b"this is no append-only file\r\n" * 10)
    with pytest.raises(EngineFailed, match="Bad file format reading the append only file"):
        await engines.start()
    assert not (folder / "cache.sock").exists()
    assert DataFolder(folder).ownership.take()


async def test_leftovers_of_a_crash_do_not_block_a_start(folder: Path) -> None:
    os.mkdir(folder)
    with socket.socket(socket.AF_UNIX) as leftover:
        leftover.bind(str(folder / "data.sock"))
    (folder / "data.pid").write_text(f"{os.getpid()}\n")
    (folder / "data.lock").touch()
    (folder / "lock").write_text("1\n")
    (folder / "guests").touch()
    engines = Engines(folder)
    await engines.start()
    assert await call(engines, Role.DATA, "PING") == b"PONG"
    await engines.stop()


async def test_a_hung_engine_is_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with another_owner(folder) as owner:
        owner.kill()
        owner.wait()
    pid = int((folder / "cache.pid").read_text())
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(process_module, "SILENCE_LIMIT", 2.0)  # also of the engine that takes its place
    monkeypatch.setattr(process_module, "STOP_LIMIT", 0.2)
    engines = Engines(folder)
    await engines.start()
    assert ended(pid)
    assert await call(engines, Role.CACHE, "PING") == b"PONG"
    monkeypatch.undo()
    await engines.stop()


async def test_an_engine_whose_socket_was_removed_is_restarted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "SOCKET_CHECK_EVERY", 0.05)
    monkeypatch.setattr(process_module, "SOCKET_GRACE", 0.05)
    engines = Engines(folder)
    await engines.start()
    await call(engines, Role.DATA, "SET", "k", "kept")
    (folder / "data.sock").unlink()
    await until(lambda: engines.health()[Role.DATA].restarts == 1)
    assert await call(engines, Role.DATA, "GET", "k") == b"kept"
    await engines.stop()


async def test_an_engine_that_ignores_the_stop_is_killed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = Engines(folder, roles=[Role.CACHE])
    await engines.start()
    pid = pid_of(engines, Role.CACHE)
    monkeypatch.setattr(process_module, "STOP_LIMIT", 0.1)
    os.kill(pid, signal.SIGSTOP)
    await engines.stop()
    assert ended(pid)


async def test_a_long_path_gets_a_short_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 20) / ("deeper" * 10)
    engines = Engines(folder)
    await engines.start()
    path = Path(parse(engines.url(Role.DATA)).addresses[0].path)
    assert len(os.fsencode(path)) <= LONGEST_SOCKET_PATH
    assert folder not in path.parents
    assert mode_of(path.parent) == 0o700
    assert await call(engines, Role.DATA, "PING") == b"PONG"
    await engines.stop()
    path.parent.rmdir()


async def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "under"):
        with pytest.raises(DataFolderUnusable, match="is a file, or lies under one"):
            await Engines(folder).start()


async def test_a_folder_that_cannot_be_made_is_named() -> None:
    with pytest.raises(DataFolderUnusable, match="/dev/null"):
        await Engines("/dev/null/townsquare").start()


async def test_a_missing_binary_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.store.engine.process.find_spec", lambda name: None)
    with pytest.raises(EngineFailed, match="TOWNSQUARE_DATA_URL"):
        engine_binary()


async def test_a_guest_uses_the_engines_and_leaves_them_running(engines: Engines, folder: Path) -> None:
    async with Engines(folder).visit() as guest:
        assert guest.url(Role.DATA) == engines.url(Role.DATA)
        await call(guest, Role.DATA, "SET", "k", "seen")
    assert await call(engines, Role.DATA, "GET", "k") == b"seen"


async def test_a_visitor_of_a_sleeping_folder_owns_it_for_a_while(folder: Path) -> None:
    async with Engines(folder).visit() as visitor:
        pid = pid_of(visitor, Role.DATA)
        await call(visitor, Role.DATA, "SET", "k", "kept")
    assert ended(pid)
    async with Engines(folder).visit() as visitor:
        assert await call(visitor, Role.DATA, "GET", "k") == b"kept"


async def test_a_visiting_owner_waits_for_its_guests(folder: Path) -> None:
    owner, guest = Engines(folder), Engines(folder)
    leave = asyncio.Event()

    async def own() -> None:
        async with owner.visit():
            entered.set()
            await leave.wait()

    entered = asyncio.Event()
    owning = asyncio.create_task(own())
    await entered.wait()
    async with guest.visit():
        leave.set()
        await asyncio.sleep(engine_module.POLL)
        assert await call(guest, Role.DATA, "PING") == b"PONG"
        assert not owning.done()
    await owning
    assert owner.health()[Role.DATA].state == "stopped"


async def test_a_cancelled_start_leaves_nothing_behind(folder: Path) -> None:
    engines = Engines(folder)
    starting = asyncio.create_task(engines.start())
    await until(lambda: engines.health()[Role.DATA].pid)
    pid = pid_of(engines, Role.DATA)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert ended(pid)
    assert DataFolder(folder).ownership.take()


def test_ctrl_c_in_the_terminal_does_not_reach_the_engine(folder: Path) -> None:
    with another_owner(folder) as owner:
        pid = int((folder / "data.pid").read_text())
        assert os.getsid(pid) == pid != os.getsid(owner.pid)
        owner.kill()
    for role in Role:
        os.kill(int((folder / f"{role}.pid").read_text()), signal.SIGTERM)
    wait_until(lambda: ended(pid), "the engine ends")

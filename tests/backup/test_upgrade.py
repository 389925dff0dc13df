"""Data of an earlier version is upgraded when a server starts; data of a later version is refused."""

import asyncio
import signal
import subprocess
import sys

import msgspec
import pytest
from click.testing import CliRunner

from tests.support.clock import PinnedClock
from tests.support.servers import PROJECT
from tests.support.squares import ENV, Place, assert_clean, open_square, raw_names
from townsquare import square as library
from townsquare.backup import upgrade as upgrading
from townsquare.backup.upgrade import preview, upgrade
from townsquare.cli.all_commands import application
from townsquare.keyspace import mint_id
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.open_store import open_existing_store
from townsquare.services.accounts.keys import accounts
from townsquare.services.threads.keys import site, threads
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.square import Square
from townsquare.store import data_state, keys
from townsquare.store.coordination.background import JOBS_LEASE, Lease
from townsquare.store.keys import DataState
from townsquare.store.store import SCAN_COUNT, Store

ALL_SETTINGS = msgspec.json.encode(SiteSettings()).decode()
SITES = 6 * SCAN_COUNT  # several steps, also on each node of a cluster


async def make_old(store: Store) -> list[str]:
    """Data as it was before settings were shortened: without a state, and with all settings of a site."""
    ids = [mint_id(ALL_BUCKETS[number % len(ALL_BUCKETS)]) for number in range(SITES)]
    await store.pipeline([("HSET", site(id), "settings", ALL_SETTINGS) for id in ids])
    await store.call("DEL", keys.data_state())
    return ids


async def stored_settings(store: Store, ids: list[str]) -> set[bytes]:
    return {*await store.pipeline([("HGET", site(id), "settings") for id in ids])}


@pytest.fixture
async def old(square: Square) -> list[str]:
    return await make_old(square.store)


async def test_a_new_store_has_the_current_versions(square: Square) -> None:
    state = await data_state.read_state(square.store)
    assert state == DataState(data_state.current_versions(square.store.registry))
    assert state.versions["threads"] == threads.version == 2
    assert not data_state.pending_migrations(square.store, state)


async def test_older_data_is_upgraded_at_the_start(square: Square, place: Place, clock: PinnedClock) -> None:
    created = await square.threads.sites.create("My blog", "blog.example.org")
    await square.store.call("HSET", site(created.id), "settings", ALL_SETTINGS)
    await data_state.write_state(square.store, DataState({"threads": 1}))
    steps: list[str] = []
    settings = place.settings()
    async with library.open(settings=settings, upgrading=lambda what, *_: steps.append(what)) as opened:
        assert await stored_settings(opened.store, [created.id]) == {b"{}"}
        assert (await opened.threads.sites.get(created.id)).settings == SiteSettings()
        assert steps
        await assert_clean(opened.store)
        assert (await data_state.read_state(opened.store)) == DataState(
            data_state.current_versions(opened.store.registry)
        )


async def test_a_preview_changes_nothing(square: Square, old: list[str]) -> None:
    found = {
        one.keyspace: (one.version, count) for one, count in await preview(square.store, lambda *_: None)
    }
    assert found == {accounts: (2, 0), threads: (2, SITES)}
    assert await stored_settings(square.store, old) == {ALL_SETTINGS.encode()}
    assert await data_state.read_state(square.store) is None


@pytest.mark.slow
async def test_an_upgrade_that_is_killed_continues(square: Square, place: Place, old: list[str]) -> None:
    command = [sys.executable, "-m", "tests.backup.dying_upgrade", place.data_url, place.cache_url]
    killed = await asyncio.to_thread(subprocess.run, command, cwd=PROJECT)
    assert killed.returncode == -signal.SIGKILL
    assert await stored_settings(square.store, old) == {ALL_SETTINGS.encode(), b"{}"}
    with pytest.raises(data_state.DataTooOld):
        await data_state.require_current(square.store)
    await square.store.call("DEL", keys.lease(data_state.OFFLINE))  # it would expire in 5 s
    ((_, changed),) = await upgrade(square.store)
    assert 0 < changed < SITES
    assert await stored_settings(square.store, old) == {b"{}"}
    assert await upgrade(square.store) == []


async def test_processes_that_start_together_upgrade_once(
    square: Square, place: Place, clock: PinnedClock, old: list[str]
) -> None:
    async def start() -> None:
        async with open_square(place, clock) as opened:
            assert await stored_settings(opened.store, old) == {b"{}"}

    await asyncio.gather(*(start() for _ in range(4)))


async def test_newer_data_is_refused(square: Square, place: Place, clock: PinnedClock) -> None:
    await data_state.write_state(square.store, DataState({"threads": 7}))
    before = await raw_names(square.store)
    with pytest.raises(data_state.DataTooNew, match=r"threads has version 7, this Townsquare supports 2"):
        async with open_square(place, clock):
            pass
    with pytest.raises(data_state.DataTooNew):
        async with open_existing_store(place.settings()):
            pass
    assert await raw_names(square.store) == before


async def test_incomplete_data_is_refused(square: Square, place: Place, clock: PinnedClock) -> None:
    await data_state.write_state(square.store, DataState({}, incomplete="The restore of x.backup"))
    with pytest.raises(data_state.StoreIncomplete, match=r"The restore of x\.backup was interrupted"):
        async with open_square(place, clock):
            pass


async def test_a_new_service_is_added_to_the_versions(
    square: Square, place: Place, clock: PinnedClock
) -> None:
    await data_state.write_state(square.store, DataState({"threads": 2, "removed_extension": 3}))
    lease = Lease(square.store, JOBS_LEASE)
    assert await lease.take()  # also while a server runs
    async with open_square(place, clock) as opened:
        state = await data_state.read_state(opened.store)
    assert state == DataState({**data_state.current_versions(square.store.registry), "removed_extension": 3})


async def test_data_is_not_upgraded_under_a_running_server(
    square: Square, old: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_state, "BACKGROUND_LEASE_SECONDS", 0)
    monkeypatch.setattr(data_state, "GRACE", 2 * data_state.POLL)
    assert await Lease(square.store, JOBS_LEASE).take()
    with pytest.raises(data_state.DataInUse):
        await upgrade(square.store)
    assert await stored_settings(square.store, old) == {ALL_SETTINGS.encode()}
    assert not await square.store.call("EXISTS", keys.lease(data_state.OFFLINE))


async def test_the_data_is_not_opened_while_it_is_copied(
    square: Square, place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrading, "GRACE", 2 * data_state.POLL)
    async with data_state.Offline(square.store):
        with pytest.raises(data_state.DataInUse):
            async with data_state.Offline(square.store):
                pass
        with pytest.raises(data_state.DataInUse):
            async with open_square(place, clock):
                pass
    async with open_square(place, clock):
        pass


async def make_stored(place: Place, clock: PinnedClock) -> None:
    async with open_square(place, clock) as square:
        await make_old(square.store)


def test_the_command(plain_place: Place, clock: PinnedClock) -> None:
    asyncio.run(make_stored(plain_place, clock))
    urls = {"TOWNSQUARE_DATA_URL": plain_place.data_url, "TOWNSQUARE_CACHE_URL": plain_place.cache_url}

    def say(*words: str) -> tuple[int, str]:
        result = CliRunner(env=urls).invoke(application(), [*words, "--env", ENV], catch_exceptions=False)
        return result.exit_code, result.output

    code, output = say("check")
    assert code == 2
    assert "run `townsquare upgrade`" in output
    code, output = say("upgrade", "--dry-run")
    assert code == 0
    assert f"{SITES:,} keys would change" in output
    assert f"{SITES:,} keys changed" in say("upgrade")[1]
    assert "The data is up to date" in say("upgrade")[1]

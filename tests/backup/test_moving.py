"""Data moves from the embedded engine to Redis 7, to a cluster and back; every response stays the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.backup.contents import Contents, contents, lasting, same
from tests.integrity.corruption import populate
from tests.services.accounts.door import LAPTOP
from tests.support.clock import PinnedClock
from tests.support.engines import Cluster, throwaway_node
from tests.support.servers import PROJECT
from tests.support.squares import ENV, FILMS, assert_clean, bearer, browse
from townsquare import square as library
from townsquare.keyspace import Role
from townsquare.open_store import opened_store
from townsquare.settings import PREFIX, Settings
from townsquare.square import Square

ADMIN = "an admin token for tests"
REDIS_7 = Path("/usr/bin/redis-server")


def settings_at(place: str, folder: Path) -> Settings:
    url = place if "://" in place else None
    return Settings.load(
        environ={},
        env=ENV,
        data_url=url,
        cache_url=url,
        data_dir=str(folder),
        rate_limits="off",
        search_catalogue=str(FILMS),
        admin_token=ADMIN,
    )


def say(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    command = [sys.executable, "-m", "townsquare", *words, "--env", ENV, "--data", str(folder)]
    return subprocess.run(command, env=environ, cwd=PROJECT, capture_output=True, text=True)


def migrate(source: str, target: str, folder: Path) -> None:
    ended = say("migrate", source, target, folder=folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "keys copied" in ended.stdout
    assert "clean." in ended.stdout


async def requests_of(square: Square) -> list[tuple[str, dict[str, str]]]:
    """Requests of every service, with their headers."""
    alice = await square.accounts.users.find("alice")
    token = (await square.accounts.sessions.issue(alice, "password", LAPTOP)).access_token
    store, layout = square.store, square.store.role_stores[Role.DATA].layout
    ids: dict[str, list[str]] = {}
    for name in sorted([name async for names in store.scan(Role.DATA) for name in names]):
        key = store.registry.parse(name, layout)
        if key and len(key.values) == 1:
            ids.setdefault(key.declared.full_name, []).append(str(key.values[0]))
    (site,) = ids["threads.site"]
    public = (await square.threads.sites.get(site)).api_key_public
    signed_in = [
        "/accounts/me",
        "/accounts/me/export",
        *(
            f"/social/users/{name}{part}"
            for name in ("alice", "bob")
            for part in ("", "/posts", "/followers")
        ),
        "/social/feed/explore",
        "/social/feed/following",
        "/social/feed/hashtag/square",
        "/social/search/users?q=al",
        *(f"/social/posts/{id}" for id in ids["social.post"][:1]),
        "/title_search?q=batman",
        *(f"/widgets/visit?action=get&id={id}" for id in ids["widgets.counter"]),
        *(f"/widgets/like?action=get&id={id}" for id in ids["widgets.like"]),
        *(f"/widgets/ranking?action=get&id={id}" for id in ids["widgets.ranking"]),
        *(f"/widgets/bbs?action=get&id={id}" for id in ids["widgets.bbs"]),
    ]
    as_admin = [
        "/analytics/products/P",
        "/analytics/terms",
        "/analytics/users/usr_1/journey",
        "/accounts/users",
    ]
    of_site = ["/threads/v1/recent", *(f"/threads/v1/comments/{id}" for id in ids["threads.comment"])]
    return [
        *((path, bearer(token)) for path in signed_in),
        *((path, bearer(ADMIN)) for path in as_admin),
        *((path, {"X-API-Key": public}) for path in of_site),
    ]


async def responses(square: Square, requests: list[tuple[str, dict[str, str]]]) -> dict[str, Any]:
    async with browse(square) as http:
        found = {path: await http.get(path, headers=headers) for path, headers in requests}
    return {path: (one.status_code, without_times(one.text)) for path, one in found.items()}


def without_times(text: str) -> Any:
    """Without what differs from one request to the next."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict):
        for name in ("took_ms", "request_id", "timings", "instance"):
            found.pop(name, None)
    return found


async def contents_of(settings: Settings) -> Contents:
    async with opened_store(settings) as store:
        return lasting(await contents(store))


@pytest.mark.slow
@pytest.mark.skipif(not REDIS_7.exists(), reason="no redis-server here")
async def test_there_and_back(tmp_path: Path, cluster: Cluster) -> None:
    cluster.flush()
    clock = PinnedClock()
    folder, back = tmp_path / "embedded", tmp_path / "back"
    settings = settings_at("", folder)
    async with library.open(settings=settings, clock=clock, background=False) as square:
        await populate(square, clock)
        requests = await requests_of(square)
        recorded = await responses(square, requests)
    refused = [path for path, (status, _) in recorded.items() if status != 200]
    assert len(refused) <= 2, refused  # a banned post, a deleted comment

    with throwaway_node(binary=REDIS_7) as redis:
        stations = [(redis.url, folder), (cluster.url, folder), (str(back), back)]
        source = str(folder)
        for target, its_folder in stations:
            before = await contents_of(settings)
            migrate(source, target, folder)
            source, settings = target, settings_at(target, its_folder)
            assert same(before, await contents_of(settings))
            async with library.open(settings=settings, clock=clock, background=False) as square:
                assert await responses(square, requests) == recorded
                await assert_clean(square.store)
        again = say("migrate", redis.url, cluster.url, folder=folder)
        assert again.returncode == 1
        assert "The store is not empty" in again.stderr
    cluster.flush()

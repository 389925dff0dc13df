"""A service in a package of its own, installed as its users would, has everything that ours have."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from guestbook import keys
from guestbook.service import Guestbook
from tests.support.clock import PinnedClock
from tests.support.servers import running_server
from tests.support.squares import Place, open_square, raw_names
from townsquare.keyspace import Registry
from townsquare.services import registry
from townsquare.services.accounts.models import UserProfile
from townsquare.settings import PREFIX
from townsquare.square import Square

PACKAGE = Path(__file__).parent / "guestbook"
OFFLINE = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has the package as `pip install` leaves it."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", *OFFLINE, "--target", str(folder), str(PACKAGE)]
    subprocess.run(pip, check=True)
    return folder


class Terminal:
    """`townsquare` in processes of its own that see the installed package."""

    def __init__(self, installed: Path, place: Place) -> None:
        self._environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(PREFIX)},
            "PYTHONPATH": str(installed),
            f"{PREFIX}ENV": "test",
            f"{PREFIX}DATA_URL": place.data_url,
            f"{PREFIX}CACHE_URL": place.cache_url,
        }

    def say(self, *words: str, exit_code: int = 0) -> str:
        command = [sys.executable, "-m", "townsquare", *words]
        ended = subprocess.run(command, env=self._environ, capture_output=True, text=True, check=False)
        assert ended.returncode == exit_code, ended.stdout + ended.stderr
        return ended.stdout.strip()


@pytest.fixture
def terminal(installed: Path, place: Place) -> Terminal:
    return Terminal(installed, place)


Work = Callable[[Square], Awaitable[Any]]
Do = Callable[[Work], Any]


@pytest.fixture
def do(place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch) -> Do:
    """Work on the same store in this process, which knows the keys of the guest book and no more."""
    known = Registry([*registry().keyspaces, keys.guestbook])
    monkeypatch.setattr("townsquare.open_store.registry", lambda: known)

    def run(work: Work) -> Any:
        async def opened() -> Any:
            async with open_square(place, clock) as square:
                return await work(square)

        return asyncio.run(opened())

    return run


async def two_guests(square: Square) -> list[str]:
    users = [await square.accounts.users.create(UserProfile(username=name)) for name in ("ann", "bob")]
    for user in users:
        await Guestbook(square.store, square.accounts).write(user.id, f"I am {user.username}")
    return [user.id for user in users]


async def names(square: Square) -> set[str]:
    return {name for name in await raw_names(square.store) if ":guestbook:" in name}


def test_its_keys_are_in_the_reference(installed: Path, plain_place: Place) -> None:
    shown = Terminal(installed, plain_place).say("keys", "guestbook", "--format", "markdown")
    assert "Somebody who has written." in shown
    assert "entries_count = SCARD `guest:{user_id}:entries`" in shown


def test_its_keys_are_checked_and_repaired(terminal: Terminal, do: Do) -> None:
    guest = keys.guest(do(two_guests)[0])
    do(lambda square: square.store.call("HSET", guest, "entries_count", 7))
    assert "entries_count is '7', should be 1" in terminal.say("check", exit_code=1)
    terminal.say("check", "--repair")
    assert do(lambda square: square.store.call("HGET", guest, "entries_count")) == b"1"


def test_accounts_export_and_delete_what_it_holds(terminal: Terminal, do: Do) -> None:
    ann = do(two_guests)[0]
    exported = json.loads(terminal.say("user", "export", "ann"))["services"]["guestbook"]
    assert [(entry["user_id"], entry["text"]) for entry in exported] == [(ann, "I am ann")]
    before = do(names)
    terminal.say("user", "delete", "ann", "--yes")
    assert len(before - do(names)) == 3
    assert [entry.text for entry in do(lambda square: Guestbook(square.store, square.accounts).newest())] == [
        "I am bob"
    ]


def test_it_follows_accounts(terminal: Terminal, do: Do) -> None:
    cyd = do(lambda square: square.accounts.users.create(UserProfile(username="cyd")))
    terminal.say("guestbook", "write", cyd.id, "Hello")
    named = do(lambda square: square.store.call("HGET", keys.guest(cyd.id), "name"))
    terminal.say("social", "rename", "cyd", "cydney")
    renamed = do(lambda square: square.store.call("HGET", keys.guest(cyd.id), "name"))
    assert (named, renamed) == (b"cyd", b"cydney")
    terminal.say("check")


def test_its_commands_are_there(terminal: Terminal, do: Do) -> None:
    ann = do(two_guests)[0]
    terminal.say("guestbook", "write", ann, "Hello")
    assert set(terminal.say("guestbook", "read").splitlines()) == {"Hello", "I am ann", "I am bob"}


async def test_it_is_served(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed))
    async with running_server(tmp_path / "data") as server, httpx.AsyncClient(base_url=server.url) as http:
        described = (await http.get("/openapi.json")).json()
        assert set(described["paths"]["/guestbook/entries"]) == {"get", "post"}
        account = {"email": "ann@example.org", "password": "correct horse battery"}
        signed_up = (await http.post("/accounts/signup", json=account)).json()
        refused = await http.post("/guestbook/entries", json={"text": "Hello"})
        assert refused.status_code == 401
        written = await http.post(
            "/guestbook/entries",
            json={"text": "<b>Hello</b>"},
            headers={"Authorization": f"Bearer {signed_up['access_token']}"},
        )
        assert written.status_code == 201, written.text
        page = await http.get("/guestbook")
        assert "&lt;b&gt;Hello&lt;/b&gt;" in page.text
        assert '<a href="/widgets">Widgets</a>' in page.text  # the shell that all pages have
        assert (await http.get("/guestbook/assets/guestbook.css")).status_code == 200
        assert 'href="/guestbook"' in (await http.get("/")).text

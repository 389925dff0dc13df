"""The library as a hostile caller sees it: every public method of every service, every argument wrong."""

import asyncio
import inspect
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest

import townsquare
from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from tests.support.surface import public_methods, types_of
from townsquare import square as library
from townsquare.kit import hashing
from townsquare.problems import Invalid, Problem, Taken
from townsquare.services.accounts.models import Facts, UserProfile
from townsquare.services.accounts.signin.models import Client, IdToken, OAuthCode
from townsquare.services.analytics.models import View
from townsquare.services.social.problems import ProfileNotFound
from townsquare.services.widgets.ids import Visitor
from townsquare.square import Square

PATIENCE = 5.0  # seconds: nothing here is work, so what takes longer hangs
TOKEN = "an owner's token"
LONG = "x" * 70_000
ITSELF: list[Any] = []
ITSELF.append(ITSELF)
HOSTILE: list[Any] = [
    None,
    True,
    0,
    -3,
    2**63,
    2**80,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "../..:{}*",
    "half \ud800",
    "nul \0",
    LONG,
    b"bytes",
    object(),
    Facts(email_verified=5),  # type: ignore[arg-type]
    [],
    ["x", None],
    [[]],
    ITSELF,
    {},
    {"x": 1},
    {1: 2},
    {"username": LONG, "x": object()},
    UserProfile(age="x"),  # type: ignore[arg-type]
]
NEVER_A_LIMIT = (0, -3, 2**63)
LAST = ("delete", "begin", "rename", "rotate", "forget", "end", "clear", "sign_out", "set_status", "close")
ENDS = {
    "accounts.close",
    "accounts.google.close",
    "accounts.github.close",
    "widgets.close",
    "widgets.webhooks.close",
}


@pytest.fixture
async def square(place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Square]:
    """A small community; secrets are hashed for as little as argon2 takes."""
    monkeypatch.setattr(hashing, "TIME_COST", 1)
    monkeypatch.setattr(hashing, "MEMORY_KIB", 8)
    providers = {"google_client_id": "us", "github_client_id": "us", "github_client_secret": "between us two"}
    async with open_square(place, clock, **providers) as square:
        yield square


async def samples(square: Square) -> dict[str, Any]:
    """An argument that fits, by the name of the parameter; by the whole path where names are shared."""
    alice = await square.accounts.users.create(UserProfile(username="alice"))
    await square.accounts.users.create(UserProfile(username="bob"))
    post = await square.social.posts.create("alice", "Hello #travel")
    visitor, client = Visitor("192.0.2.1", "test"), Client("192.0.2.1", "test")
    signed_in = await square.accounts.sessions.issue(alice, "password", client)
    found: dict[str, Any] = {
        "accounts.id": alice.id,
        "accounts.token": signed_in.refresh_token,
        "social.id": post.id,
        "username": "alice",
        "other": "bob",
        "old": "alice",
        "new": "alicia",
        "viewer": "bob",
        "moderator": "bob",
        "content": "Hello",
        "tag": "travel",
        "tags": ["travel"],
        "prefix": "al",
        "limit": 3,
        "cursor": None,
        "user_id": alice.id,
        "session_id": "x",
        "user": alice,
        "profile": UserProfile(),
        "client": client,
        "visitor": visitor,
        "accounts.visitor": None,
        "analytics.visitor": None,
        "token": TOKEN,
        "new_token": TOKEN,
        "to": "alice@example.com",
        "code": "123456",
        "password": "a long password",
        "current": "x",
        "reason": "spam",
        "by": None,
        "social.by": "bob",
        "value": "",
        "index": "username",
        "status": "active",
        "score": 50,
        "device_id": "device-1234567890",
        "who": "alice",
        "provider": "google",
        "provider_id": "1",
        "flag_id": "1",
        "role": "user",
        "ids": [],
        "identifier": "alice",
        "identity": None,
        "method": "password",
        "redirect_uri": "http://square.test/x",
        "server": "http://square.test",
        "accounts.google.proof": IdToken("x"),
        "accounts.github.proof": OAuthCode("x", "x"),
        "since": date(2026, 1, 1),
        "until": date(2026, 1, 2),
        "day": None,
        "ranking": "viewed",
        "span": "day",
        "product": "a",
        "name": "a",
        "names": ["a"],
        "events": [View(product="a")],
        "changes": {"bio": "x"},
        "given": [],
        "social.profiles.register.given": {},
        "records": [],
        "count": 1,
        "edit": lambda user: user,
        "message": "Hello",
        "message_id": "0" * 16,
        "page": 1,
        "days": 3,
        "total": 5,
        "webhook": "",
        "icon": "heart",
        "url": "https://example.com/1",
        "kind": "counter",
        "event": "x",
        "now_ms": 1,
        "data": visitor,
        "service": "x",
        "accounts": None,
        "timezone": "UTC",
        "id": alice.id,
    }
    for kind, widget in square.widgets.by_kind.items():
        found[f"widgets.{kind}.id"] = (await widget.create("https://example.com/1", TOKEN)).id
        found[f"widgets.{kind}.given"] = await widget.export(found[f"widgets.{kind}.id"], TOKEN)
    return found


def sample(found: dict[str, Any], path: str, name: str) -> Any:
    """The nearest of them."""
    while path:
        if f"{path}.{name}" in found:
            return found[f"{path}.{name}"]
        path = path.rpartition(".")[0]
    return found.get(name, "x")


@pytest.mark.slow
async def test_wrong_arguments_are_refused_by_a_problem_of_ours(square: Square) -> None:
    """Whatever a caller gives: success, or a `Problem`; within bounds, and Redis answers others meanwhile."""
    known = await samples(square)
    await square.search.search("Rashomon")  # opening the indexes takes longer than any answer
    everything = [each for name in square.services for each in public_methods(getattr(square, name), name)]
    assert len(everything) > 150
    everything.sort(key=lambda each: each[0].rpartition(".")[2].startswith(LAST))
    broken = []
    for path, method in everything:
        if path in ENDS:
            continue
        parameters = inspect.signature(method).parameters.values()
        fitting = {one.name: sample(known, path, one.name) for one in parameters if one.default is one.empty}
        for one in parameters:
            for value in HOSTILE:
                try:
                    async with asyncio.timeout(PATIENCE):
                        answer = method(**{**fitting, one.name: value})
                        if inspect.isawaitable(answer):
                            await answer
                    if one.name == "limit" and value in NEVER_A_LIMIT:
                        broken.append(f"{path}({one.name}={value!r}) was taken")
                except Problem as problem:
                    if type(problem) is Problem:
                        broken.append(f"{path}({one.name}={str(value)[:30]!r}): {problem}")
                except Exception as error:
                    broken.append(f"{path}({one.name}={str(value)[:30]!r}): {type(error).__name__}: {error}")
    assert not broken, "\n".join(broken)


async def test_a_negative_limit_does_not_hold_redis(square: Square) -> None:
    await samples(square)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Invalid, match="limit: Expected `int` >= 1"):
            await square.social.feeds.ranked("travel", None, limit=-3)
        assert (await square.social.profiles.get("alice")).username == "alice"


async def test_what_fits_is_taken_as_http_takes_it(square: Square) -> None:
    """An enum by its value, a date by its text, a tuple for a list."""
    alice = await square.accounts.users.create(UserProfile(username="alice"))
    assert (await square.accounts.users.set_role(alice.id, "model")).role == "model"  # type: ignore[arg-type]
    days = await square.analytics.activity("2026-01-01", "2026-01-02")  # type: ignore[arg-type]
    assert days.since == date(2026, 1, 1)
    assert await square.accounts.users.get_many((alice.id,))


async def test_a_call_that_python_would_refuse_is_refused_so(square: Square) -> None:
    with pytest.raises(TypeError, match="username"):
        await square.social.profiles.get()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        await square.social.profiles.get("alice", colour="red")  # type: ignore[call-arg]


async def test_everything_that_the_services_take_and_answer_is_in_townsquare(square: Square) -> None:
    methods = [each for name in square.services for _, each in public_methods(getattr(square, name), name)]
    found = {kind for kind in types_of(methods) if getattr(townsquare, kind.__name__, None) is not kind}
    assert not found, "add them to townsquare/exports.py"


def test_dir_shows_what_can_be_imported() -> None:
    assert {"open", "connect", "asgi", "Square", "Settings", "Problem", "Post", "UserProfile"} <= set(
        dir(townsquare)
    )
    assert all(hasattr(townsquare, name) for name in dir(townsquare))
    assert "Limiter" not in dir(townsquare)
    with pytest.raises(AttributeError, match="'townsquare' has no attribute 'opne'"):
        townsquare.opne  # type: ignore[attr-defined]  # noqa: B018 - looking at it is the test


def test_importing_townsquare_alone_imports_no_service() -> None:
    code = "import sys, townsquare; print(*(name for name in sys.modules if 'townsquare.' in name))"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert imported.split() == ["townsquare.exports"]


async def test_signing_up_makes_account_and_profile(square: Square) -> None:
    alice = await square.accounts.sign_up("alice", email="alice@example.com", password="kludge-mirth-9")
    assert (alice.username, alice.email) == ("alice", "alice@example.com")
    assert (await square.social.profiles.get("alice")).username == "alice"
    signed_in = await square.accounts.password.sign_in("alice", "kludge-mirth-9", Client())
    assert signed_in.user.id == alice.id
    with pytest.raises(Taken):
        await square.accounts.sign_up("alice")


async def test_an_open_square_does_its_background_work(plain_place: Place) -> None:
    """A job that nobody waits for is finished by `open()` itself."""
    async with library.open(settings=plain_place.settings()) as square:
        await square.social.profiles.register("alice")
        await square.social.users.begin_delete("alice")
        async with asyncio.timeout(PATIENCE):
            while await square.jobs.list():  # noqa: ASYNC110 - no event tells of it
                await asyncio.sleep(0.01)
        with pytest.raises(ProfileNotFound):
            await square.social.profiles.get("alice")

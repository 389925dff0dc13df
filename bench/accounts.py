"""Accounts: lookups, signups without hashing, and what knowing who calls costs a request."""

import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvloop

import townsquare
from bench.load import WITHOUT_SEARCH
from bench.report import Result
from bench.wire import Call, rate
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import Facts, User, UserProfile
from townsquare.services.accounts.signin.models import Client
from townsquare.services.accounts.signin.tokens.access import AccessTokens
from townsquare.settings import Settings
from townsquare.square import Square

ROUNDS = 3
TASKS = 50
USERS = 2_000
DEVICE = Client("192.0.2.1", "bench")


async def best(call: Call) -> list[str]:
    rates = [max([await rate(call, tasks) for _ in range(ROUNDS)]) for tasks in (1, TASKS)]
    return [f"{each:,.0f}" for each in rates]


@asynccontextmanager
async def populated(folder: Path) -> AsyncIterator[tuple[Square, list[User]]]:
    settings = Settings.load(environ=WITHOUT_SEARCH, env="bench", data_dir=str(folder))
    async with townsquare.open(settings=settings, background=False) as square:
        users = [
            await square.accounts.users.create(profile(number), Facts(email_verified=True))
            for number in range(USERS)
        ]
        yield square, users


def profile(number: int) -> UserProfile:
    return UserProfile(
        email=f"user{number}@example.org", username=f"user{number}", province="Riyadh", city="Riyadh"
    )


async def measure(folder: Path) -> list[Result]:
    async with populated(folder) as (square, users):
        accounts, people = square.accounts, square.accounts.users
        numbers, fresh = itertools.cycle(range(USERS)), itertools.count(USERS)
        signed_in = await accounts.sessions.issue(users[0], "code", DEVICE)
        access = signed_in.access_token

        async def verify_anew() -> None:
            tokens = AccessTokens(square.store, square.settings.jwt_issuer, square.settings.jwt_audience)
            tokens._keys, tokens._looked_at = accounts.tokens._keys, accounts.tokens._looked_at
            await tokens.read(access)

        async def refresh() -> None:
            opened = await accounts.sessions.issue(users[next(numbers)], "code", DEVICE)
            await accounts.sessions.refresh(opened.refresh_token, DEVICE)

        people_calls: dict[str, Call] = {
            "a user by id": lambda: people.get(users[next(numbers)].id),
            "a user by email": lambda: people.find_by("email", f"user{next(numbers)}@example.org"),
            "a user by username": lambda: people.find_by("username", f"user{next(numbers)}"),
            "signup, without a password": lambda: people.create(profile(next(fresh))),
        }
        token_calls: dict[str, Call] = {
            "GET of one key, to compare with": lambda: square.store.call("GET", keys.user(users[0].id)),
            "who presents this token": lambda: accounts.authenticate(access),
            "… without asking whether the session lives": lambda: accounts.tokens.read(access),
            "… without remembering the signature either": verify_anew,
            "signed in, and the session refreshed": refresh,
        }
        columns = ["", "1 task", f"{TASKS} tasks"]
        return [
            Result(
                "Accounts",
                f"Operations a second, one process, embedded engine, {USERS:,} users and more.",
                columns,
                [[name, *await best(call)] for name, call in people_calls.items()],
            ),
            Result(
                "Knowing who calls",
                "Operations a second. Each request with a token asks the store once whether its session "
                "lives, so that an ended session is out at once in every process.",
                columns,
                [[name, *await best(call)] for name, call in token_calls.items()],
            ),
        ]


def run() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(measure(Path(folder) / "data"))

"""What the tests of all widgets begin with."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

from tests.support.squares import raw_names
from townsquare.keyspace import AnyKey
from townsquare.problems import Problem
from townsquare.services.widgets.ids import Visitor
from townsquare.store.store import Store

T = TypeVar("T")

URL, TOKEN = "https://example.com", "correct horse"
ID = "example-100680ad"
OTHER_URL, OTHER_ID = "https://user.github.io/a", "user-0897e6ec"
NASTY = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "a:b:c",
    "{{7*7}} ${x} %(y)s",
    "שלום עולם \u202eevil",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "名無しさん",
    "&amp; & &lt;",
    "]]>--><!--",
    "a/b\\c",
]


def visitor(number: int = 1) -> Visitor:
    return Visitor(f"192.0.2.{number % 250}", f"browser {number}")


async def outcomes(deeds: Iterable[Awaitable[T]]) -> list[T | Problem]:
    """All at once; problems are values, anything else is raised."""
    found: list[T | Problem] = []
    for outcome in await asyncio.gather(*deeds, return_exceptions=True):
        if isinstance(outcome, BaseException) and not isinstance(outcome, Problem):
            raise outcome
        found.append(outcome)
    return found


async def keys_of(store: Store, needle: str) -> dict[str, AnyKey]:
    """Every key in Redis that mentions the needle, by its text without environment and service."""
    found = {}
    for name in await raw_names(store):
        if needle in name:
            key = next(
                key for side in store.role_stores.values() if (key := store.registry.parse(name, side.layout))
            )
            found[key.text] = key
    return found


async def assert_nothing_mentions(store: Store, *needles: str) -> None:
    for needle in needles:
        left = {name for name in await raw_names(store) if needle in name}
        assert not left, left

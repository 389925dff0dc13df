"""A social service on a store of its own, and what tests like to ask of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, client_of, open_store
from townsquare.api import Identity
from townsquare.keyspace import AnyKey, Registry
from townsquare.kit.paging import Page
from townsquare.services.social import keys
from townsquare.services.social.models import Item, Options, Post
from townsquare.services.social.routes import endpoints
from townsquare.services.social.service import Social
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.web.app import App

REGISTRY = Registry([system, keys.social])

signed_in = bearer


class World:
    """One process: a store, its jobs, the service."""

    def __init__(self, store: Store, options: Options) -> None:
        self.store = store
        self.jobs = Jobs(store)
        self.social = Social(store, self.jobs, options)

    async def people(self, *usernames: str, **given: Any) -> None:
        for username in usernames:
            await self.social.profiles.register(username, **given)

    async def post(self, username: str, content: str = "hello") -> Post:
        return await self.social.posts.create(username, content)

    async def members(self, key: AnyKey) -> list[str]:
        """Members of a set, or of a sorted set with the highest first, straight from Redis."""
        if key.declared.kind.redis_type == "set":
            return sorted(name.decode() for name in await self.store.call("SMEMBERS", key))
        return [name.decode() for name in await self.store.call("ZREVRANGE", key, 0, -1)]

    async def score(self, key: AnyKey, member: str) -> float | None:
        score: float | None = await self.store.call("ZSCORE", key, member)
        return score

    async def record(self, key: AnyKey) -> dict[str, str]:
        """All fields of a hash, straight from Redis."""
        found = await self.store.call("HGETALL", key)
        return {name.decode(): value.decode() for name, value in found.items()}

    async def field(self, key: AnyKey, name: str) -> str | None:
        value = await self.store.call("HGET", key, name)
        return None if value is None else str(value.decode())

    async def count(self, username: str, name: str) -> int:
        return int(await self.field(keys.user(username), name) or 0)

    async def vanish(self, username: str) -> None:
        """As a deletion begins: from now on nobody may act as this user, or towards it."""
        await self.store.call("HSET", keys.user(username), "deleting", "soon")


def ids(page: Page[Item]) -> list[str]:
    return [item.post.id for item in page.items]


@asynccontextmanager
async def open_world(place: Place, clock: PinnedClock, **options: bool) -> AsyncIterator[World]:
    async with open_store(place, REGISTRY, clock) as store:
        yield World(store, Options(**options))


async def by_name(token: str) -> Identity | None:
    """A token that says who one is: `alice`, or `root/admin`."""
    username, _, role = token.partition("/")
    return Identity(user_id=f"usr_{username}", username=username, role=role or "user")


def browse(world: World, place: Place) -> httpx.AsyncClient:
    app = App(
        endpoints(world.social),
        settings=place.settings(),
        authenticate=by_name,
        idempotency=Idempotency(world.store, "a secret of the tests"),
    )
    return client_of(app)

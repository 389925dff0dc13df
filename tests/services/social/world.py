"""A social service on a store of its own, and what tests like to ask of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.keyspace import AnyKey, Registry
from townsquare.services.social.keys import social as keyspace
from townsquare.services.social.models import Item, Options, Page, Post
from townsquare.services.social.service import Social
from townsquare.store.jobs import Jobs
from townsquare.store.keys import system
from townsquare.store.nodes import connect
from townsquare.store.store import Store

REGISTRY = Registry([system, keyspace])
ENV = "test"


class World:
    """One process: a store, its jobs, the service."""

    def __init__(self, store: Store, options: Options) -> None:
        self.store = store
        self.jobs = Jobs(store)
        self.social = Social(store, self.jobs, options)

    async def people(self, *usernames: str, **given: Any) -> None:
        for username in usernames:
            await self.social.register(username, **given)

    async def post(self, username: str, content: str = "hello") -> Post:
        return await self.social.create_post(username, content)

    async def members(self, key: AnyKey) -> list[str]:
        """Members of a set, or of a sorted set with the highest first, straight from Redis."""
        if key.declared.kind.redis_type == "set":
            return sorted(name.decode() for name in await self.store.call("SMEMBERS", key))
        return [name.decode() for name in await self.store.call("ZREVRANGE", key, 0, -1)]

    async def field(self, key: AnyKey, name: str) -> str | None:
        value = await self.store.call("HGET", key, name)
        return None if value is None else value.decode()


def ids(page: Page[Item]) -> list[str]:
    return [item.post.id for item in page.items]


@asynccontextmanager
async def open_world(place: Place, clock: PinnedClock, **options: bool) -> AsyncIterator[World]:
    data, cache = await connect(place.data_url), await connect(place.cache_url)
    store = Store(REGISTRY, ENV, data, cache, clock=clock)
    try:
        yield World(store, Options(**options))
    finally:
        await store.close()

"""The store of the settings, without services: `townsquare check` needs no more."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from townsquare.clock import Clock
from townsquare.services import registry
from townsquare.settings import Settings, bytes_of
from townsquare.store.client_cache import ClientCache
from townsquare.store.engine import embedded, located
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect


@asynccontextmanager
async def opened_store(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Store]:
    """The store of these settings, without services."""
    async with reachable(settings) as located:
        store = await open_store(located, clock)
        try:
            yield store
        finally:
            await store.close()


@asynccontextmanager
async def reachable(settings: Settings) -> AsyncIterator[Settings]:
    """The settings with a URL for every role; embedded engines run for roles without one."""
    engines = embedded(settings)
    if engines is None:
        yield settings
        return
    async with engines.visit():
        yield located(settings, engines)


async def open_store(settings: Settings, clock: Clock | None = None) -> Store:
    limit = bytes_of(settings.client_cache_memory)
    client_cache = ClientCache(limit) if limit else None
    data = await connect(settings.data_url, timeout=settings.command_timeout, tracker=client_cache)
    try:
        cache = await connect(settings.cache_url, timeout=settings.command_timeout, tracker=client_cache)
    except BaseException:
        await data.close()
        raise
    return Store(registry(), settings.env, data, cache, clock=clock, client_cache=client_cache)

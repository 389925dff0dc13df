"""The store of the settings, without services: `townsquare check` needs no more."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from townsquare.clock import Clock
from townsquare.keyspace import Layout, Role
from townsquare.problems import Problem
from townsquare.services import registry
from townsquare.settings import Settings, bytes_of
from townsquare.store import keys
from townsquare.store.client_cache import ClientCache
from townsquare.store.data_state import require_current
from townsquare.store.engine import DataFolderUnusable, embedded, located
from townsquare.store.engine.engines import urls_of
from townsquare.store.engine.folder import DataFolder
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


NoEnvironment = Problem.declare("no_environment", "There is nothing here", 404)


@asynccontextmanager
async def open_existing_store(settings: Settings, *, any_version: bool = False) -> AsyncIterator[Store]:
    """The store of existing data, which must have the versions of this Townsquare unless `any_version`."""
    require_folder(settings)
    async with opened_store(settings) as store:
        await require_environment(store, settings.env)
        if not any_version:
            await require_current(store)
        yield store


def without_cache(settings: Settings) -> Settings | None:
    """The settings of a check that skips the cache, if the data has a URL and the cache cannot be found."""
    missing = settings.data_url and not settings.cache_url
    if missing and not DataFolder(settings.data_dir).home(Role.CACHE).is_dir():
        return replace(settings, cache_url=settings.data_url)
    return None


def require_folder(settings: Settings) -> None:
    folder = DataFolder(settings.data_dir)
    for role, url in urls_of(settings).items():
        if not url and not folder.home(role).is_dir():
            raise DataFolderUnusable(
                f"There is no {role} in the folder {settings.data_dir}: name another with --data, "
                f"or a Redis in TOWNSQUARE_{role.upper()}_URL"
            )


async def require_environment(store: Store, env: str) -> None:
    if await store.get(keys.secret()) is not None:
        return
    async for names in store.scan(Role.DATA):
        if names:
            return
    others = ", ".join(sorted(await environments(store)))
    raise NoEnvironment(
        f"The store has no environment {env!r}; it has {others}" if others else "The store is empty"
    )


async def environments(store: Store) -> set[str]:
    """All environments that have declared keys."""
    clustered = store.role_stores[Role.DATA].layout.clustered
    found: set[str] = set()
    async for names in store.scan(Role.DATA, "*"):
        for name in names:
            env = name.partition(":")[0]
            if env not in found and store.registry.parse(name, Layout(env, clustered)):
                found.add(env)
    return found

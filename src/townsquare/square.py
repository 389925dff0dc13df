"""The library: services over one store, without HTTP.

async with townsquare.open() as square:                  # embedded engine, or open("redis://…")
    counter = await square.widgets.counter.create("https://example.com", "a secret token")
"""

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from townsquare.clock import Clock
from townsquare.services.accounts.models import User
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin import SignIn
from townsquare.services.analytics.models import Export
from townsquare.services.analytics.service import Analytics
from townsquare.services.events import Events
from townsquare.services.registry import REGISTRY
from townsquare.services.social.account_profiles import follow_accounts
from townsquare.services.social.models import Options
from townsquare.services.social.service import Social
from townsquare.services.widgets.service import Widgets
from townsquare.settings import Settings
from townsquare.store import keys
from townsquare.store.coordination.background import Background
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.coordination.limits import Limiter
from townsquare.store.engine import embedded, located
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect
from townsquare.store.wire.pubsub import PubSub


class Square:
    """One community: its store, its services and what runs beside them."""

    def __init__(self, settings: Settings, store: Store, secret: str) -> None:
        self.settings = settings
        self.store = store
        self.jobs = Jobs(store)
        self.limiter = Limiter(store)
        self.idempotency = Idempotency(store)
        self.channels = PubSub(store)
        self.background = Background(store, self.jobs)
        self.events = Events()
        self.accounts = Accounts(store, self.jobs, self.events)
        self.sign_in = SignIn(store, self.accounts.users, settings, secret)
        self.analytics = Analytics(store, self.jobs)
        self.social = Social(
            store,
            self.jobs,
            Options(
                own_posts_in_home=settings.social_own_posts_in_home,
                sensitive_fields=settings.social_sensitive_fields,
            ),
        )
        self.widgets = Widgets(store, self.jobs, secret)
        self._introduce()

    def _introduce(self) -> None:
        """What services do for each other's users, without knowing each other."""

        async def export_events(user: User) -> Export:
            return await self.analytics.export(user.id)

        async def forget_events(user: User) -> int:
            await self.analytics.forget(user.id)  # a job of its own, done when this returns
            return 0

        follow_accounts(self.social, self.accounts, self.events)
        self.accounts.privacy.register(
            "analytics", export=export_events, forget=forget_events, remains="counts that name nobody"
        )

    async def close(self) -> None:
        await self.background.stop()
        await self.channels.close()
        await self.sign_in.close()
        self.widgets.close()


@asynccontextmanager
async def open(
    url: str | None = None, *, settings: Settings | None = None, clock: Clock | None = None
) -> AsyncIterator[Square]:
    """A square on the embedded engine, on the Redis behind `url`, or as the settings say."""
    settings = settings or Settings.load(data_url=url, cache_url=url)
    async with AsyncExitStack() as stack:
        store = await open_store(await stack.enter_async_context(reachable(settings)), clock)
        stack.push_async_callback(store.close)
        square = Square(settings, store, settings.secret or await kept_secret(store))
        stack.push_async_callback(square.close)
        yield square


@asynccontextmanager
async def reachable(settings: Settings) -> AsyncIterator[Settings]:
    """The settings with a URL for every role, embedded engines running for those that had none."""
    engines = embedded(settings)
    if engines is None:
        yield settings
        return
    async with engines.visit():
        yield located(settings, engines)


async def open_store(settings: Settings, clock: Clock | None = None) -> Store:
    data = await connect(settings.data_url, timeout=settings.command_timeout)
    cache = await connect(settings.cache_url, timeout=settings.command_timeout)
    return Store(REGISTRY, settings.env, data, cache, clock=clock)


async def kept_secret(store: Store) -> str:
    """The server's secret: made by whoever comes first, the same for all."""
    await store.call("SET", keys.secret(), secrets.token_hex(32), "NX")
    kept = await store.get(keys.secret())
    if kept is None:
        raise RuntimeError("the store forgot the server's secret")
    return kept

"""The library: services over one store, without HTTP.

async with townsquare.open() as square:                  # embedded engine, or open("redis://…")
    counter = await square.widgets.counter.create("https://example.com", "a secret token")
"""

import inspect
import secrets
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from townsquare.api import Limit
from townsquare.argument_validation import checked
from townsquare.backup.upgrade import bring_up_to_date
from townsquare.clock import Clock
from townsquare.explorer.history import HOUR, record_memory
from townsquare.extensions import refusal
from townsquare.open_store import open_existing_store, opened_store
from townsquare.service import Imported, Service
from townsquare.service_resources import NONE, FormerSecrets, Resources
from townsquare.services import Services, all_services
from townsquare.settings import Settings, SettingsError, did_you_mean
from townsquare.store import keys
from townsquare.store.data_state import Progress
from townsquare.store.store import Store


class Square(Resources, Services):
    """One community: its store, its services and background work.

    Each service is an attribute, `square.social`, whose methods validate their arguments.
    `square.services["social"]` is the same service without validation, for callers that have validated.
    """

    def __init__(self, settings: Settings, store: Store, secret: str, former: FormerSecrets = NONE) -> None:
        check_settings(settings)
        super().__init__(settings, store, secret, former)
        self.manifests = all_services()
        for service in self.manifests.values():
            self._build(service)
        for name, service in self.manifests.items():
            self._connect_to_accounts(service, self.services[name])

    @property
    def enabled(self) -> list[tuple[Service[Any], Any]]:
        """The services that are not disabled, each with its built instance."""
        off = self.settings.disabled_services
        return [(service, self.services[name]) for name, service in self.manifests.items() if name not in off]

    def _build(self, service: Service[Any]) -> None:
        if hasattr(self, service.name):
            raise refusal(service, "the name is an attribute of every square")
        built = self.services[service.name] = service.build(self)
        setattr(self, service.name, checked(built))

    def _connect_to_accounts(self, service: Service[Any], built: Any) -> None:
        if service.account_updates:
            updates = service.account_updates
            self.accounts.updates.register(
                service.name,
                apply=partial(updates.apply, built),
                check_name=updates.check_name and partial(updates.check_name, built),
            )
        if service.notifications:
            self.accounts.notifications.register(service.name, service.notifications(built))
        if service.privacy:
            self.accounts.privacy.register(
                service.name,
                export=partial(service.privacy.export, built),
                record=service.privacy.record,
                delete=service.privacy.delete and partial(service.privacy.delete, built),
            )

    def start_services(self) -> None:
        """Start the background work of each service."""
        for service, built in self.enabled:
            if service.start:
                service.start(built)

    async def close(self) -> None:
        """Stop background work, then the services in reverse order; all are closed even if one fails."""
        async with AsyncExitStack() as stack:
            for name, service in self.manifests.items():
                if service.close:
                    stack.push_async_callback(_awaited, service.close, self.services[name])
            stack.push_async_callback(self.channels.close)
            stack.push_async_callback(self.cache.close)
            stack.push_async_callback(self.jobs.close)
            stack.push_async_callback(self.background.stop)


def check_settings(settings: Settings) -> None:
    """Raise for unknown services and limits, and for settings that a service refuses."""
    services = all_services()
    if not Limit.names.issuperset(settings.rate_limit):
        declare_limits(services.values())
    named: list[tuple[str, Iterable[str], Collection[str]]] = [
        ("disabled_services", settings.disabled_services, services),
        ("rate_limit", settings.rate_limit, Limit.names),
    ]
    for setting, names, known in named:
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known) or f"; there are {', '.join(sorted(known))}"
                raise SettingsError(f"{setting}: there is no {name}{hint}")
    for service in services.values():
        if service.check_settings:
            service.check_settings(settings)


def declare_limits(services: Iterable[Service[Any]]) -> None:
    """Limits are declared beside endpoints, which a process that serves no requests does not import."""
    for service in services:
        if isinstance(service.endpoints, Imported):
            service.endpoints.load()


async def _awaited(close: Any, built: Any) -> None:
    ended = close(built)
    if inspect.isawaitable(ended):
        await ended


@asynccontextmanager
async def open(
    url: str | None = None,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    background: bool = True,
    upgrading: Progress | None = None,
) -> AsyncIterator[Square]:
    """A square on the embedded engine, on the Redis at `url`, or on the store of the settings.

    Data of an earlier version is upgraded first, and `upgrading` is called after each step. The square also
    continues open jobs and applies effects left by a crash, unless `background` is False.
    """
    settings = settings or Settings.load(data_url=url, cache_url=url)
    async with opened_store(settings, clock) as store:
        await bring_up_to_date(store, upgrading)
        secret = settings.secret or await kept_secret(store)
        square = Square(settings, store, secret, await former_secrets(settings, store))
        async with AsyncExitStack() as stack:
            stack.push_async_callback(square.close)
            if background:
                square.background.in_one_process(HOUR, "memory", partial(record_memory, store))
                square.background.start()
            yield square


@asynccontextmanager
async def open_existing(settings: Settings) -> AsyncIterator[Square]:
    """A square on existing data, without background work."""
    async with open_existing_store(settings) as store:
        kept = settings.secret or await store.get(keys.secret()) or secrets.token_hex(32)
        square = Square(settings, store, kept, await former_secrets(settings, store))
        try:
            yield square
        finally:
            await square.close()


async def kept_secret(store: Store) -> str:
    """The server's secret, generated by the first process and shared by all.

    If it exists nothing is written, so that a read-only store can be served.
    """
    kept = await store.get(keys.secret())
    if kept is None:
        await store.call("SET", keys.secret(), secrets.token_hex(32), "NX")
        kept = await store.get(keys.secret())
    if kept is None:
        raise RuntimeError("the store lost the server's secret")
    return kept


async def former_secrets(settings: Settings, store: Store) -> FormerSecrets:
    if settings.secret:
        return FormerSecrets(settings.former_secret, settings.former_secret)
    last, first = await store.get_many([keys.former_secret(), keys.first_secret()])
    return FormerSecrets(last or "", first or "")

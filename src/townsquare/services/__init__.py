"""The list of services that the square, HTTP, the command line and the checker iterate over."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from townsquare.extensions import installed_services
from townsquare.keyspace import Registry
from townsquare.service import Service
from townsquare.services import accounts, analytics, images, search, social, threads, widgets

RESERVED = ("system", "cache")  # prefixes of the keys of the store and of the cache


class Services:
    """Our services in dependency order: a service may use the services above it."""

    accounts = accounts.SERVICE
    analytics = analytics.SERVICE
    images = images.SERVICE
    social = social.SERVICE
    threads = threads.SERVICE
    widgets = widgets.SERVICE
    search = search.SERVICE


OURS: Mapping[str, Service[Any]] = {
    name: service for name, service in vars(Services).items() if isinstance(service, Service)
}


@cache
def all_services() -> Mapping[str, Service[Any]]:
    """Ours, then those that other packages bring."""
    brought = installed_services(OURS.values(), reserved=RESERVED)
    return {**OURS, **{service.name: service for service in brought}}


@cache
def registry() -> Registry:
    """Every key that Townsquare has, of services that are switched off as well."""
    from townsquare.cache.keys import cache as cache_keys
    from townsquare.store.keys import system

    return Registry([system, cache_keys, *(service.keyspace for service in all_services().values())])

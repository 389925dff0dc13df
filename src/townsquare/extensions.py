"""Services of other packages, from the entry point group `townsquare.services`."""

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from townsquare.service import Service

GROUP = "townsquare.services"


class ExtensionError(Exception):
    """The service of a package cannot be used; the message names the package and the reason."""


def installed_services(ours: Iterable[Service[Any]], reserved: Iterable[str]) -> Iterator[Service[Any]]:
    """Services of other packages, sorted by name. `reserved` are prefixes of keys that no service may use."""
    known, taken = [*ours], {*reserved}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        service = _loaded(point)
        if service.name in {other.name for other in known}:
            raise _refused(point, f"the name {service.name!r} is taken")
        if service.keyspace.service in taken | {other.keyspace.service for other in known}:
            raise _refused(point, f"keys that begin with {service.keyspace.service!r} are not its own")
        known.append(service)
        yield service


def _loaded(point: EntryPoint) -> Service[Any]:
    try:
        service = point.load()
    except Exception as error:
        raise _refused(point, f"{type(error).__name__}: {error}") from error
    if not isinstance(service, Service):
        raise _refused(point, f"it is a {type(service).__name__}, not a townsquare.Service")
    return service


def _refused(point: EntryPoint, why: str) -> ExtensionError:
    package = point.dist.name if point.dist else "an unknown package"
    return ExtensionError(f"The service {point.name} ({point.value}) of {package} cannot be used: {why}")


def refusal(service: Service[Any], why: str) -> ExtensionError:
    """The error for a service that was loaded but cannot be used."""
    return ExtensionError(f"The service {service.name} of {service.build.__module__} cannot be used: {why}")

"""A service as one value: its interface to the rest of the application.

    SERVICE: Service[Widgets] = Service(name="widgets", keyspace=keys.widgets, build=…, endpoints=…)

`townsquare.services.Services` lists our services; other packages add theirs through the entry point group
`townsquare.services`. The square, HTTP, pages, commands, checker, export and deletion use that list.

The module of the value imports only keys: `townsquare check` and `--help` need no more. Its functions import
the rest when they are called.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar, overload

from townsquare.keyspace import AnyKey, DeclarationError, Keyspace
from townsquare.settings import Settings

if TYPE_CHECKING:
    from townsquare.api import AnyEndpoint, AnySocket, AnyStream
    from townsquare.kit.commands import Commands
    from townsquare.service_resources import Resources
    from townsquare.services.accounts.models import User
    from townsquare.services.events import NotificationSource, RequestedName, UserSnapshot
    from townsquare.store.store import Store

T = TypeVar("T")

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Example(NamedTuple):
    """A live example at /, with the HTML that produces it."""

    name: str  # of the element that the script fills: data-example
    title: str
    code: str  # "{base}" is the address of the server
    script: str  # a module of the service's assets


class Link(NamedTuple):
    """A page of a service, linked in the header and in the list at /."""

    title: str
    href: str
    description: str = ""
    signed_in: str = ""  # for the sign-in page: where signed-in users go instead
    demo: bool = False  # listed at / only, not in the header
    action: str = ""  # with examples: what the page is for
    examples: Sequence[Example] = ()


class CommandGroup(NamedTuple):
    """A group of commands of `townsquare`, which is imported when it is used."""

    name: str  # groups named `show` or `delete` extend ours
    help: str
    source: str  # where its `Commands` are: "package.module:name"

    def load(self) -> "Commands":
        group: Commands = resolve_name(self.source)
        return group


@dataclass(frozen=True, kw_only=True)
class Pages:
    links: Sequence[Link] = ()
    assets: Path | None = None  # a folder whose files are served below /<service>/assets


@dataclass(frozen=True, kw_only=True)
class Privacy(Generic[T]):
    """How a service exports and deletes the data of an account."""

    export: Callable[[T, "User"], Awaitable[Any]]
    record: Callable[["User"], AnyKey | None] | None = (
        None  # the user's record, deleted with all that it owns
    )
    delete: Callable[[T, "User"], Awaitable[int]] | None = None  # deletes a share of the rest; 0 when done
    remains: str = "nothing"  # describes the data that is kept of a deleted user


@dataclass(frozen=True, kw_only=True)
class AccountUpdates(Generic[T]):
    """How a service follows changes of accounts.

    `apply` updates the service from the state of the account that it last applied to the current one; None is
    an account that it has no data of, or must delete. It does a bounded share of the work, returns the amount
    and is called again with the same states until it returns 0, also after a failure or a crash. If it cannot
    accept the account it raises `UpdateRefused` before changing anything, and is called again later with the
    state of that time. `check_name` can refuse a username before the account gets it.
    """

    apply: Callable[[T, "UserSnapshot | None", "UserSnapshot | None"], Awaitable[int]]
    check_name: Callable[[T, "RequestedName"], Awaitable[None]] | None = None


def none(_: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Imported:
    """The function at "package.module:name", imported when it is called."""

    source: str

    def load(self) -> Any:
        return resolve_name(self.source)

    def __call__(self, *args: Any) -> Any:
        return self.load()(*args)


@dataclass(frozen=True, kw_only=True, eq=False)
class Service(Generic[T]):
    """As an attribute of a square it is the result of `build`; as an attribute of the class, this value."""

    name: str
    keyspace: Keyspace
    build: Callable[["Resources"], T]  # can use services listed before: `square.service(Accounts)`
    endpoints: Callable[[T], "Sequence[AnyEndpoint]"] = none
    sockets: Callable[[T], "Sequence[AnySocket | AnyStream]"] = none  # WebSockets and streams of events
    pages: Pages = Pages()
    components: Path | None = None  # a folder of modules for pages of other sites, below /components
    commands: Sequence[CommandGroup] = ()
    cleanup: Callable[["Store", bool], AsyncIterator[str]] | None = None
    """Lists invalid records, and removes them if the flag is set; part of `townsquare cleanup`."""
    check_settings: Callable[[Settings], None] | None = None  # raises `SettingsError` before anything starts
    privacy: Privacy[T] | None = None  # None: its data does not belong to accounts
    account_updates: AccountUpdates[T] | None = None  # None: it does not depend on accounts
    notifications: "Callable[[T], NotificationSource] | None" = None  # a part of the notification centre
    start: Callable[[T], None] | None = None  # called in each process of a server; must not block
    close: Callable[[T], Awaitable[None] | None] | None = None

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise DeclarationError(f"a service cannot be named {self.name!r}: use a-z, 0-9 and _")

    @overload
    def __get__(self, square: None, owner: type) -> Self: ...
    @overload
    def __get__(self, square: "Resources", owner: type) -> T: ...
    def __get__(self, square: "Resources | None", owner: type) -> Self | T:
        if square is None:
            return self
        raise AttributeError(
            f"{self.name} is not built yet: a service can only use services listed before it"
        )

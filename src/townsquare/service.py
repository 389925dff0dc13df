"""A service as one value: all that the rest of the house knows of it.

    SERVICE: Service[Widgets] = Service(name="widgets", keyspace=keys.widgets, build=…, endpoints=…)

`townsquare.services.Services` lists ours; other packages add theirs by the entry point group
`townsquare.services`. The square, HTTP, pages, commands, the checker, export and deletion follow that list.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar, overload

from townsquare.api import AnyEndpoint, AnySocket, AnyStream
from townsquare.keyspace import AnyKey, DeclarationError, Keyspace
from townsquare.kit.commands import Commands
from townsquare.settings import Settings
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.accounts.models import User
    from townsquare.services.events import NameWanted, UserSnapshot

T = TypeVar("T")

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Link(NamedTuple):
    """A page that a service shows to people, for the header and the list at /."""

    title: str
    href: str
    description: str = ""
    signed_in: str = ""  # of the page to sign in: where it leads who is signed in


@dataclass(frozen=True, kw_only=True)
class Pages:
    links: Sequence[Link] = ()
    assets: Path | None = None  # a folder whose files are served below /<service>/assets


@dataclass(frozen=True, kw_only=True)
class Privacy(Generic[T]):
    """What a service does when the account behind its data asks for them, or goes."""

    export: Callable[[T, "User"], Awaitable[Any]]
    record: Callable[["User"], AnyKey | None] | None = None  # stands for the user: goes with all that it owns
    delete: Callable[[T, "User"], Awaitable[int]] | None = (
        None  # a share of what is elsewhere; 0 when all is gone
    )
    remains: str = "nothing"  # in words: what it keeps of a deleted user


@dataclass(frozen=True, kw_only=True)
class AccountUpdates(Generic[T]):
    """What a service does because an account has changed.

    `apply` brings it from what it knows of an account to what the account is now; None is an account of
    which it has nothing, or shall have nothing any more. It does a bounded share and answers how much, 0
    when all is done, and is called again with the same two until then: after a failure, and by another
    process after a crash. It raises `UpdateRefused`, before it has changed anything, if it cannot take in
    the account as it is; then it is asked again later, with the account as it is then. `check_name` may
    object to a name before an account gets it.
    """

    apply: Callable[[T, "UserSnapshot | None", "UserSnapshot | None"], Awaitable[int]]
    check_name: Callable[[T, "NameWanted"], Awaitable[None]] | None = None


def none(_: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Service(Generic[T]):
    """As an attribute of a square it is what `build` made; as an attribute of the class it is this value."""

    name: str
    keyspace: Keyspace
    build: Callable[["Resources"], T]  # may use what is listed before: `square.service(Accounts)`
    endpoints: Callable[[T], Sequence[AnyEndpoint]] = none
    sockets: Callable[[T], Sequence[AnySocket | AnyStream]] = none  # WebSockets and streams of events
    pages: Pages = Pages()
    components: Path | None = None  # a folder of modules for other people's pages, served below /components
    commands: Sequence[Commands] = ()  # groups; one that is called `show` or `delete` adds to ours
    cleanup: Callable[[Store, bool], AsyncIterator[str]] | None = None
    """Names records that cannot be right, and removes them if told to: a part of `townsquare cleanup`."""
    check_settings: Callable[[Settings], None] | None = None  # raises `SettingsError` before anything starts
    privacy: Privacy[T] | None = None  # None: no account is behind its data
    account_updates: AccountUpdates[T] | None = None  # None: nothing here follows from an account
    start: Callable[[T], None] | None = None  # when a server starts, in each of its processes; must not wait
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
        raise AttributeError(f"{self.name} is not built yet: a service may use those listed before it")

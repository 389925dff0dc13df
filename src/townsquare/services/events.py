"""What services tell each other, without importing each other: hooks inside one process.

    events.on(UserCreated, social.make_profile)

Hooks run after the write, one after the other, before the caller gets its answer; those of `NameWanted` run
before it, and may object. A hook that fails is
logged and does not undo the write, and a crash between the write and a hook loses the hook: a hook is
idempotent, and its service can do the same work later from the document alone. What must not be lost when
a user is deleted is not a hook but a part of the deletion: see `accounts.privacy`.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
import structlog

from townsquare.services.accounts.models import User

log = structlog.get_logger()


class NameWanted(msgspec.Struct, frozen=True):
    """An account is about to get a username, another one, or none."""

    before: str | None
    after: str | None
    vouched: bool = False  # by the operator, or by an issuer whom the operator trusts


class UserCreated(msgspec.Struct, frozen=True):
    user: User


class UserEdited(msgspec.Struct, frozen=True):
    before: User
    after: User


class UserDeleted(msgspec.Struct, frozen=True):
    user: User  # as it last was


E = TypeVar("E", bound=msgspec.Struct)
Hook = Callable[[E], Awaitable[None]]


class Events:
    def __init__(self) -> None:
        self._hooks: dict[type, list[Hook[Any]]] = defaultdict(list)

    def on(self, event: type[E], hook: Hook[E]) -> None:
        self._hooks[event].append(hook)

    async def ask(self, event: msgspec.Struct) -> None:
        """Before the write: what a hook raises is the caller's answer, and nothing is written."""
        for hook in self._hooks[type(event)]:
            await hook(event)

    async def tell(self, event: msgspec.Struct) -> None:
        for hook in self._hooks[type(event)]:
            try:
                await hook(event)
            except Exception:
                name = getattr(hook, "__qualname__", type(hook).__name__)
                log.exception("hook failed", event_type=type(event).__name__, hook=name)

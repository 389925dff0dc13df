"""What services tell each other, without importing each other: hooks inside one process.

    events.on(UserCreated, social.make_profile)

Hooks run after the write, one after the other, before the caller gets its answer; those of `NameWanted` run
before it, and may object. A hook that fails is logged and does not undo the write, and a crash between the
write and a hook loses the hook: a hook is idempotent, and its service can do the same work later from what is
stored. What must not be lost when a user is deleted is not a hook but a part of the deletion: see
`accounts.privacy`.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import msgspec
import structlog

log = structlog.get_logger()


class UserSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A user at one moment, as far as other services may know it: what everybody sees, and no secret."""

    id: str
    username: str | None
    role: Literal["user", "model", "admin"]
    avatar: str | None
    links: tuple[str, ...]
    created_at: str  # ISO 8601


class NameWanted(msgspec.Struct, frozen=True):
    """An account is about to get a username, another one, or none."""

    before: str | None
    after: str | None
    vouched: bool = False  # by the operator, or by an issuer whom the operator trusts


class UserCreated(msgspec.Struct, frozen=True):
    user: UserSnapshot


class UserEdited(msgspec.Struct, frozen=True):
    before: UserSnapshot
    after: UserSnapshot


class UserDeleted(msgspec.Struct, frozen=True):
    user: UserSnapshot  # as it last was


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

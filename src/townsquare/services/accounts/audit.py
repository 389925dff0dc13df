"""The audit log: who did what as an admin, and when. An action is logged right before it is done.

Admins act over HTTP or with commands on the server (`terminal`).
"""

import getpass
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.keyspace import Matching
from townsquare.problems import BadCursor, Problem
from townsquare.services.accounts.keys import AUDIT_LENGTH, audit
from townsquare.store.store import Store

PAGE_LENGTH = 50
LONGEST_DETAIL = 500  # characters
AuditPageSize = Annotated[int, Meta(ge=1, le=200)]
ENTRY_ID = Matching(r"[0-9]{1,18}-[0-9]{1,18}")


def terminal() -> Identity:
    """Who uses the command line of this machine, for the log."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        user = str(os.getuid())
    return Identity(f"terminal {user}")


class AuditEntry(msgspec.Struct, kw_only=True):
    """One action of an admin. Users are ids, so that no name outlives a deleted account."""

    id: str
    at: str
    by: str  # an id; `admin` (the admin_token), `site key`, or `terminal` and a user of the machine
    action: str  # such as user.suspend
    target: str = ""
    detail: str = ""
    of: str = ""  # the id of the entry whose outcome this is
    outcome: str = ""  # the code of the problem; empty if the action was done


class AuditLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    @asynccontextmanager
    async def recorded(
        self, identity: Identity, action: str, target: str = "", detail: str = ""
    ) -> AsyncIterator[None]:
        """Log an action before it is done. If it fails, log the outcome too."""
        entry = await self.add(identity.user_id, action, target, detail)
        try:
            yield
        except Problem as problem:
            await self.add(identity.user_id, action, target, of=entry, outcome=problem.code)
            raise

    async def add(
        self, by: str, action: str, target: str = "", detail: str = "", *, of: str = "", outcome: str = ""
    ) -> str:
        """Add an entry and drop the oldest ones; returns its id."""
        fields = {
            "at": str(self._store.clock.now_ms()),
            "by": by,
            "action": action,
            "target": target[:LONGEST_DETAIL],
            "detail": detail[:LONGEST_DETAIL],
            "of": of,
            "outcome": outcome,
        }
        words = [word for name, value in fields.items() if value for word in (name, value)]
        id: bytes = await self._store.call("XADD", audit(), "MAXLEN", AUDIT_LENGTH, "*", *words)
        return id.decode()

    async def page(
        self, cursor: str | None = None, limit: AuditPageSize = PAGE_LENGTH
    ) -> tuple[list[AuditEntry], str | None]:
        """Entries, newest first, and the cursor of the next page."""
        if cursor is not None and not ENTRY_ID.matches(cursor):
            raise BadCursor()
        end = f"({cursor}" if cursor else "+"
        found = await self._store.call("XREVRANGE", audit(), end, "-", "COUNT", limit + 1)
        entries = [entry_of(id, values) for id, values in found[:limit]]
        return entries, entries[-1].id if len(found) > limit else None


def entry_of(id: bytes, values: Sequence[bytes]) -> AuditEntry:
    named = {
        name.decode(): value.decode(errors="replace")
        for name, value in zip(values[::2], values[1::2], strict=True)
    }
    fields = {name: named[name] for name in ("target", "detail", "of", "outcome") if name in named}
    at = iso(int(named.get("at") or id.partition(b"-")[0]))
    return AuditEntry(id=id.decode(), at=at, by=named.get("by", ""), action=named.get("action", ""), **fields)

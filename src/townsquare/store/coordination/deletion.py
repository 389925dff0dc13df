"""Deleting a record with all that belongs to it or names it, as the declarations say.

A deletion is a script that deals with a bounded share. What is small is gone with the first one; else the record is
marked and a job goes on, share by share, also after a crash. Services may do something before (`before`), and may have
a script of their own for what is particular to them: its header says `Deletes: …`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from townsquare.keyspace import AnyDeclared, AnyKey, Groups, Indexes, Orders, mint_id
from townsquare.keyspace.deletion import Child, ListedKey, Plan, collection_of, deletable, plan_of
from townsquare.problems import NotFound

if TYPE_CHECKING:
    from townsquare.store.coordination.jobs import Jobs
    from townsquare.store.store import Command, Store

CHILDREN_AT_ONCE = 5  # records that are deleted at the same time because they belong to another one
PAGE = 500

Share = Callable[[AnyKey], Awaitable[int]]  # does a share of what must happen before; 0 when all is done


class Preview(msgspec.Struct):
    """What a deletion would touch: keys that go, and members that other collections lose, by declared name."""

    keys: Counter[str] = msgspec.field(default_factory=Counter)
    members: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, other: "Preview") -> None:
        self.keys.update(other.keys)
        self.members.update(other.members)

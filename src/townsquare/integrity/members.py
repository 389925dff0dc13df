"""Sets and sorted sets, seen alike: what holds members."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

from townsquare.integrity.findings import Write
from townsquare.integrity.reads import Read
from townsquare.keyspace import AnyDeclared, AnyKey, kinds
from townsquare.store.wire.connection import Arg

START = b"0"  # the cursor of a scan, at both ends


class Holder(NamedTuple):
    test: str
    test_many: str
    drop: str
    scan: str

    def contains(self, key: AnyKey, member: Arg) -> Read:
        return Read(self.test, key, (member,))

    def remove(self, key: AnyKey, member: Arg) -> Write:
        return Write(self.drop, key, (member,))


SET = Holder("SISMEMBER", "SMISMEMBER", "SREM", "SSCAN")
SORTED_SET = Holder("ZSCORE", "ZMSCORE", "ZREM", "ZSCAN")


class Stride(NamedTuple):
    """Some members of one collection, as a walk through it comes by them."""

    key: AnyKey
    left: int  # its lifetime when the walk began, as PTTL answers
    cursor: bytes  # where the walk goes on
    members: Sequence[bytes]
    scores: Sequence[bytes | None]  # None for all members of a set

    @property
    def done(self) -> bool:
        return self.cursor == START

    def only(self, chosen: Iterable[bool]) -> "Stride":
        """With those of its members that are chosen."""
        marks = list(chosen)
        members, scores = list(compress(self.members, marks)), list(compress(self.scores, marks))
        return self._replace(members=members, scores=scores)


def stride(key: AnyKey, left: int, reply: Any) -> Stride:
    """From the reply to SSCAN or ZSCAN."""
    cursor, items = reply
    if holder(key.declared) is SORTED_SET:
        return Stride(key, left, cursor, items[::2], items[1::2])
    return Stride(key, left, cursor, items, [None] * len(items))


def holder(declared: AnyDeclared) -> Holder:
    return SORTED_SET if declared.kind is kinds.SORTED_SET else SET


def is_in(reply: Any) -> bool:
    """SISMEMBER answers 0 or 1, ZSCORE a score (which may be 0.0) or nothing. An error does not deny it."""
    return reply is not None and not (isinstance(reply, int) and reply == 0)


def shown(member: bytes) -> str:
    return repr(member.decode(errors="backslashreplace"))

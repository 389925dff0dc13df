"""Sets and sorted sets, seen alike: what holds members."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from townsquare.integrity.findings import Write
from townsquare.integrity.reads import Read
from townsquare.keyspace import AnyDeclared, AnyKey, kinds
from townsquare.store.wire import Arg


class Holder(NamedTuple):
    test: str
    drop: str
    scan: str
    add: str
    stride: int  # how many items of a scan's reply make one member

    def contains(self, key: AnyKey, member: Arg) -> Read:
        return Read(self.test, key, (member,))

    def walk(self, key: AnyKey, cursor: bytes, count: int) -> Read:
        return Read(self.scan, key, (cursor, "COUNT", count))

    def members(self, items: Sequence[bytes]) -> Sequence[bytes]:
        return items[:: self.stride]

    def remove(self, key: AnyKey, member: Arg) -> Write:
        return Write(self.drop, key, (member,))


SET = Holder("SISMEMBER", "SREM", "SSCAN", "SADD", 1)
SORTED_SET = Holder("ZSCORE", "ZREM", "ZSCAN", "ZADD", 2)


def holder(declared: AnyDeclared) -> Holder:
    return SORTED_SET if declared.kind is kinds.SORTED_SET else SET


def is_in(reply: Any) -> bool:
    """SISMEMBER answers 0 or 1, ZSCORE a score (which may be 0.0) or nothing."""
    return reply is not None and not (isinstance(reply, int) and reply == 0)


def shown(member: bytes) -> str:
    return repr(member.decode(errors="backslashreplace"))

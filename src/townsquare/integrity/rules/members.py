"""Sets and sorted sets under one interface."""

from typing import Any, NamedTuple

from townsquare.integrity.findings import Write
from townsquare.keyspace import AnyDeclared, AnyKey, kinds
from townsquare.store.wire.connection import Arg

START = b"0"  # the cursor of a scan, at both ends


class MemberCommands(NamedTuple):
    test: str
    drop: str
    scan: str

    def remove(self, key: AnyKey, member: Arg) -> Write:
        return Write(self.drop, key, (member,))


SET = MemberCommands("SISMEMBER", "SREM", "SSCAN")
SORTED_SET = MemberCommands("ZSCORE", "ZREM", "ZSCAN")


def member_commands(declared: AnyDeclared) -> MemberCommands:
    return SORTED_SET if declared.kind is kinds.SORTED_SET else SET


def is_in(reply: Any) -> bool:
    """SISMEMBER returns 0 or 1; ZSCORE a score, which can be 0.0, or nothing."""
    return reply is not None and not (isinstance(reply, int) and reply == 0)


def shown(member: bytes) -> str:
    return repr(member.decode(errors="backslashreplace"))

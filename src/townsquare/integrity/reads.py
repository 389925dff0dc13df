"""What a rule can read: a key or an undeclared name, one command on it, or one command on many of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from townsquare.keyspace import AnyKey, Role
from townsquare.store.wire.connection import Arg, ReplyError

READ = (Path(__file__).parent / "lua" / "read.lua").read_text()
TOTAL = "TOTAL"  # a command that read.lua adds to those of Redis


class Unknown(NamedTuple):
    """A name in Redis that no declaration has."""

    role: Role
    name: str  # bytes that are not UTF-8 are kept as surrogates


Target = AnyKey | Unknown


class Read(NamedTuple):
    verb: str
    target: Target
    args: tuple[Arg, ...] = ()


class Column(NamedTuple):
    """One read for each row of a batch, all of one declaration; None where a row needs none."""

    verb: str
    targets: Sequence[Target | None]
    args: Sequence[tuple[Arg, ...]] = ()  # of each row; empty: the command takes none
    decode: Callable[[Any, Any], Any] | None = None  # from a target and its reply to what the rule gets

    def decoded(self, target: Target | None, reply: Any) -> Any:
        return reply if self.decode is None or target is None else self.decode(target, reply)

    def read(self, place: int) -> Read | None:
        target = self.targets[place]
        if target is None:
            return None
        return Read(self.verb, target, self.args[place] if self.args else ())


class Unreadable(Exception):
    """A record is damaged, so its relations cannot be judged."""


def is_error(reply: Any) -> bool:
    return isinstance(reply, ReplyError)

"""What a question may read, and where that is."""

from binascii import crc_hqx
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from townsquare.keyspace import AnyDeclared, AnyKey, Key, Layout, Role
from townsquare.keyspace.buckets import SLOTS
from townsquare.store.store import RoleStore, Store
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.connection import Arg, ReplyError


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
    """Reads of one store that are made together, for many keys; replies come in the same order."""

    role: Role
    commands: Sequence[Routed]


Place = tuple[int | None, bytes]  # slot and name of a key
Group = tuple[Role, str]  # what one script can read at once: a store, and on a cluster a bucket of it


class Ground:
    """Where targets are, in the layout of this store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def side(self, target: Target) -> RoleStore:
        return self.store.side(target) if isinstance(target, Key) else self.store.sides[target.role]

    def clustered(self, target: Target) -> bool:
        return self.side(target).layout.clustered

    def name(self, target: Target) -> str:
        return self.store.name(target) if isinstance(target, Key) else target.name

    def slot(self, target: Target) -> int | None:
        layout = self.side(target).layout
        return layout.slot(target) if isinstance(target, Key) else slot_of(target, layout)

    def group(self, target: Target) -> Group:
        role = target.declared.role if isinstance(target, Key) else target.role
        if not self.clustered(target):
            return role, ""
        return role, target.bucket if isinstance(target, Key) else target.name

    def placer(self, declared: AnyDeclared) -> Callable[[AnyKey], Place]:
        """Where keys of one declaration are."""
        layout = self.store.sides[declared.role].layout
        if layout.clustered:
            return lambda key: (layout.slot(key), layout.name(key).encode())
        return lambda key: (None, layout.name(key).encode())

    def places(self, keys: Sequence[AnyKey]) -> list[Place]:
        """Where these keys of one declaration are."""
        return list(map(self.placer(keys[0].declared), keys)) if keys else []

    def column(self, verb: str, keys: Sequence[AnyKey], *args: Arg) -> Column:
        """The same read of many keys of one declaration."""
        role = keys[0].declared.role if keys else Role.DATA
        return Column(role, [(slot, (verb, name, *args)) for slot, name in self.places(keys)])

    async def ask(self, columns: Sequence[Column]) -> list[list[Any]]:
        """All columns in one round trip to each node, errors as values; not one moment in time."""
        replies: list[list[Any]] = [[]] * len(columns)
        for role, side in self.store.sides.items():
            places = [place for place, column in enumerate(columns) if column.role is role]
            commands = [command for place in places for command in columns[place].commands]
            answers = iter(await side.nodes.execute_many(commands) if commands else ())
            for place in places:
                replies[place] = list(islice(answers, len(columns[place].commands)))
        return replies

    async def read(self, reads: Sequence[Read]) -> list[Any]:
        """All of them in one round trip to each node, errors as values; not one moment in time."""
        replies: list[Any] = [None] * len(reads)
        for role, side in self.store.sides.items():
            places = [place for place, read in enumerate(reads) if self.group(read.target)[0] is role]
            if places:
                commands = [(self.slot(reads[p].target), self.command(reads[p])) for p in places]
                for place, reply in zip(places, await side.nodes.execute_many(commands), strict=True):
                    replies[place] = plain(reads[place].verb, reply)
        return replies

    def command(self, command: Any) -> list[Arg]:
        return [*command.verb.split(), raw(self.name(command.target)), *command.args]


def raw(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def slot_of(unknown: Unknown, layout: Layout) -> int | None:
    """The slot of any name, by the rules of Redis Cluster."""
    if not layout.clustered:
        return None
    name = raw(unknown.name)
    start = name.find(b"{")
    end = name.find(b"}", start + 1)
    tagged = start >= 0 and end > start + 1
    return crc_hqx(name[start + 1 : end] if tagged else name, 0) % SLOTS


def is_error(reply: Any) -> bool:
    return isinstance(reply, ReplyError)


def plain(verb: str, reply: Any) -> Any:
    """The same value whether a command or a script answered it."""
    if reply is False:
        return None
    if isinstance(reply, ReplyError):
        return reply
    if verb == "HGETALL" and isinstance(reply, list):
        return dict(zip(reply[::2], reply[1::2], strict=True))
    if verb == "ZSCORE" and isinstance(reply, bytes):
        return float(reply)
    return reply

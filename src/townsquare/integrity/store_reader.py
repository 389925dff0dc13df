"""What a rule can read, and how many reads are sent in few round trips, in the layout of this store."""

from binascii import crc_hqx
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from townsquare.keyspace import AnyKey, Key, Layout, Role
from townsquare.keyspace.buckets import SLOTS
from townsquare.store.store import RoleStore, Store
from townsquare.store.wire.cluster import Routed
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

    def read(self, index: int) -> Read | None:
        target = self.targets[index]
        if target is None:
            return None
        return Read(self.verb, target, self.args[index] if self.args else ())


class Unreadable(Exception):
    """A record is damaged, so its relations cannot be judged."""


def is_error(reply: Any) -> bool:
    return isinstance(reply, ReplyError)


READ_TOTAL = READ + "return read({'TOTAL', KEYS[1], ARGV[1]})"
READ_MANY = (Path(__file__).parent / "lua" / "read_many.lua").read_text()
SHORT = {"EXISTS", "PTTL", "SCARD", "SISMEMBER", "TYPE", "XLEN", "ZCARD", "ZCOUNT"}  # whose replies are short
TOGETHER = 200  # such reads in one script
Address = tuple[int | None, bytes]  # slot and name of a key
Group = tuple[Role, str]  # what one script can read at once: a store, and on a cluster a bucket of it


class StoreReader:
    def __init__(self, store: Store) -> None:
        self.store = store

    def role_store(self, target: Target) -> RoleStore:
        return self.store.role_stores[role_of(target)]

    def clustered(self, target: Target) -> bool:
        return self.role_store(target).layout.clustered

    def name(self, target: Target) -> str:
        return self.store.name(target) if isinstance(target, Key) else target.name

    def slot(self, target: Target) -> int | None:
        layout = self.role_store(target).layout
        return layout.slot(target) if isinstance(target, Key) else slot_of(target, layout)

    def group(self, target: Target) -> Group:
        role = role_of(target)
        if not self.clustered(target):
            return role, ""
        return role, target.bucket if isinstance(target, Key) else target.name

    async def read_columns(self, columns: Sequence[Column]) -> list[list[Any]]:
        """All columns in one round trip to each node, errors as values; not one moment in time."""
        replies: list[list[Any]] = [[]] * len(columns)
        indexes: dict[Role, list[int]] = {}
        for index, column in enumerate(columns):
            first = next((target for target in column.targets if target is not None), None)
            if first is None:
                replies[index] = [None] * len(column.targets)
            else:
                indexes.setdefault(role_of(first), []).append(index)
        for role, its in indexes.items():
            side = self.store.role_stores[role]
            commands = self._commands([columns[index] for index in its], together=not side.layout.clustered)
            replied = await side.nodes.execute_many(commands)
            answers = chain.from_iterable(map(of_many, commands, replied))
            for index in its:
                replies[index] = in_rows(columns[index], answers)
        return replies

    def _commands(self, columns: Sequence[Column], *, together: bool) -> list[Routed]:
        commands: list[Routed] = []
        addresses: dict[int, list[Address]] = {}  # columns of the same targets share theirs
        for verb, targets, args, _ in columns:
            known = addresses.get(id(targets))
            its = addresses[id(targets)] = known or self._addresses(targets)
            if together and verb in SHORT and not args:
                for first in range(0, len(its), TOGETHER):
                    names = [name for _, name in its[first : first + TOGETHER]]
                    commands.append((None, ("EVAL", READ_MANY, len(names), *names, verb)))
                continue
            if verb == TOTAL:
                field = args[0] if args else ()
                commands += [(slot, ("EVAL", READ_TOTAL, 1, name, *field)) for slot, name in its]
            elif args:
                some = [words for target, words in zip(targets, args, strict=True) if target is not None]
                commands += [
                    (slot, (verb, name, *words)) for (slot, name), words in zip(its, some, strict=True)
                ]
            else:
                start = b"*2\r\n$%d\r\n%s\r\n$" % (len(verb), verb.encode())
                commands += [(slot, b"%s%d\r\n%s\r\n" % (start, len(name), name)) for slot, name in its]
        return commands

    def _addresses(self, targets: Sequence[Target | None]) -> list[Address]:
        """Slot and name of each target, all of one declaration."""
        chosen: Any = list(filter(None, targets))
        if not isinstance(chosen[0], Key):
            return [(self.slot(target), raw(target.name)) for target in chosen]
        layout = self.role_store(chosen[0]).layout
        name = layout.name
        if not layout.clustered:
            return [(None, name(key).encode()) for key in chosen]
        return [(layout.slot(key), name(key).encode()) for key in chosen]

    def command(self, command: Any) -> list[Arg]:
        return [command.verb, raw(self.name(command.target)), *command.args]


def role_of(target: Target) -> Role:
    return target.declared.role if isinstance(target, Key) else target.role


def of_many(command: Routed, reply: Any) -> Sequence[Any]:
    """The replies to the reads of one command."""
    if command[1][1] != READ_MANY:
        return (reply,)
    if is_error(reply):
        raise reply
    return reply  # type: ignore[no-any-return]


def in_rows(column: Column, answers: Iterator[Any]) -> list[Any]:
    """The replies to a column, with None for rows that read nothing."""
    replies = [None if target is None else next(answers) for target in column.targets]
    if column.decode is None:
        return replies
    return [column.decoded(target, reply) for target, reply in zip(column.targets, replies, strict=True)]


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


def plain(verb: str, reply: Any) -> Any:
    """A reply of a script in the form that the reply of a command has."""
    if reply is False:
        return None
    if isinstance(reply, ReplyError):
        return reply
    if verb == "HGETALL" and isinstance(reply, list):
        return dict(zip(reply[::2], reply[1::2], strict=True))
    if verb == "ZSCORE" and isinstance(reply, bytes):
        return float(reply)
    return reply

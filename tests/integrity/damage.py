"""Ways to damage a toy store by hand, each with the kind of finding that it must raise."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from tests.toy.keys import (
    city_people,
    email,
    followers,
    follows,
    note,
    note_likes,
    note_readers,
    note_vector,
    people_joined,
    person,
    preview,
    tag_notes,
    visits,
)
from tests.toy.service import Toy
from townsquare.integrity import FindingKind as Kind
from townsquare.keyspace import DAY, AnyKey, Role, mint_id
from townsquare.store.store import Store

STRANGE = mint_id("0a3")


@dataclass
class Town:
    """Three people, who follow each other, and a note."""

    service: Toy
    note_id: str

    @property
    def store(self) -> Store:
        return self.service.store

    async def do(self, command: str, key: AnyKey, *args: Any) -> None:
        await self.store.call(command, key, *args)

    async def change_note(self, **changes: Any) -> None:
        raw = await self.store.call("GET", note(self.note_id))
        await self.do("SET", note(self.note_id), msgspec.json.encode(msgspec.json.decode(raw) | changes))

    async def set_raw(self, name: str, value: str, role: Role = Role.DATA) -> None:
        """A name that no declaration has, wherever it belongs."""
        from townsquare.integrity.store_reader import Unknown, slot_of

        side = self.store.role_stores[role]
        await side.nodes.execute(slot_of(Unknown(role, name), side.layout), "SET", name, value)


async def build(service: Toy) -> Town:
    for name in ("ann", "bob", "cyd"):
        await service.join(name, email=f"{name}@example.org", city="rome")
    await service.follow("ann", "bob")
    await service.follow("bob", "ann")
    id = await service.write("ann", "hello", "a", "b")
    await service.like(id, "bob")
    await service.visit("ann", "v")
    store = service.store
    await store.call("SET", preview(id), "<p>hello</p>", "EX", 60)
    await store.call("SET", note_vector(id), b"\x00\x00\x80?" * 4)
    await store.call("PFADD", note_readers(id), "bob", "cyd")
    return Town(service, id)


Damage = Callable[[Town], Awaitable[None]]

REPAIRABLE: dict[str, tuple[Kind, Damage]] = {
    "wrong count in a hash": (Kind.COUNTS, lambda t: t.do("HSET", person("ann"), "follows_count", 7)),
    "count lost from a hash": (Kind.COUNTS, lambda t: t.do("HDEL", person("ann"), "follows_count")),
    "count that is no number": (Kind.COUNTS, lambda t: t.do("HSET", person("ann"), "notes_count", "many")),
    "wrong count in a document": (Kind.COUNTS, lambda t: t.change_note(likes_count=0)),
    "index lost": (Kind.INDEXES, lambda t: t.do("DEL", email("ann@example.org"))),
    "index of another": (Kind.INDEXES, lambda t: t.do("SET", email("ann@example.org"), "bob")),
    "index of nobody": (Kind.INDEXES, lambda t: t.do("SET", email("ann@example.org"), "zoe")),
    "stray index": (Kind.INDEXES, lambda t: t.do("SET", email("old@example.org"), "ann")),
    "index that is no name": (Kind.INDEXES, lambda t: t.do("SET", email("old@example.org"), b"")),
    "member lost": (Kind.GROUPS, lambda t: t.do("SREM", city_people("rome"), "bob")),
    "group lost": (Kind.GROUPS, lambda t: t.do("DEL", city_people("rome"))),
    "stray member": (Kind.GROUPS, lambda t: t.do("SADD", city_people("oslo"), "ann")),
    "member of nobody": (Kind.GROUPS, lambda t: t.do("SADD", city_people("rome"), "zoe")),
    "member that is no text": (Kind.GROUPS, lambda t: t.do("SADD", city_people("rome"), b"\xff\x00")),
    "member of one of many groups lost": (Kind.GROUPS, lambda t: t.do("SREM", tag_notes("b"), t.note_id)),
    "stray id": (Kind.GROUPS, lambda t: t.do("SADD", tag_notes("c"), t.note_id)),
    "member that is no id": (Kind.GROUPS, lambda t: t.do("SADD", tag_notes("a"), "not an id")),
    "place lost": (Kind.ORDERS, lambda t: t.do("ZREM", people_joined(), "ann")),
    "wrong score": (Kind.ORDERS, lambda t: t.do("ZADD", people_joined(), 1.5, "ann")),
    "stray place": (Kind.ORDERS, lambda t: t.do("ZADD", people_joined(), 0, "zoe")),
    "stale copy": (Kind.MIRRORS, lambda t: t.change_note(author_display="Anne")),
    "source changed": (Kind.MIRRORS, lambda t: t.do("HSET", person("ann"), "display", "ANN")),
    "other side lost": (Kind.PAIRS, lambda t: t.do("SREM", followers("bob"), "ann")),
    "stray other side": (Kind.PAIRS, lambda t: t.do("SADD", followers("cyd"), "ann")),
    "other side of nobody": (Kind.PAIRS, lambda t: t.do("SADD", followers("cyd"), b"\xff")),
    "orphan": (Kind.OWNS, lambda t: t.do("SADD", note_likes(STRANGE), "ann")),
    "orphan of a person": (Kind.OWNS, lambda t: t.do("SADD", follows("zoe"), "cyd")),
    "lifetime lost": (Kind.EXPIRES, lambda t: t.do("PERSIST", visits("ann", "v"))),
    "lifetime too long": (Kind.EXPIRES, lambda t: t.do("EXPIRE", visits("ann", "v"), DAY)),
    "lifetime lost in the cache": (Kind.EXPIRES, lambda t: t.do("PERSIST", preview(t.note_id))),
    "lifetime of what must last": (Kind.EXPIRES, lambda t: t.do("EXPIRE", person("ann"), DAY)),
    "lifetime of an index": (Kind.EXPIRES, lambda t: t.do("EXPIRE", email("ann@example.org"), DAY)),
    "undeclared key": (Kind.UNDECLARED, lambda t: t.set_raw("test:toy:nonsense", "x")),
    "undeclared service": (Kind.UNDECLARED, lambda t: t.set_raw("test:elsewhere:x", "x")),
    "undeclared key in the cache": (Kind.UNDECLARED, lambda t: t.set_raw("test:toy:x", "x", Role.CACHE)),
    "key in the wrong store": (Kind.UNDECLARED, lambda t: t.set_raw("test:toy:email:x", "x", Role.CACHE)),
    "undeclared field": (Kind.FIELDS, lambda t: t.do("HSET", person("ann"), "shoe_size", 39)),
    "derived key of the wrong type": (Kind.TYPE, lambda t: retype(t, city_people("rome"))),
    "index of the wrong type": (Kind.TYPE, lambda t: retype(t, email("ann@example.org"))),
    "other side of the wrong type": (Kind.TYPE, lambda t: retype(t, followers("bob"))),
    "order of the wrong type": (Kind.TYPE, lambda t: retype(t, people_joined())),
}

REFUSED: dict[str, tuple[Kind, Damage]] = {
    "record of the wrong type": (Kind.TYPE, lambda t: retype(t, person("cyd"))),
    "required field lost": (Kind.FIELDS, lambda t: t.do("HDEL", person("ann"), "name")),
    "document that is no JSON": (Kind.VALUE, lambda t: t.do("SET", note(t.note_id), "{")),
    "document of another shape": (Kind.VALUE, lambda t: t.change_note(tags="a")),
    "counter that is no number": (Kind.VALUE, lambda t: t.do("SET", visits("ann", "v"), "1_0", "EX", 60)),
    "numbers cut short": (Kind.VALUE, lambda t: t.do("APPEND", note_vector(t.note_id), "x")),
    "sketch that is none": (Kind.VALUE, lambda t: t.do("SET", note_readers(t.note_id), "x")),
    "one value of two": (Kind.INDEXES, lambda t: t.do("HSET", person("bob"), "email", "ann@example.org")),
}


async def retype(town: Town, key: AnyKey) -> None:
    await town.do("DEL", key)
    await town.do("RPUSH", key, "something", "else")

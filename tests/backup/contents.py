"""The contents of a store, read without the code that is tested, in the same form for both layouts."""

import re
import time
from typing import Any

from townsquare.keyspace import Role
from townsquare.keyspace.buckets import SLOT_OF_BUCKET
from townsquare.store.store import Store

TAG = re.compile(r"\{([0-9a-f]{3})\}:")
NOT_COMPARED = re.compile(r"[^:]*:system:(data:state|lease:|outbox:)")
READ: dict[str, tuple[Any, ...]] = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "set": ("SMEMBERS",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
    "list": ("LRANGE", 0, -1),
    "stream": ("XRANGE", "-", "+"),
}

Contents = dict[str, tuple[str, str, int]]


async def contents(store: Store) -> Contents:
    """By name without hash tag: the type, the value, and when it expires."""
    side = store.role_stores[Role.DATA]
    found: Contents = {}
    for name in {name async for names in store.scan(Role.DATA) for name in names}:
        raw = name.encode(errors="surrogateescape")
        tagged = TAG.search(name) if side.layout.clustered else None
        slot = SLOT_OF_BUCKET[tagged[1]] if tagged else None
        plain = name.replace(tagged[0], "", 1) if tagged else name
        if NOT_COMPARED.match(plain):
            continue
        kind = (await side.nodes.execute(slot, "TYPE", raw)).decode()
        if kind == "none":  # it has expired
            continue
        verb, *rest = READ[kind]
        value = await side.nodes.execute(slot, verb, raw, *rest)
        if kind == "hash":
            value = sorted(value.items())
        elif kind == "set":
            value = sorted(value)
        elif kind == "stream":
            value = (value, (await side.nodes.execute(slot, "XINFO", "STREAM", raw))[b"last-generated-id"])
        found[plain] = (kind, repr(value), await side.nodes.execute(slot, "PEXPIRETIME", raw))
    return found


def lasting(found: Contents) -> Contents:
    """Without keys that may expire while a test runs."""
    soon = (time.time() + 600) * 1000
    return {name: value for name, value in found.items() if value[2] == -1 or value[2] > soon}


def same(one: Contents, other: Contents) -> bool:
    assert one.keys() == other.keys(), one.keys() ^ other.keys()
    for name in one:
        assert one[name] == other[name], name
    return True

"""Where a name is found in a store: in keys, members, fields and values, and in jobs that are open."""

import re

from townsquare.keyspace import AnyKey, Role
from townsquare.store.store import Store

READS = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "set": ("SMEMBERS",),
    "zset": ("ZRANGE", "0", "-1"),
    "list": ("LRANGE", "0", "-1"),
    "stream": ("XRANGE", "-", "+"),
}


async def keys_naming(store: Store, name: str) -> set[str]:
    """Every key that has the name in itself or in what it holds."""
    word = re.compile(rf"(?<![A-Za-z0-9_.-]){re.escape(name)}(?![A-Za-z0-9_.-])")
    layout = store.role_stores[Role.DATA].layout
    found = set()
    async for names in store.scan(Role.DATA):
        for raw in names:
            key = store.registry.parse(raw, layout)
            assert key is not None, f"{raw} is not declared"
            if word.search(raw) or word.search(await contents(store, key)):
                found.add(key.text)
    return found


async def contents(store: Store, key: AnyKey) -> str:
    kind = (await store.call("TYPE", key)).decode()
    if kind == "none":
        return ""
    verb, *args = READS[kind]
    return repr(await store.call(verb, key, *args))

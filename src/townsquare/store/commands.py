"""Commands: as services give them, as they are sent, and which of them only read."""

import re

from townsquare.keyspace import AnyKey, Layout
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.protocol import Arg

KEYS = ("EXISTS", "GET", "GETRANGE", "MGET", "PFCOUNT", "PTTL", "STRLEN", "TIME", "TTL", "TYPE")
HASHES = ("HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "HSCAN", "HSTRLEN", "HVALS")
SETS = ("SCARD", "SISMEMBER", "SMEMBERS", "SMISMEMBER", "SRANDMEMBER", "SSCAN")
SCORES = ("ZCARD", "ZCOUNT", "ZLEXCOUNT", "ZMSCORE", "ZRANK", "ZREVRANK", "ZSCAN", "ZSCORE")
RANGES = ("ZRANGE", "ZRANGEBYLEX", "ZRANGEBYSCORE", "ZREVRANGE", "ZREVRANGEBYLEX", "ZREVRANGEBYSCORE")
LISTS = ("LINDEX", "LLEN", "LPOS", "LRANGE", "XLEN", "XRANGE", "XREVRANGE")
READS = frozenset((*KEYS, *HASHES, *SETS, *SCORES, *RANGES, *LISTS))

CALL = re.compile(r"redis\.p?call\(([^,)]*)")
QUOTED = re.compile(r"['\"]([^'\"]*)['\"]")


def only_reads(lua: str) -> bool:
    """Whether every command of a script only reads."""
    named = [QUOTED.findall(verb) for verb in CALL.findall(lua)]
    return all(verbs and READS.issuperset(verbs) for verbs in named)


Command = tuple[str, AnyKey, *tuple[Arg, ...]]


def render(layout: Layout, command: Command) -> Routed:
    verb, key, *args = command
    return layout.slot(key), [verb, layout.name(key), *args]

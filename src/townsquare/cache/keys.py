"""Keys of the cache itself: entries of namespaces of your own, locks, and the channel that ends a wait."""

import hashlib
from typing import Annotated, Any

from townsquare.keyspace import DAY, Keyspace, Matching, Role, fixed
from townsquare.keyspace.kinds import Kind
from townsquare.keyspace.lifetimes import Lifetime

cache = Keyspace("cache", "The cache library: entries of your own, and locks of running computations.")

LEASE_SECONDS = 10  # the seed's; renewed while a process computes, so it must only outlast a pause of it
LONGEST_SECONDS = 365 * DAY  # the longest lifetime of an entry, including its time as a stale value

NamespaceName = Annotated[str, Matching(r"[A-Za-z0-9_.-]{1,128}")]
KeyDigest = Annotated[str, Matching(r"[0-9a-f]{32}")]

ENTRY: Kind[Any] = Kind("JSON", "string", "GET", bytes)  # of the type of its namespace
DIGEST_LENGTH = 16  # hex digits: 64 bits, so a collision among a billion texts is unlikely


@cache.declare(
    ENTRY,
    "entry:{namespace}:{digest}",
    home="entry:{digest}",
    lifetime=Lifetime(LONGEST_SECONDS, "as its namespace says"),
    role=Role.CACHE,
)
def entry(namespace: NamespaceName, digest: KeyDigest) -> None:
    """A value of a namespace of your own, by the first 32 hex digits of the SHA-256 of its key."""


@cache.packed_floats(
    "vector:{namespace}:{digest}",
    home="vector:{digest}",
    lifetime=Lifetime(LONGEST_SECONDS, "as its namespace says"),
    role=Role.CACHE,
)
def vector(namespace: NamespaceName, digest: KeyDigest) -> None:
    """The embedding of a text of a semantic namespace, as little-endian float32."""


@cache.stream(
    "meanings:{namespace}",
    home="meanings:{namespace}",
    lifetime=Lifetime(LONGEST_SECONDS, "as its namespace says, from the last entry on"),
    role=Role.CACHE,
)
def meanings(namespace: NamespaceName) -> None:
    """The latest entries of a semantic namespace, `digest` and `vector`, which processes follow."""


@cache.string(
    "lock:{service}:{name}", home="lock:{name}", lifetime=fixed(LEASE_SECONDS), role=Role.CACHE, seed="002"
)
def lock(service: str, name: str) -> None:
    """Which process computes the value of this key: a token that only its owner releases."""


@cache.channel("computed:{service}:{name}", home="lock:{name}", role=Role.CACHE)
def computed(service: str, name: str) -> None:
    """Wakes processes that wait for a value, when it is stored or its computation has failed."""


def folded(text: str) -> str:
    """Trimmed, inner white space as one space. Never lower case: the film "It" is not the word "it"."""
    return " ".join(text.split())


def text_digest(text: str) -> str:
    """The first 16 hex digits of the SHA-256 of the text with its white space folded."""
    return hashlib.sha256(folded(text).encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]

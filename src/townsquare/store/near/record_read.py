"""One record and how to read it: what to ask Redis for, and what to make of the answer."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from townsquare.keyspace import Key, Layout
from townsquare.keyspace.lifetimes import FOREVER
from townsquare.store.wire.protocol import Arg, Words, pack

if TYPE_CHECKING:
    from townsquare.store.near.cache import Entry

T = TypeVar("T")

CACHING: Words = pack(
    ("CLIENT", "CACHING", "YES")
)  # Redis is to tell when what the next command reads changes


class RecordRead(Generic[T]):
    """A read that many requests make alike: put together and packed once, for the layout it meets.

    Who makes one keeps it, in a cache with a bound. Two with the same `decode` share what is kept.
    """

    __slots__ = (
        "_words",
        "decode",
        "existence",
        "expires",
        "key",
        "layout",
        "lifetime",
        "name",
        "near",
        "packed",
        "role",
        "slot",
    )

    def __init__(self, decode: Callable[[Any], T | None], verb: str, key: Key[Any], *args: Arg) -> None:
        self.key = key
        self.decode = decode
        self.near = key.declared.near
        self.role = key.declared.role
        self.expires = key.declared.lifetime is not FOREVER
        self._words = (verb, args)
        self.layout: Layout | None = None
        self.slot: int | None = None
        self.name = b""
        self.packed: Words = b""
        self.lifetime: Words = b""  # the command that asks how long it lives yet
        # on a cluster, the command that asks whether the key is there: nobody tells when the slot of a key
        # moves that is not, but whoever has not got the slot any more answers this with a redirect
        self.existence: Words | None = None

    def render(self, layout: Layout) -> None:
        name = layout.name(self.key)
        verb, args = self._words
        self.layout, self.slot, self.name = layout, layout.slot(self.key), name.encode()
        self.packed = pack((verb, name, *args))
        self.lifetime = pack(("PTTL", name)) if self.expires else b""
        self.existence = pack(("EXISTS", name)) if layout.clustered else None


class Snapshot:
    """What the records of a bundle were, together; `derived` is what a reader has made of just these."""

    __slots__ = ("answers", "derived", "entries")

    def __init__(self, answers: list[Any], entries: "list[Entry]") -> None:
        self.answers = answers
        self.entries = entries  # none: not all of them are kept
        self.derived: Any = None


class RecordBundle:
    """Records that are often read together, as those of a page: looked up once while none of them changes."""

    __slots__ = ("reads",)

    def __init__(self, reads: Sequence[RecordRead[Any]]) -> None:
        self.reads = list(reads)

"""One record and how to read it: what to ask Redis for, and what to make of the answer."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from townsquare.keyspace import Key, Layout
from townsquare.keyspace.lifetimes import FOREVER
from townsquare.store.wire.protocol import Arg, Words, pack

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

    def render(self, layout: Layout) -> None:
        name = layout.name(self.key)
        verb, args = self._words
        self.layout, self.slot, self.name = layout, layout.slot(self.key), name.encode()
        self.packed = pack((verb, name, *args))
        self.lifetime = pack(("PTTL", name)) if self.expires else b""

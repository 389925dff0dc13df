"""How one kind of record is read from Redis: the command, and what its reply is decoded to."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from townsquare.keyspace import AnyDeclared, DeclarationError, Declared
from townsquare.keyspace.lifetimes import FOREVER
from townsquare.store.wire.protocol import Arg

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

CacheKey = tuple[Any, ...]  # a `Record`, the parameters of its key, and further arguments


class Record(Generic[T_co]):
    """One kind of record, declared once: `POST = Record(post, "HMGET", *FIELDS, decode=post_of)`.

    If the key is declared `cached`, the client cache holds what `decode` returns: an immutable value that
    requests share. Several kinds of record may read the same key.
    """

    __slots__ = ("args", "cached", "declared", "decode", "expires", "role", "verb")

    def __init__(
        self, declared: AnyDeclared, verb: str, *args: Arg, decode: Callable[[Any], T_co | None]
    ) -> None:
        self.declared = declared
        self.verb = verb
        self.args = args
        self.decode = decode
        self.cached = declared.cached
        self.role = declared.role
        self.expires = declared.lifetime is not FOREVER

    def __call__(self, *params: Any, args: tuple[Arg, ...] = ()) -> "RecordRead[T_co]":
        """The read of one record, for `Store.read`; `args` follow those of the declaration."""
        return RecordRead(self, params, args)


class Composite(Generic[T_co]):
    """A kind of value that is made of several records, such as the joined JSON of a list.

    `memory` estimates the bytes of a value. It is current while all of its records are.
    """

    __slots__ = ("memory",)

    def __init__(self, memory: Callable[[Any], int]) -> None:
        self.memory = memory


class RecordRead(Generic[T_co]):
    """One record to be read, among other commands."""

    __slots__ = ("args", "cache_key", "params", "record")

    def __init__(self, record: Record[T_co], params: tuple[Any, ...], args: tuple[Arg, ...] = ()) -> None:
        self.record = record
        self.params = params
        self.args = args
        self.cache_key: CacheKey = (record, *params, *args)


_whole: dict[AnyDeclared, Record[Any]] = {}  # one per declaration


def whole_value(declared: Declared[..., T]) -> Record[T]:
    """The record that is the whole value of a key, decoded as its declaration says."""
    record = _whole.get(declared)
    if record is None:
        kind = declared.kind
        if kind.read is None or kind.decode is None:
            raise DeclarationError(f"{declared} grows with use: page it")
        record = _whole[declared] = Record(declared, kind.read, decode=kind.decode)
        record.cached = record.cached and kind.unchanging
    return record

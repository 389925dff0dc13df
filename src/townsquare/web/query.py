"""Query strings, forms and headers, decoded on access."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

from townsquare.problems import BadRequest

Pairs = list[tuple[str, str]]
NO_PAIRS: Pairs = []
NAMES_KEPT = 256  # header names that our code reads
MOST_PAIRS, MOST_ESCAPES = 2_000, 100_000  # of a query or a form


def parse_pairs(raw: bytes) -> Pairs:
    """`a=1&b=x+y` as pairs in order; blank values are kept, a name without `=` has the value ''."""
    if not raw:
        return NO_PAIRS
    if raw.count(b"&") >= MOST_PAIRS or raw.count(b"%") > MOST_ESCAPES:
        raise BadRequest(f"At most {MOST_PAIRS:,} values and {MOST_ESCAPES:,} escapes: send JSON")
    try:
        if b"%" not in raw and b"+" not in raw:
            parts = raw.decode().split("&")
            return [(name, value) for part in parts for name, _, value in (part.partition("="),) if name]
        pairs = []
        for part in raw.split(b"&"):
            name, _, value = part.partition(b"=")
            if name:
                pairs.append((_decoded(name), _decoded(value)))
        return pairs
    except UnicodeDecodeError:
        raise BadRequest("The query is not UTF-8") from None


def _decoded(raw: bytes) -> str:
    return unquote_to_bytes(raw.replace(b"+", b" ")).decode()


class Query(Mapping[str, str]):
    """Query values by name; the last value of a repeated name counts. Requests share it: read-only."""

    __slots__ = ("_pairs", "_values", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._pairs: Pairs | None = None
        self._values: dict[str, str] | None = None

    @property
    def pairs(self) -> Pairs:
        if self._pairs is None:
            self._pairs = parse_pairs(self.raw)
        return self._pairs

    def _dict(self) -> dict[str, str]:
        if self._values is None:
            self._values = dict(self.pairs)
        return self._values

    def get(self, name: str, default: Any = None) -> Any:
        """Faster than the mixin: no exception for a missing name."""
        return self._dict().get(name, default)

    def __getitem__(self, name: str) -> str:
        return self._dict()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dict())

    def __len__(self) -> int:
        return len(self._dict())


@lru_cache(NAMES_KEPT)
def _raw_name(name: str) -> bytes:
    return name.lower().encode("latin-1", "replace")


class Headers(Mapping[str, str]):
    """Request headers by name in any case, decoded on access; the last value of a repeated header counts."""

    __slots__ = ("_raw",)

    def __init__(self, raw: dict[bytes, bytes]) -> None:
        self._raw = raw

    def __getitem__(self, name: str) -> str:
        return self._raw[_raw_name(name)].decode("latin-1")

    def get(self, name: str, default: Any = None) -> Any:
        """Faster than the mixin: no exception for a missing header."""
        raw = self._raw.get(_raw_name(name))
        return default if raw is None else raw.decode("latin-1")

    def __iter__(self) -> Iterator[str]:
        return (name.decode("latin-1") for name in self._raw)

    def __len__(self) -> int:
        return len(self._raw)

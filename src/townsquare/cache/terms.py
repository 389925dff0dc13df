"""The lifetime and refresh policy of one namespace."""

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from townsquare.keyspace import AnyDeclared, DeclarationError, Role

T = TypeVar("T")

UNKNOWN_COST = 1.0  # seconds: the assumed duration of a computation before the first measurement
SHORT = 100  # the assumed duration is at most this fraction of the lifetime
NEW_SHARE = 0.2  # weight of a new measurement in the mean
REST_SECONDS = 5.0  # after a failure, in which stale values are returned without computing


class CacheTerms(Generic[T]):
    def __init__(
        self,
        name: str,
        seconds: int,
        encode: Callable[[T], bytes],
        decode: Callable[[bytes], T],
        *,
        stale_seconds: int = 0,
    ) -> None:
        self.name = name
        self.seconds = seconds
        self.encode = encode
        self.decode = decode
        self.stale_seconds = stale_seconds  # extra lifetime, for the case that recomputing fails
        self.rests_until = 0.0
        self._cost = min(UNKNOWN_COST, seconds / SHORT)

    @property
    def kept_seconds(self) -> int:
        return self.seconds + self.stale_seconds

    def took(self, seconds: float) -> None:
        self._cost += (seconds - self._cost) * NEW_SHARE

    def is_refreshed_early(self, left: float, chance: float) -> bool:
        """XFetch: one of many callers refreshes a value shortly before it expires, an expensive one earlier.

        `left` in seconds, `chance` between 0 and 1. Vattani, Chierichetti, Lowenstein: Optimal Probabilistic
        Cache Stampede Prevention, VLDB 2015.
        """
        return -self._cost * math.log(1 - chance) >= left


def declared_terms(declared: AnyDeclared) -> CacheTerms[Any]:
    kind, seconds = declared.kind, declared.lifetime.seconds
    if declared.role is not Role.CACHE or seconds is None or kind.decode is None or kind.encode is None:
        raise DeclarationError(
            f"{declared!r} cannot be cached: it needs the role cache, a lifetime and a kind of value"
        )
    return CacheTerms(declared.full_name, seconds, kind.encode, kind.decode)

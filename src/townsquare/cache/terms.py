"""How the values of one namespace are kept."""

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from townsquare.keyspace import AnyDeclared, DeclarationError, Role

T = TypeVar("T")

UNKNOWN_COST = 1.0  # seconds that a computation takes, until one was seen
SHORT = 100  # a guess at the cost is at most this part of a lifetime
NEW_SHARE = 0.2  # of a new measurement in the mean
REST_SECONDS = 5.0  # after a failure, stale values are answered without asking again


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
        self.stale_seconds = stale_seconds  # that a value is kept longer, in case computing it anew fails
        self.rests_until = 0.0
        self._cost = min(UNKNOWN_COST, seconds / SHORT)

    @property
    def kept_seconds(self) -> int:
        return self.seconds + self.stale_seconds

    def took(self, seconds: float) -> None:
        self._cost += (seconds - self._cost) * NEW_SHARE

    def is_refreshed_early(self, left: float, chance: float) -> bool:
        """XFetch: of many who ask, some one refreshes shortly before the end, the sooner the dearer it is.

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

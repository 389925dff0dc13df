"""The cache of verified tokens, until they expire."""

import hashlib
from collections import OrderedDict
from typing import Generic, TypeVar

REMEMBERED = 20_000  # tokens; the oldest are evicted first

Claims = TypeVar("Claims")


class VerifiedTokens(Generic[Claims]):
    """Claims by a digest of the token and the key that verified it."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, tuple[float, Claims]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, verified: str, now: float) -> Claims | None:
        name = _digest(verified)
        until, claims = self._known.get(name, (now, None))
        if until > now:
            return claims
        self._known.pop(name, None)
        return None

    def keep(self, verified: str, claims: Claims, until: float) -> None:
        self._known[_digest(verified)] = (until, claims)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _digest(verified: str) -> bytes:
    return hashlib.sha256(verified.encode("utf-8", "surrogatepass")).digest()

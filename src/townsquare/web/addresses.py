"""What an address asks, found out once: pages show the same things again and again."""

from functools import lru_cache
from typing import Any

import msgspec

from townsquare.problems import UriTooLong
from townsquare.web.inputs import InputReader
from townsquare.web.operation import Operation, Target
from townsquare.web.query import Query
from townsquare.web.router import Parameters, Router

ADDRESSES_KEPT, LONGEST_KEPT = 2_048, 256  # bytes of a path and its query
MOST_PAIRS = 16  # of the queries that are kept

Chosen = tuple[Operation, InputReader[Any]]


class KnownAddress(msgspec.Struct, eq=False):
    """What the path and the query of a request say."""

    target: Target
    path: Parameters
    query: Query
    chosen: Chosen | None  # None as long as something else, or nobody, says which action is meant
    given: Any = None  # the input that was read, where no value in it can be changed
    unknown: tuple[str, ...] = ()  # names that nobody reads, where those are told

    def __repr__(self) -> str:
        return f"<KnownAddress {self.target.route}>"  # not what it says

    def choose(self, action: str | None, accept: bytes) -> Chosen:
        """The operation that this action of the query means, for a browser also none."""
        chosen = self.target.choose(action, accept)
        if action:
            self.chosen = chosen
        return chosen

    def read(self, reader: InputReader[Any]) -> Any:
        """The input of one request without a body."""
        if self.given is not None:
            return self.given.__copy__()
        pairs = self.query.pairs
        given = reader.read(self.path, None, pairs)
        if reader.tells_unknown:
            self.unknown = reader.unread_names(None, pairs)
        if reader.unchanging and self.chosen is not None:
            self.given = given.__copy__()
        return given


class Addresses:
    def __init__(self, router: Router[Target], longest: int) -> None:
        self._router = router
        self._longest = longest
        self._kept = lru_cache(ADDRESSES_KEPT)(self._find)

    def find(self, method: str, path: bytes, query: bytes) -> KnownAddress | None:
        """Of what has a body, the address says little: only those of GET are kept."""
        size = len(path) + len(query)
        if method == "GET" and size <= LONGEST_KEPT and query.count(b"&") < MOST_PAIRS:
            return self._kept(method, path, query)
        if size > self._longest:
            raise UriTooLong(f"An address has at most {self._longest:,} bytes")
        return self._find("GET" if method == "HEAD" else method, path, query)

    def _find(self, method: str, path: bytes, query: bytes) -> KnownAddress | None:
        found = self._router.find(method, path)
        if found is None:
            return None
        target, parameters = found
        return KnownAddress(target, parameters, Query(query), target.only)

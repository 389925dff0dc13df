"""Parsed targets of GET requests: pages request the same paths and queries many times."""

from functools import lru_cache
from typing import Any

import msgspec

from townsquare.problems import UriTooLong
from townsquare.web.bound_endpoint import BoundEndpoint, RouteActions
from townsquare.web.inputs import InputReader
from townsquare.web.query import Query
from townsquare.web.router import Parameters, Router

ENTRIES, LONGEST_TARGET = 2_048, 256  # bytes of a path and its query
MOST_PAIRS = 16  # of a query

MatchedEndpoint = tuple[BoundEndpoint, InputReader[Any]]


class ParsedTarget(msgspec.Struct, eq=False):
    """The route, the parameters and, where it can be shared, the input of a request."""

    target: RouteActions
    path: Parameters
    query: Query
    matched: MatchedEndpoint | None  # None if the query does not name the action
    given: Any = None  # the input, if all of its values are immutable
    unknown: tuple[str, ...] = ()  # names in the query that the input does not have

    def __repr__(self) -> str:
        return f"<ParsedTarget {self.target.route}>"  # without values of the request

    def choose(self, action: str | None, accept: bytes) -> MatchedEndpoint:
        """The endpoint of an action; browsers send none."""
        matched = self.target.choose(action, accept)
        if action:
            self.matched = matched
        return matched

    def read(self, reader: InputReader[Any]) -> Any:
        """The input of a request without a body."""
        if self.given is not None:
            return self.given.__copy__()
        pairs = self.query.pairs
        given = reader.read(self.path, None, pairs)
        if reader.warns_unknown:
            self.unknown = reader.unread_names(None, pairs)
        if reader.unchanging and self.matched is not None:
            self.given = given.__copy__()
        return given


class RouteCache:
    def __init__(self, router: Router[RouteActions], longest: int) -> None:
        self._router = router
        self._longest = longest
        self._cached = lru_cache(ENTRIES)(self._find)

    def find(self, method: str, path: bytes, query: bytes) -> ParsedTarget | None:
        """Only GET is cached: the input of other methods is in the body."""
        size = len(path) + len(query)
        if method == "GET" and size <= LONGEST_TARGET and query.count(b"&") < MOST_PAIRS:
            return self._cached(method, path, query)
        if size > self._longest:
            raise UriTooLong(f"A URL has at most {self._longest:,} bytes")
        return self._find("GET" if method == "HEAD" else method, path, query)

    def _find(self, method: str, path: bytes, query: bytes) -> ParsedTarget | None:
        found = self._router.find(method, path)
        if found is None:
            return None
        target, parameters = found
        return ParsedTarget(target, parameters, Query(query), target.only)

"""Routing: a dictionary for literal paths, a trie of segments for the others.

The cost of a lookup depends on the length of the path, not on the number of routes.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Generic, TypeVar
from urllib.parse import unquote_to_bytes

from townsquare.problems import BadRequest

T = TypeVar("T")


class RouteConflict(Exception):
    """Two endpoints claim the same method and path."""


Parameters = Mapping[str, str]
NO_PARAMETERS: Parameters = {}


class _Node(Generic[T]):
    __slots__ = ("literals", "methods", "parameter")

    def __init__(self) -> None:
        self.literals: dict[str, _Node[T]] = {}
        self.parameter: _Node[T] | None = None
        self.methods: dict[str, tuple[T, tuple[str, ...]]] = {}  # with the names of its parameters


class Router(Generic[T]):
    def __init__(self) -> None:
        self._root: _Node[T] = _Node()
        self._exact: dict[tuple[str, bytes], tuple[T, Parameters]] = {}

    def add(self, method: str, path: str, target: T) -> None:
        node, names = self._root, []
        for segment in _declared_segments(path):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment, _Node())
        if method in node.methods:
            raise RouteConflict(f"{method} {path} is declared twice")
        if len(set(names)) != len(names):
            raise RouteConflict(f"{path} names a parameter twice")
        node.methods[method] = (target, tuple(names))
        if not names:
            self._exact[method, path.encode()] = (target, NO_PARAMETERS)

    def find(self, method: str, path: bytes) -> tuple[T, Parameters] | None:
        """The target of a percent-encoded path; literal segments win over parameters.

        A literal path has only its own methods, as in OpenAPI.
        """
        exact = self._exact.get((method, path))
        if exact is not None:
            return exact
        segments = _segments(path)
        node, values = self._root, []
        for segment in segments:
            child = node.literals.get(segment)
            if child is None:
                child = node.parameter
                if child is None or not segment:
                    break
                values.append(segment)
            node = child
        else:
            found = node.methods.get(method)
            if found is not None:
                return found[0], dict(zip(found[1], values, strict=True))
            if node.methods and not values:
                return None
        return self._search(method, segments)

    def _search(self, method: str, segments: list[str]) -> tuple[T, Parameters] | None:
        """Search all branches, if the literal one has no match."""
        for node, values in _walk(self._root, segments, 0, ()):
            found = node.methods.get(method)
            if found is not None:
                return found[0], dict(zip(found[1], values, strict=True))
        return None

    def methods(self, path: bytes) -> tuple[str, ...]:
        """The methods of a path; empty if no route matches."""
        found: set[str] = set()
        for node, values in _walk(self._root, _segments(path), 0, ()):
            found.update(node.methods)
            if not values:  # a literal path, which comes first
                break
        if not found:
            return ()
        if "GET" in found:
            found.add("HEAD")
        return (*sorted(found), "OPTIONS")


@cache
def _declared_segments(path: str) -> list[str]:
    if not path.startswith("/") or (path != "/" and path.endswith("/")):
        raise RouteConflict(f"{path!r} must start with a slash and not end with one")
    segments = path[1:].split("/") if path != "/" else []
    for segment in segments:
        bare = segment[1:-1] if segment.startswith("{") and segment.endswith("}") else segment
        if not bare or not set("{}%?#").isdisjoint(bare):
            raise RouteConflict(f"{path!r} has a segment that can never match: {segment!r}")
    return segments


def _segments(path: bytes) -> list[str]:
    """Split first, decode second: an encoded slash stays inside its segment."""
    try:
        if b"%" in path:
            segments = [unquote_to_bytes(segment).decode() for segment in path.split(b"/")]
        else:
            segments = path.decode().split("/")
    except UnicodeDecodeError:
        raise BadRequest("The path is not UTF-8") from None
    if segments[-1] == "":
        segments.pop()
    if segments and segments[0] == "":
        del segments[0]
        return segments
    return segments and [""]  # without a leading slash no route matches


def _walk(
    node: _Node[T], segments: list[str], depth: int, values: tuple[str, ...]
) -> Iterator[tuple[_Node[T], tuple[str, ...]]]:
    if depth == len(segments):
        if node.methods:
            yield node, values
        return
    segment = segments[depth]
    literal = node.literals.get(segment)
    if literal is not None:
        yield from _walk(literal, segments, depth + 1, values)
    if node.parameter is not None and segment:
        yield from _walk(node.parameter, segments, depth + 1, (*values, segment))

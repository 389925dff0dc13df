"""The tree of the comments of a file, by their positions in it; -1 is no comment."""

from array import array
from collections.abc import Mapping, Sequence

UNKNOWN, ON_THE_WAY = -1, -2


def resolved(
    positions: Mapping[tuple[str, str], int], parent_ids: Sequence[str], page_ids: Sequence[str]
) -> tuple["array[int]", int]:
    """The parent of each comment, and the number of comments whose parent is not on their page."""
    parents = array("q")
    orphans = 0
    for position, parent_id in enumerate(parent_ids):
        parent = positions.get((page_ids[position], parent_id), -1) if parent_id else -1
        orphans += bool(parent_id) and parent < 0
        parents.append(parent)
    return parents, orphans


def depths_of(parents: "array[int]") -> "array[int]":
    """The depth of each comment. In a cycle one of the replies becomes a root."""
    depths = array("q", [UNKNOWN]) * len(parents)
    for position in range(len(parents)):
        chain = []
        at = position
        while at >= 0 and depths[at] == UNKNOWN:
            depths[at] = ON_THE_WAY
            chain.append(at)
            at = parents[at]
        if at >= 0 and depths[at] == ON_THE_WAY:
            parents[chain[-1]] = at = -1
        depth = depths[at] + 1 if at >= 0 else 0
        for one in reversed(chain):
            depths[one] = depth
            depth += 1
    return depths


def with_ancestors(parents: "array[int]", stays: Sequence[object]) -> bytearray:
    """1 for every comment that stays and for its ancestors."""
    wanted = bytearray(len(parents))
    for position, stay in enumerate(stays):
        at = position if stay else -1
        while at >= 0 and not wanted[at]:
            wanted[at] = 1
            at = parents[at]
    return wanted

"""The skeleton of a page of posts: its ids in order, and what the viewer's own lists say about them.

It is read from Redis for every request, in one step on one node and in two on a cluster.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from townsquare.kit.paging import Cursor
from townsquare.services.social.scripts.feed_scripts import ViewerMarks
from townsquare.store.scripts.script import RawReply, Script
from townsquare.store.store import Store

NONE: frozenset[str] = frozenset()


class Marks(NamedTuple):
    """What a viewer's own lists say about the posts of a page."""

    liked: frozenset[str] = NONE  # ids
    bookmarked: frozenset[str] = NONE
    hides: bool = False  # the viewer blocks or mutes anybody, or is blocked

    @classmethod
    def of(cls, reply: RawReply | None) -> "Marks":
        """From the answer of `marks_of` in Lua; without a viewer there is none."""
        if reply is None:
            return NO_MARKS
        liked, bookmarked, hides = reply
        return cls(ids_in(liked), ids_in(bookmarked), bool(hides))


def ids_in(reply: Sequence[bytes]) -> frozenset[str]:
    return frozenset([id.decode() for id in reply]) if reply else NONE


NO_MARKS = Marks()


class Skeleton(NamedTuple):
    ids: list[str]
    scores: Sequence[Any]  # of these in their order
    marks: Marks

    @classmethod
    def of(cls, found: Sequence[Cursor], marks: Marks) -> "Skeleton":
        return cls([one.member for one in found], [one.score for one in found], marks)

    def cursor(self, place: int) -> Cursor:
        return Cursor(float(self.scores[place]), self.ids[place])


ReadSkeleton = Callable[[Cursor | None, int], Awaitable[Skeleton]]  # the next ids after a place


async def read_sorted(
    store: Store, script: Callable[..., Script[RawReply]], after: Cursor | None, count: int
) -> Skeleton:
    """A page of a sorted set, by a script that answers members with scores, and the marks."""
    score, member = after or (None, None)
    pairs, marks = await store.run(script(score=score, member=member, count=count))
    return Skeleton([id.decode() for id in pairs[::2]], pairs[1::2], Marks.of(marks))


async def read_marks(store: Store, viewer: str | None, ids: Sequence[str]) -> Marks:
    """For posts whose ids are known already."""
    if viewer is None or not ids:
        return NO_MARKS
    reply = await store.run(ViewerMarks(viewer=viewer, ids=list(ids)))
    return Marks.of(reply)

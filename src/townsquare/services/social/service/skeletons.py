"""The skeleton of a page of posts: its ids in order, and the viewer's likes and bookmarks among them.

It is read from Redis for every request, in one step on one node and in two on a cluster.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from townsquare.kit.paging import Cursor
from townsquare.services.social.scripts import ReadViewerState
from townsquare.store.scripts.script import RawReply, Script
from townsquare.store.store import Store

NONE: frozenset[str] = frozenset()


class ViewerState(NamedTuple):
    """The viewer's likes and bookmarks among the posts of a page."""

    liked: frozenset[str] = NONE  # ids
    bookmarked: frozenset[str] = NONE
    hides_users: bool = False  # the viewer blocks or mutes anybody, or is blocked

    @classmethod
    def of(cls, reply: RawReply | None) -> "ViewerState":
        """From the result of `viewer_state_of` in Lua; None without a viewer."""
        if reply is None:
            return NO_STATE
        liked, bookmarked, hides_users = reply
        return cls(ids_in(liked), ids_in(bookmarked), bool(hides_users))


def ids_in(reply: Sequence[bytes]) -> frozenset[str]:
    return frozenset([id.decode() for id in reply]) if reply else NONE


NO_STATE = ViewerState()


class Skeleton(NamedTuple):
    """Ids and scores are in one string each, with spaces between: most pages need no list of them."""

    ids_text: bytes
    scores_text: bytes  # of these in their order
    state: ViewerState

    @classmethod
    def of(cls, found: Sequence[Cursor], state: ViewerState) -> "Skeleton":
        ids = " ".join([one.member for one in found])
        return cls(ids.encode(), b" ".join([repr(one.score).encode() for one in found]), state)

    @property
    def ids(self) -> list[str]:
        return self.ids_text.decode().split()

    @property
    def size(self) -> int:
        return self.ids_text.count(b" ") + 1 if self.ids_text else 0

    def cursor(self, index: int) -> Cursor:
        return Cursor(float(self.scores_text.split()[index]), self.ids_text.split()[index].decode())


ReadSkeleton = Callable[[Cursor | None, int], Awaitable[Skeleton]]  # the next ids after a cursor


async def read_sorted(
    store: Store, script: Callable[..., Script[RawReply]], after: Cursor | None, count: int
) -> Skeleton:
    """A page of a sorted set, by a script that returns members with scores, and the viewer's state."""
    score, member = after or (None, None)
    ids, scores, state = await store.run(script(score=score, member=member, count=count))
    return Skeleton(ids, scores, ViewerState.of(state))


async def read_viewer_state(store: Store, viewer: str | None, ids: Sequence[str]) -> ViewerState:
    """For posts whose ids are known already."""
    if viewer is None or not ids:
        return NO_STATE
    reply = await store.run(ReadViewerState(viewer=viewer, ids=list(ids)))
    return ViewerState.of(reply)

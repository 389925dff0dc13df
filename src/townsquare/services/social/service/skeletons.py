"""The skeleton of a page of posts: its ids in order, and the viewer's likes and bookmarks among them.

A first page is made of records of the client cache: the head of the list, and the lists of the viewer. Others
are read by a script, in one step on one node and in two on a cluster.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from townsquare.kit.paging import Cursor
from townsquare.services.social.records import (
    BLOCKED_BY,
    BLOCKING,
    BOOKMARKED,
    HEAD,
    LIKED,
    MUTING,
    Head,
)
from townsquare.services.social.scripts.feed_scripts import ReadViewerState
from townsquare.store.client_cache import RecordRead
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
    ids: Sequence[str]
    scores: Sequence[Any]  # of these in their order
    state: ViewerState

    @classmethod
    def of(cls, found: Sequence[Cursor], state: ViewerState) -> "Skeleton":
        return cls([one.member for one in found], [one.score for one in found], state)

    def cursor(self, index: int) -> Cursor:
        return Cursor(float(self.scores[index]), self.ids[index])


ReadSkeleton = Callable[[Cursor | None, int], Awaitable[Skeleton]]  # the next ids after a cursor


def is_head(store: Store, after: Cursor | None, count: int) -> bool:
    """Whether this part of a list can be read from the client cache."""
    return after is None and count <= HEAD and store.in_request


async def read_sorted(
    store: Store,
    head: RecordRead[Head] | None,
    viewer: str | None,
    script: Callable[..., Script[RawReply]],
    after: Cursor | None,
    count: int,
) -> Skeleton:
    """A page of a sorted set. The script returns members with scores, and the viewer's state."""
    if head is not None and is_head(store, after, count):
        reads = [head, *viewer_lists(viewer)]
        await store.pass_barrier(reads)
        found, *lists = await store.read(reads)
        ids = found.ids[:count]
        return Skeleton(ids, found.scores, await state_from_lists(store, viewer, ids, lists))
    score, member = after or (None, None)
    pairs, state = await store.run(script(score=score, member=member, count=count))
    return Skeleton([id.decode() for id in pairs[::2]], pairs[1::2], ViewerState.of(state))


def viewer_lists(viewer: str | None) -> list[RecordRead[Any]]:
    """The records of `state_from_lists`."""
    if viewer is None:
        return []
    return [LIKED(viewer), BOOKMARKED(viewer), BLOCKING(viewer), BLOCKED_BY(viewer), MUTING(viewer)]


async def state_from_lists(
    store: Store, viewer: str | None, ids: Sequence[str], lists: Sequence[Any]
) -> ViewerState:
    """The state of a viewer whose lists were read with the ids; long lists are searched by a script."""
    if viewer is None:
        return NO_STATE
    liked, bookmarked, blocking, blocked_by, muting = lists
    if not (liked.complete and bookmarked.complete):
        return await read_viewer_state(store, viewer, ids)
    hides_users = bool(blocking.members or blocked_by.members or muting.members)
    return ViewerState(liked.members.intersection(ids), bookmarked.members.intersection(ids), hides_users)


async def read_viewer_state(store: Store, viewer: str | None, ids: Sequence[str]) -> ViewerState:
    """For posts whose ids are known already."""
    if viewer is None or not ids:
        return NO_STATE
    reply = await store.run(ReadViewerState(viewer=viewer, ids=list(ids)))
    return ViewerState.of(reply)

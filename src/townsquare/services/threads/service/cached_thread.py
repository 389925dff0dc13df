"""The skeleton of the first part of a thread, made of records of the client cache.

It is that of `read_thread` for a reader who has not voted and sees no hidden comments.
"""

from typing import Any, NamedTuple

from townsquare.services.threads import records
from townsquare.services.threads.models.comments import Direction
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.service.thread_tree import NO_THREAD, ThreadSkeleton
from townsquare.store.client_cache import CacheKey, RecordRead
from townsquare.store.store import Store


class SharedSkeleton(NamedTuple):
    skeleton: ThreadSkeleton
    made_of: list[tuple[CacheKey, Any]]  # records


class ViewerLists(NamedTuple):
    """What a thread has for one viewer."""

    votes: records.GivenVotes
    hidden: tuple[str, ...] = ()  # comments that this viewer may see
    blocks: frozenset[bytes] = frozenset()  # ids of users

    def votes_on(self, ids: Any) -> dict[str, Direction]:
        found: dict[str, Direction] = dict.fromkeys(self.votes.up.intersection(ids), "up")
        found.update(dict.fromkeys(self.votes.down.intersection(ids), "down"))
        return found


NO_LISTS = ViewerLists(records.GivenVotes(frozenset(), frozenset(), complete=True))


async def shared_skeleton(
    store: Store,
    page_id: str,
    order: str,
    down: bool,
    limit: int,
    depth: int,
    newest_first: bool,
    budget: int,
) -> SharedSkeleton | None:
    """None if there is no such page, or it has more comments than `budget`: the script knows what to do."""
    roots = records.ROOTS[order, down](page_id, args=(0, limit, "WITHSCORES"))
    reads = (records.PAGE_STATE(page_id), roots, records.PAGE_PINNED(page_id))
    page, listed, pinned = values = await store.read(reads)
    if page is None:
        return None
    made_of = [(read.cache_key, value) for read, value in zip(reads, values, strict=True)]
    ids = dict.fromkeys((*listed.ids, *pinned.ids))
    replies: dict[str, records.Listed] = {}
    level = listed.ids
    for _ in range(depth):
        found = await store.read_all(records.COMMENT, level)
        parents = [one.id for one in found if one and one.reply_count]
        if not parents:
            break
        level = []
        record = records.COMMENT_REPLIES[newest_first]
        for parent, below in zip(parents, await store.read_all(record, parents), strict=True):
            made_of.append(((record, parent), below))
            if below is not None and below.ids:
                replies[parent] = below
                level += below.ids[: records.REPLIES]
        ids.update(dict.fromkeys(level))
        if len(ids) >= budget:
            return None
    return SharedSkeleton(
        NO_THREAD._replace(
            site_id=page.site_id,
            total=page.total,
            closed=page.closed,
            ids=[*ids],
            roots=listed,
            replies=replies,
            pinned=[*pinned.ids],
        ),
        made_of,
    )


async def viewer_lists(store: Store, viewer: Viewer, page_id: str) -> ViewerLists:
    """A moderator sees the hidden comments of everybody, and blocks nobody."""
    user_id = viewer.user_id
    if user_id is None:
        if not viewer.moderates:
            return NO_LISTS
        (hidden,) = await store.read([records.PAGE_HIDDEN(page_id)])
        return NO_LISTS._replace(hidden=hidden.ids)
    reads: list[RecordRead[Any]] = [records.USER_VOTES(user_id)]
    if viewer.moderates:
        votes, hidden = await store.read([*reads, records.PAGE_HIDDEN(page_id)])
        return ViewerLists(votes, hidden.ids)
    reads += [records.PAGE_HIDDEN_OF(page_id, user_id), records.BLOCKS(user_id)]
    votes, hidden, blocks = await store.read(reads)
    return ViewerLists(votes, hidden.ids, blocks.ids)

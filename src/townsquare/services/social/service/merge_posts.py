"""The newest posts of many authors, from the heads of their lists.

Of every author a few posts are read at once, and only of those whose few are all newer than the last post
that was found, more. So it costs what the page needs, not what the authors have written.
"""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from townsquare.kit.paging import Cursor, cursors
from townsquare.services.social.keys import WATCHERS_SECONDS, user_posts, watchers
from townsquare.store.commands import Command
from townsquare.store.store import Store

LEAST_READ = 3  # of every author at first
GROWTH = 4


class AuthorHead:
    """The part of an author's list that has been read."""

    __slots__ = ("asked", "author", "ended", "found")

    def __init__(self, author: str, asked: int) -> None:
        self.author = author
        self.asked = asked
        self.found: list[Cursor] = []
        self.ended = False

    def read(self, before: Cursor | None) -> Command:
        """Reads the wanted posts; with `before`, also some that are not below it."""
        key = user_posts(self.author)
        if before is None:
            return ("ZREVRANGE", key, 0, self.asked - 1, "WITHSCORES")
        return ("ZREVRANGEBYSCORE", key, before.score, "-inf", "WITHSCORES", "LIMIT", 0, self.asked)

    def take(self, reply: Sequence[Sequence[bytes | float]], before: Cursor | None) -> None:
        self.found = cursors(reply)
        self.ended = len(self.found) < self.asked
        if before:
            self.found = [place for place in self.found if place < before]

    def may_have_more_above(self, cut: Cursor | None) -> bool:
        """Whether posts that were not read could belong above the cut."""
        return not self.ended and (cut is None or not self.found or self.found[-1] > cut)


class Watch(NamedTuple):
    """A reader whose feed is alive until then: its authors shall push to it."""

    reader: str
    until: int

    def commands(self, author: str) -> list[Command]:
        key = watchers(author)
        return [("ZADD", key, self.until, self.reader), ("EXPIRE", key, WATCHERS_SECONDS)]


async def merge(
    store: Store, authors: Sequence[str], before: Cursor | None, count: int, watch: Watch | None = None
) -> list[Cursor]:
    """The newest `count` posts before a position. With `watch`, no post falls between this and a push."""
    share = max(LEAST_READ, 2 * count // max(1, len(authors)))
    heads = [AuthorHead(author, min(share, count)) for author in authors]
    unread = heads
    while unread:
        await read_heads(store, unread, before, watch)
        watch = None
        best = heapq.nlargest(count, (place for head in heads for place in head.found))
        cut = best[-1] if len(best) == count else None
        unread = [head for head in heads if head.may_have_more_above(cut)]
        for head in unread:
            head.asked *= GROWTH
    return best if heads else []


async def read_heads(
    store: Store, heads: Sequence[AuthorHead], before: Cursor | None, watch: Watch | None
) -> None:
    """All heads in one round trip. The reader is registered with each author before the list is read."""
    commands: list[Command] = []
    for head in heads:
        if watch:
            commands += watch.commands(head.author)
        commands.append(head.read(before))
    stride = len(commands) // len(heads)
    replies = await store.pipeline(commands)
    for head, reply in zip(heads, replies[stride - 1 :: stride], strict=True):
        head.take(reply, before)

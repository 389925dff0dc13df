"""A thread as models, for callers of the library, or as JSON that is joined from fragments of records.

Most threads look alike to all viewers but for their votes. The JSON of such a list of comments is a composite
of the client cache: it is joined once, and holds until a comment of it or one of their authors changes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar
from zlib import crc32

import msgspec

from townsquare.kit.fragments import encode
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import Author, Comment, CommentPage, Direction
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.records import is_public
from townsquare.services.threads.service.visibility import (
    Authors,
    author_of,
    may_read,
    placeholder,
    visible_comment,
)

C = TypeVar("C")
P = TypeVar("P", covariant=True)

Records = Mapping[str, CommentRecord]
Votes = Mapping[str, Direction]

OWN_FIELDS = frozenset({"author", "my_vote", "reply_count", "blocked", "replies", "replies_next"})
NULL = b"null"
VOTES: dict[Direction | None, bytes] = {
    vote: b',"my_vote":%b,"blocked":false,"reply_count":' % encode(vote) for vote in (None, "up", "down")
}
BLOCKED = b',"my_vote":null,"blocked":true,"reply_count":'
NO_REPLIES = b'0,"replies":[],"replies_next":null}'
ANYBODY = Viewer(site_id="")
LISTED = 400  # bytes that a comment of a list takes besides its JSON

# the fields that every viewer sees alike
FRAGMENT_FIELDS = [name for name in Comment.__struct_fields__ if name not in OWN_FIELDS]
CommentFragment: Any = msgspec.defstruct("CommentFragment", [(name, Any) for name in FRAGMENT_FIELDS])


class Presenter(Protocol[C, P]):
    """Presents comments to one viewer."""

    records: Records

    def comment(self, id: str, more_replies: int, replies: list[C], replies_next: str | None) -> C:
        """One comment with its replies; `more_replies` only this viewer sees."""
        ...

    def leaves(self, ids: Sequence[str]) -> list[C]:
        """Comments that are visible_comment without replies, as most are."""
        ...

    def page(self, comments: list[C], pinned: list[C], about: CommentPage) -> P:
        """A part of a thread; `about` has everything but the comments."""
        ...


class Models:
    def __init__(self, viewer: Viewer, records: Records, people: Authors, votes: Votes) -> None:
        self.records = records
        self._viewer = viewer
        self._people = people
        self._votes = votes

    def comment(
        self, id: str, more_replies: int, replies: list[Comment], replies_next: str | None
    ) -> Comment:
        comment = visible_comment(self._viewer, self.records[id], self._people, self._votes)
        comment.reply_count += more_replies
        comment.replies = replies
        comment.replies_next = replies_next
        return comment

    def leaves(self, ids: Sequence[str]) -> list[Comment]:
        return [self.comment(id, 0, [], "" if self.records[id].reply_count else None) for id in ids]

    def page(self, comments: list[Comment], pinned: list[Comment], about: CommentPage) -> CommentPage:
        about.comments, about.pinned = comments, pinned
        return about


class Json:
    def __init__(self, viewer: Viewer, records: Records, people: Authors, votes: Votes) -> None:
        self.records = records
        self._viewer = viewer
        self.people = people
        self._votes = votes

    def comment(self, id: str, more_replies: int, replies: list[bytes], replies_next: str | None) -> bytes:
        count = self.records[id].reply_count + more_replies
        return b"".join((*self._start(id), ending(count, replies, replies_next)))

    def _start(self, id: str) -> tuple[bytes, ...]:
        """The JSON of a comment up to the number of its replies."""
        record, people = self.records[id], self.people
        readable = is_public(record) or may_read(self._viewer, record)
        if readable and record.author_id not in people.blocked:
            return opening(record), author_of(record, people).json, VOTES[self._votes.get(id)]
        marks = BLOCKED if readable else VOTES[None]
        return encoded_opening(placeholder(record, blocked=readable)), NULL, marks

    def leaves(self, ids: Sequence[str]) -> list[bytes]:
        leaves = []
        records, votes, (known, blocked) = self.records, self._votes, self.people
        for id in ids:
            record = records[id]
            author = known.get(record.author_id or "")
            if author and is_public(record) and author.id not in blocked:  # as most are
                count = record.reply_count
                end = ending(count, [], "") if count else NO_REPLIES
                leaves.append(b"".join((opening(record), author.json, VOTES[votes.get(id)], end)))
            else:
                leaves.append(self.comment(id, 0, [], "" if record.reply_count else None))
        return leaves

    def page(self, comments: list[bytes], pinned: list[bytes], about: CommentPage) -> bytes:
        return b'{"page_id":%b,"comments":[%b],"next":%b,"total":%d,"sort":%b,"pinned":[%b],"closed":%b}' % (
            encode(about.page_id),
            b",".join(comments),
            encode(about.next),
            about.total,
            encode(about.sort),
            b",".join(pinned),
            encode(about.closed),
        )


class CommentList(NamedTuple):
    """Comments that all viewers see alike, but for their votes and for authors whom they block."""

    records: Records
    authors: frozenset[bytes]  # ids
    leaves: dict[str, bytes]  # the JSON of each without a vote and without replies
    vote_at: dict[str, int]  # where the vote begins in it; not of placeholders

    @property
    def memory(self) -> int:
        return sum([LISTED + len(leaf) for leaf in self.leaves.values()])


class ListJson(Json):
    """Presents such a list to a viewer who blocks none of its authors."""

    def __init__(self, comments: CommentList, votes: Votes) -> None:
        super().__init__(ANYBODY, comments.records, Authors({}), votes)
        self._list = comments

    def _start(self, id: str) -> tuple[bytes, ...]:
        end = ending(self.records[id].reply_count, [], "")
        return (self._leaf(id)[: -len(end)],)

    def leaves(self, ids: Sequence[str]) -> list[bytes]:
        leaves, votes = self._list.leaves, self._votes
        if not votes:
            return [leaves[id] for id in ids]
        return [self._leaf(id) if id in votes else leaves[id] for id in ids]

    def _leaf(self, id: str) -> bytes:
        leaf, vote_at = self._list.leaves[id], self._list.vote_at.get(id)
        if vote_at is None or id not in self._votes:
            return leaf
        return leaf[:vote_at] + VOTES[self._votes[id]] + leaf[vote_at + len(VOTES[None]) :]


class TaggedJson(NamedTuple):
    body: bytes
    tag: str  # ETag


def tagged_json(body: bytes) -> TaggedJson:
    """A checksum is enough: a page is large, and clients revalidate at once."""
    return TaggedJson(body, f'"{len(body):x}-{crc32(body):08x}"')


def comment_list(records: Records, authors: Mapping[str, Author]) -> CommentList | None:
    """None if one of these is not the same for all viewers."""
    if not all(is_public(one) or one.status == "deleted" for one in records.values()):
        return None
    everybody = Json(ANYBODY, records, Authors({**authors}), {})
    leaves, vote_at = {}, {}
    for id, record in records.items():
        if not is_public(record):
            (leaves[id],) = everybody.leaves([id])
            continue
        start = opening(record) + author_of(record, everybody.people).json
        leaves[id] = b"".join((start, VOTES[None], ending(record.reply_count, [], "")))
        vote_at[id] = len(start)
    return CommentList(records, frozenset([id.encode() for id in authors]), leaves, vote_at)


def ending(count: int, replies: list[bytes], replies_next: str | None) -> bytes:
    """The JSON of a comment from the number of its replies on."""
    if not count:
        return NO_REPLIES
    return b'%d,"replies":[%b],"replies_next":%b}' % (count, b",".join(replies), encode(replies_next))


def opening(record: CommentRecord) -> bytes:
    """The fragment of a comment: encoded once, and held by the record."""
    known: bytes | None = record.__dict__.get("opening")
    if known is None:
        known = record.__dict__["opening"] = encoded_opening(record)
    return known


def encoded_opening(source: CommentRecord | Comment) -> bytes:
    """The JSON of a comment up to its author: the fields that every viewer sees alike."""
    fields = CommentFragment(*[getattr(source, name) for name in FRAGMENT_FIELDS])
    return encode(fields)[:-1] + b',"author":'

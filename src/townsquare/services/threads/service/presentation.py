"""A thread as models, for callers of the library, or as JSON that is joined from fragments of records."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from townsquare.kit.fragments import encode
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import Comment, CommentPage, Direction
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.records import is_public
from townsquare.services.threads.service.visibility import Authors, author_of, may_read, place, shown

C = TypeVar("C")
P = TypeVar("P", covariant=True)

NULL = b"null"
OWN_FIELDS = frozenset({"author", "my_vote", "reply_count", "blocked", "replies", "replies_next"})
MARKS_JSON = {
    None: b',"my_vote":null,"blocked":false,"reply_count":',
    "up": b',"my_vote":"up","blocked":false,"reply_count":',
    "down": b',"my_vote":"down","blocked":false,"reply_count":',
}
BLOCKED_JSON = b',"my_vote":null,"blocked":true,"reply_count":'

# what of a comment is the same for every viewer
FRAGMENT_FIELDS = [name for name in Comment.__struct_fields__ if name not in OWN_FIELDS]
CommentFragment: Any = msgspec.defstruct("CommentFragment", [(name, Any) for name in FRAGMENT_FIELDS])


class Presenter(Protocol[C, P]):
    def comment(
        self,
        viewer: Viewer,
        record: CommentRecord,
        people: Authors,
        vote: Direction | None,
        more_replies: int,
        replies: list[C],
        replies_next: str | None,
    ) -> C:
        """One comment as this viewer sees it, with its replies; `more_replies` only this viewer sees."""
        ...

    def page(self, comments: list[C], pinned: list[C], about: CommentPage) -> P:
        """A part of a thread; `about` has everything but the comments."""
        ...


class Models:
    def comment(
        self,
        viewer: Viewer,
        record: CommentRecord,
        people: Authors,
        vote: Direction | None,
        more_replies: int,
        replies: list[Comment],
        replies_next: str | None,
    ) -> Comment:
        comment = shown(viewer, record, people, {record.id: vote} if vote else {})
        comment.reply_count += more_replies
        comment.replies = replies
        comment.replies_next = replies_next
        return comment

    def page(self, comments: list[Comment], pinned: list[Comment], about: CommentPage) -> CommentPage:
        about.comments, about.pinned = comments, pinned
        return about


class Json:
    def comment(
        self,
        viewer: Viewer,
        record: CommentRecord,
        people: Authors,
        vote: Direction | None,
        more_replies: int,
        replies: list[bytes],
        replies_next: str | None,
    ) -> bytes:
        author_id = record.author_id
        readable = is_public(record) or may_read(viewer, record)
        if readable and author_id not in people.blocked:
            known = people.known.get(author_id)  # type: ignore[arg-type]
            author = known.json if known is not None else author_of(record, people).json
            fields, marks = fields_of(record), MARKS_JSON[vote]
        else:
            fields, author = encoded_fields(place(record, blocked=readable)), NULL
            marks = BLOCKED_JSON if readable else MARKS_JSON[None]
        count = record.reply_count + more_replies
        if count:
            next = NULL if replies_next is None else encode(replies_next)
            end = b'%d,"replies":[%b],"replies_next":%b}' % (count, b",".join(replies), next)
        else:
            end = b'0,"replies":[],"replies_next":null}'
        return b"".join((b"{", fields, b',"author":', author, marks, end))

    def page(self, comments: list[bytes], pinned: list[bytes], about: CommentPage) -> bytes:
        return encode(
            {
                "page_id": about.page_id,
                "comments": joined(comments),
                "next": about.next,
                "total": about.total,
                "sort": about.sort,
                "pinned": joined(pinned),
                "closed": about.closed,
            }
        )


MODELS = Models()
JSON = Json()


def joined(values: Sequence[bytes]) -> msgspec.Raw:
    return msgspec.Raw(b"[%b]" % b",".join(values))


def fields_of(record: CommentRecord) -> bytes:
    """The fragment of a comment: encoded once, and held by the record."""
    known: bytes | None = record.__dict__.get("fields")
    if known is None:
        known = record.__dict__["fields"] = encoded_fields(record)
    return known


def encoded_fields(source: CommentRecord | Comment) -> bytes:
    """The fields that are the same for every viewer, as JSON without the braces."""
    return encode(CommentFragment(*[getattr(source, name) for name in FRAGMENT_FIELDS]))[1:-1]

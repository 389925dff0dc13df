"""Comments and commenters as Redis holds them: which fields are read, and what is made of them."""

from functools import lru_cache
from typing import Any

from townsquare.keyspace import Visibility, reader
from townsquare.services.threads.keys.comments import CommentRecord, comment
from townsquare.services.threads.keys.users import CommenterRecord, user
from townsquare.services.threads.models.comments import Author
from townsquare.store.near import RecordRead
from townsquare.store.store import whole

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
COMMENT = reader(comment.kind, CommentRecord, *SHOWN, also=("shadow", "deleting", "reasons", "report_count"))
AUTHOR = reader(user.kind, Author, *SHOWN)
ASKED = 8_192  # reads of each kind that are kept put together


@lru_cache(ASKED)
def read_comment(id: str) -> RecordRead[CommentRecord]:
    """The comment, unless there is none or its page is being deleted."""
    return RecordRead(comment_of, "HMGET", comment(id), *COMMENT.fields)


@lru_cache(ASKED)
def read_author(id: str) -> RecordRead[Author]:
    return RecordRead(author_of, "HMGET", user(id), *AUTHOR.fields)


@lru_cache(ASKED)
def read_commenter(id: str) -> RecordRead[CommenterRecord]:
    """All that is known of a commenter, not for others."""
    return whole(user(id))


def comment_of(values: Any) -> CommentRecord | None:
    found = COMMENT.decode(values)
    return None if found is None or found.deleting else found


def is_public(record: CommentRecord) -> bool:
    """Whether everybody sees it."""
    return record.status == "approved" and not record.shadow


def is_hidden(record: CommentRecord) -> bool:
    """Whether its author and moderators see it, and nobody else."""
    return record.status != "deleted" and not is_public(record)


def author_of(values: Any) -> Author | None:
    return AUTHOR.decode(values)

"""Comments and commenters as Redis holds them: which fields are read, and what is made of them."""

from typing import Any

from townsquare.keyspace import Visibility, reader
from townsquare.services.threads.keys.comments import CommentRecord, comment
from townsquare.services.threads.keys.users import user
from townsquare.services.threads.models.comments import Author

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
COMMENT = reader(comment.kind, CommentRecord, *SHOWN, also=("shadow", "deleting", "reasons", "report_count"))
AUTHOR = reader(user.kind, Author, *SHOWN)


def is_public(record: CommentRecord) -> bool:
    """Whether everybody sees it."""
    return record.status == "approved" and not record.shadow


def is_hidden(record: CommentRecord) -> bool:
    """Whether its author and moderators see it, and nobody else."""
    return record.status != "deleted" and not is_public(record)


def author_of(values: Any) -> Author | None:
    return AUTHOR.decode(values)

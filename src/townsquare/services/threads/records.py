"""Comments, commenters and who runs a site, as Redis holds them: what is read, and what is made of it."""

from functools import lru_cache
from typing import Any

import msgspec

from townsquare.keyspace import Visibility, reader
from townsquare.services.threads.keys.comments import CommentRecord, comment
from townsquare.services.threads.keys.sites import site_admins, site_moderators
from townsquare.services.threads.keys.users import CommenterRecord, user
from townsquare.services.threads.models.comments import Author
from townsquare.store.near import RecordRead
from townsquare.store.store import whole

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
COMMENT = reader(comment.kind, CommentRecord, *SHOWN, also=("shadow", "deleting", "reasons", "report_count"))
AUTHOR = reader(user.kind, Author, *SHOWN)
ASKED = 8_192  # reads of each kind that are kept put together


class Members(msgspec.Struct, frozen=True):
    """Users who have a role on a site."""

    ids: frozenset[bytes]


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


@lru_cache(ASKED)
def read_admins(site_id: str) -> RecordRead[Members]:
    return RecordRead(members_of, "SMEMBERS", site_admins(site_id))  # bounded: people whom an owner has named


@lru_cache(ASKED)
def read_moderators(site_id: str) -> RecordRead[Members]:
    return RecordRead(members_of, "SMEMBERS", site_moderators(site_id))  # bounded: the same


def members_of(values: Any) -> Members:
    return Members(frozenset(values))


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

"""Records of comments, commenters and sites for the client cache: commands and decoders."""

from typing import Any

import msgspec

from townsquare.keyspace import Visibility, reader
from townsquare.services.threads.keys.comments import CommentRecord, comment
from townsquare.services.threads.keys.sites import site_admins, site_by_api_key, site_moderators
from townsquare.services.threads.keys.users import user, user_blocks
from townsquare.services.threads.models.comments import Author
from townsquare.store.client_cache import Record, whole_value

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
COMMENT_FIELDS = reader(
    comment.kind, CommentRecord, *SHOWN, also=("shadow", "deleting", "reasons", "report_count")
)
AUTHOR_FIELDS = reader(user.kind, Author, *SHOWN)


class Members(msgspec.Struct, frozen=True):
    """All members of a set of user ids."""

    ids: frozenset[bytes]


def members_of(values: Any) -> Members:
    return Members(frozenset(values))


def comment_of(values: Any) -> CommentRecord | None:
    found = COMMENT_FIELDS.decode(values)
    return None if found is None or found.deleting else found


def is_public(record: CommentRecord) -> bool:
    """Whether everyone sees the comment."""
    return record.status == "approved" and not record.shadow


def is_hidden(record: CommentRecord) -> bool:
    """Whether only its author and moderators see the comment."""
    return record.status != "deleted" and not is_public(record)


def author_of(values: Any) -> Author | None:
    return AUTHOR_FIELDS.decode(values)


COMMENT = Record(
    comment, "HMGET", *COMMENT_FIELDS.fields, decode=comment_of
)  # None: deleted, or its page is being deleted
AUTHOR = Record(user, "HMGET", *AUTHOR_FIELDS.fields, decode=author_of)
COMMENTER = whole_value(user)  # including private fields
SITE_CONFIG = whole_value(site_by_api_key)  # by the digest of the key
ADMINS = Record(site_admins, "SMEMBERS", decode=members_of)  # bounded: appointed by an owner
MODERATORS = Record(site_moderators, "SMEMBERS", decode=members_of)  # bounded: the same
BLOCKS = Record(user_blocks, "SMEMBERS", decode=members_of)  # bounded: the limit on blocks

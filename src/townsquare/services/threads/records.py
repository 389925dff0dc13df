"""Records of comments, commenters and sites for the client cache: commands and decoders."""

from collections.abc import Sequence
from typing import Any

import msgspec

from townsquare.keyspace import Visibility, reader
from townsquare.kit.paging import Cursor
from townsquare.services.threads.keys.comments import CommentRecord, comment, comment_replies
from townsquare.services.threads.keys.common import HIDDEN_READ, PINNED
from townsquare.services.threads.keys.pages import (
    page,
    page_controversial,
    page_hidden,
    page_hidden_of,
    page_hot,
    page_hot_decaying,
    page_new,
    page_pinned,
    page_top,
)
from townsquare.services.threads.keys.sites import site_admins, site_by_api_key, site_moderators
from townsquare.services.threads.keys.users import user, user_blocks, user_votes
from townsquare.services.threads.models.comments import Author
from townsquare.store.client_cache import Record, whole_value

REPLIES = 10  # returned with each comment
VOTES_CACHED = 256  # votes of a user up to which all of them are cached
SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
COMMENT_FIELDS = reader(
    comment.kind, CommentRecord, *SHOWN, also=("shadow", "deleting", "reasons", "report_count")
)
AUTHOR_FIELDS = reader(user.kind, Author, *SHOWN)


class PageState(msgspec.Struct, frozen=True):
    site_id: str
    total: int  # public comments
    closed: bool


class Listed(msgspec.Struct, frozen=True):
    """Ids in the order of a sorted set, with their scores."""

    ids: Sequence[str]
    scores: Sequence[Any]

    @classmethod
    def of(cls, pairs: Sequence[bytes]) -> "Listed":
        """From a script: members and scores in turn."""
        return cls([id.decode() for id in pairs[::2]], pairs[1::2])

    def cursor(self, id: str) -> Cursor:
        return Cursor(float(self.scores[self.ids.index(id)]), id)

    def cursors(self) -> list[Cursor]:
        return [Cursor(float(score), id) for id, score in zip(self.ids, self.scores, strict=True)]


class ListedIds(msgspec.Struct, frozen=True):
    ids: tuple[str, ...]


class GivenVotes(msgspec.Struct, frozen=True):
    """The ids of the comments that a user has voted on; not all of them, if there are too many."""

    up: frozenset[str]
    down: frozenset[str]
    complete: bool


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


def page_state_of(values: Any) -> PageState | None:
    site_id, total, closed, deleting, merging = values
    if site_id is None or deleting is not None or merging is not None:
        return None
    return PageState(site_id.decode(), int(total or 0), closed == b"true")


def listed_of(pairs: Any) -> Listed:
    return Listed(tuple([id.decode() for id, _ in pairs]), tuple([score for _, score in pairs]))


def ids_of(ids: Sequence[bytes]) -> ListedIds:
    return ListedIds(tuple([id.decode() for id in ids]))


def votes_of(pairs: Any) -> GivenVotes:
    up = frozenset([id.decode() for id, score in pairs if score > 0])
    down = frozenset([id.decode() for id, score in pairs if score < 0])
    return GivenVotes(up, down, len(pairs) <= VOTES_CACHED)


# Parts of a thread. A list begins with its lowest scores, or, with True, with its highest.
VERBS = {False: "ZRANGE", True: "ZREVRANGE"}
PAGE_ORDERS = {
    "new": page_new,
    "top": page_top,
    "hot": page_hot,
    "hot_decaying": page_hot_decaying,
    "controversial": page_controversial,
}
PAGE_STATE = Record(
    page, "HMGET", "site_id", "comment_count", "closed", "deleting", "merging", decode=page_state_of
)
ROOTS = {
    (order, down): Record(declared, VERBS[down], decode=listed_of)
    for order, declared in PAGE_ORDERS.items()
    for down in VERBS
}  # the first and the last index, and WITHSCORES, are arguments
COMMENT_REPLIES = {
    down: Record(comment_replies, VERBS[down], 0, REPLIES, "WITHSCORES", decode=listed_of) for down in VERBS
}
PAGE_PINNED = Record(page_pinned, "ZREVRANGE", 0, PINNED - 1, decode=ids_of)
PAGE_HIDDEN = Record(page_hidden, "ZREVRANGE", 0, HIDDEN_READ - 1, decode=ids_of)
PAGE_HIDDEN_OF = Record(page_hidden_of, "ZREVRANGE", 0, HIDDEN_READ - 1, decode=ids_of)
USER_VOTES = Record(user_votes, "ZRANGE", 0, VOTES_CACHED, "WITHSCORES", decode=votes_of)

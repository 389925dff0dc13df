"""What answers show of who calls, so that one answer from memory serves all of whom it shows the same.

Who blocks or mutes somebody, or is blocked, is answered alone: an answer leaves out what they do not see.
"""

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache, partial
from typing import Any

from townsquare.api import CallerFacts, Identity
from townsquare.kit.paging import Page
from townsquare.services.social import records
from townsquare.services.social.models import Item
from townsquare.services.social.routes.common import ME, OfUser, Paged, UserPaged
from townsquare.store.near import RecordRead

Reads = tuple[RecordRead[Any], ...]
NO_NAMES: frozenset[str] = frozenset()
JSON = {False: b"false", True: b"true"}

# how an `Item` says whether the viewer likes and has bookmarked its post
MARKS = re.compile(rb',"isLiked":(?:true|false),"isBookmarked":(?:true|false),')
MARKED = {
    (liked, bookmarked): b',"isLiked":%b,"isBookmarked":%b,' % (JSON[liked], JSON[bookmarked])
    for liked in JSON
    for bookmarked in JSON
}
UNMARKED = MARKED[False, False]


def profile_facts(given: OfUser, identity: Identity | None) -> CallerFacts | None:
    """Whether they follow the user; one's own profile is shown to oneself alone."""
    viewer = name_of(identity)
    if given.username in (ME, viewer):
        return None
    if not viewer:
        return CallerFacts((), nothing)
    return CallerFacts(profile_reads(viewer), partial(follows, given.username))


def page_facts(given: Paged, identity: Identity | None) -> CallerFacts | None:
    """Which of the posts they like and have bookmarked."""
    viewer = name_of(identity)
    if not viewer:
        return CallerFacts((), no_marks, ids_of, without_marks, with_marks)
    return CallerFacts(page_reads(viewer), marks, ids_of, without_marks, with_marks)


def user_page_facts(given: UserPaged, identity: Identity | None) -> CallerFacts | None:
    """The same of somebody else's posts."""
    return None if given.username in (ME, name_of(identity)) else page_facts(given, identity)


def name_of(identity: Identity | None) -> str:
    return identity.username if identity is not None else ""


@lru_cache(records.ASKED)
def profile_reads(viewer: str) -> Reads:
    return (records.read_followed(viewer), *hiding_sizes(viewer))


@lru_cache(records.ASKED)
def page_reads(viewer: str) -> Reads:
    lists = records.viewer_lists(viewer)
    return (*map(records.read_ids, (lists.liked.key, lists.bookmarked.key)), *hiding_sizes(viewer))


def hiding_sizes(viewer: str) -> list[RecordRead[int]]:
    lists = records.viewer_lists(viewer)
    return [one.size for one in (lists.blocking, lists.blocked_by, lists.muting) if one.size is not None]


def follows(username: str, read: Sequence[Any], about: object) -> bool | None:
    followed, *hiding = read
    return None if followed.names is None or any(hiding) else username in followed.names


def marks(read: Sequence[Any], ids: tuple[str, ...]) -> Hashable:
    liked, bookmarked, *hiding = read
    if liked.names is None or bookmarked.names is None or any(hiding):
        return None
    return liked.names.intersection(ids), bookmarked.names.intersection(ids)


def no_marks(read: Sequence[Any], ids: tuple[str, ...]) -> Hashable:
    return NO_NAMES, NO_NAMES


def without_marks(ids: tuple[str, ...], page: bytes) -> tuple[bytes, ...]:
    """The text of a page between the marks of its posts. In texts that people write quotes are escaped."""
    parts = MARKS.split(page)
    return tuple(parts) if len(parts) == len(ids) + 1 else ()


def with_marks(ids: tuple[str, ...], shown: Any, parts: tuple[bytes, ...]) -> bytes:
    liked, bookmarked = shown
    if not liked and not bookmarked:
        return UNMARKED.join(parts)
    texts = [parts[0]]
    for id, part in zip(ids, parts[1:], strict=True):
        texts += (MARKED[id in liked, id in bookmarked], part)
    return b"".join(texts)


def ids_of(page: Page[Item]) -> tuple[str, ...]:
    return tuple([one.post.id for one in page.items])


def nothing(read: Sequence[Any], about: object) -> str:
    return "nothing"

"""The floor of page reads: one skeleton read, then cached fragments joined. No sign-in, rules or limits.

Each page has one skeleton function, which reads ids and the viewer's flags from Redis on every request. The
fragments are JSON, encoded when a record is first shown and never invalidated: nobody writes meanwhile. The
bodies are equal to those of the application; `bench.pages` compares them.

BENCH_VIEWER is the viewer's username and BENCH_USER their account, BENCH_PAGE the id of the comment page.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.clock import SystemClock
from townsquare.keyspace import AnyKey, Layout
from townsquare.kit.paging import Cursor
from townsquare.services.social import keys, records
from townsquare.services.social.scripts import RankTag, ReadExplore, ReadHomeFeed, ViewProfile
from townsquare.services.threads import keys as thread_keys
from townsquare.services.threads import records as thread_records
from townsquare.services.threads.models.comments import Author
from townsquare.services.threads.scripts import ReadThread
from townsquare.services.threads.service.presentation import encoded_opening
from townsquare.store.scripts.assembly import Program, assemble
from townsquare.store.scripts.folder import BY_STRUCT
from townsquare.store.scripts.invocation import Invocation
from townsquare.store.scripts.script import Script
from townsquare.store.wire.connection import ReplyError
from townsquare.store.wire.nodes import Nodes, connect

VIEWER, USER = os.environ["BENCH_VIEWER"], os.environ["BENCH_USER"]
PAGE = os.environ["BENCH_PAGE"]
TAG, LIMIT = "one", 20
LAYOUT = Layout("prod")
CLOCK = SystemClock()
SCRIPTS: tuple[type[Script[Any]], ...] = (ReadExplore, ReadHomeFeed, RankTag, ViewProfile, ReadThread)
PROGRAMS: dict[type, Program] = {struct: assemble(BY_STRUCT[struct], LAYOUT) for struct in SCRIPTS}
FALSE_TRUE = (b"false", b"true")
nodes: Nodes | None = None


# Reading


def redis() -> Nodes:
    assert nodes is not None
    return nodes


async def run(call: Script[Any]) -> Any:
    script = BY_STRUCT[type(call)]
    invocation = Invocation(script, script.values_of(call, CLOCK), PROGRAMS[type(call)], LAYOUT)
    try:
        return await redis().execute(None, *invocation.by_digest())
    except ReplyError:
        return await redis().execute(None, *invocation.by_source())


async def pipeline(commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Commands whose second word is a key."""
    return await redis().execute_many([(None, [verb, name(key), *rest]) for verb, key, *rest in commands])


def name(key: AnyKey) -> str:
    return LAYOUT.name(key)


# Skeletons: the ids of a page and the viewer's flags. To measure another script, change one of these.


class FeedSkeleton(NamedTuple):
    ids: list[bytes]
    liked: Sequence[bytes]  # ids
    bookmarked: Sequence[bytes]
    next: str | None

    @classmethod
    def of(cls, ids_text: bytes, scores_text: bytes, marks: Any) -> "FeedSkeleton":
        ids, scores = ids_text.split(), scores_text.split()
        liked, bookmarked, _ = marks
        more = len(ids) > LIMIT
        next = Cursor(float(scores[LIMIT - 1]), ids[LIMIT - 1].decode()).encode() if more else None
        return cls(ids[:LIMIT], liked, bookmarked, next)


async def explore_skeleton() -> FeedSkeleton:
    return FeedSkeleton.of(*await run(ReadExplore(viewer=VIEWER, score=None, member=None, count=LIMIT + 1)))


async def following_skeleton() -> FeedSkeleton:
    found = await run(ReadHomeFeed(username=VIEWER, before=None, before_id=None, count=LIMIT + 1))
    if not found[0]:
        raise LookupError(f"the following feed of {VIEWER} is not built")
    *_, ids, scores, marks = found
    return FeedSkeleton.of(ids, scores, marks)


async def ranked_skeleton() -> FeedSkeleton:
    page = RankTag(tag=TAG, viewer=VIEWER, scored=None, after=None, position=-1, count=LIMIT + 1)
    scored, ids, positions, marks = await run(page)
    feed = FeedSkeleton.of(ids, positions, marks)
    return feed._replace(next=feed.next and f"{scored}.{feed.next}")


class ProfileFlags(NamedTuple):
    follows: bool
    mutes: bool


async def profile_skeleton(username: str) -> ProfileFlags:
    follows, _, mutes = await run(ViewProfile(viewer=VIEWER, username=username))
    return ProfileFlags(bool(follows), bool(mutes))


class ThreadSkeleton(NamedTuple):
    ids: list[bytes]
    votes: list[bytes]  # one per id; empty: no vote
    next: str | None
    total: int


async def thread_skeleton() -> ThreadSkeleton:
    about, roots, _, _, _, votes, _ = await run(
        ReadThread(
            page_id=PAGE,
            order="new",
            down=True,
            score=None,
            member=None,
            count=LIMIT + 1,
            depth=3,
            replies=10,
            replies_down=True,
            budget=400,
            user_id=USER,
            sees_hidden=False,
            root=None,
        )
    )
    ids, scores = roots[::2], roots[1::2]
    last = Cursor(float(scores[LIMIT - 1]), ids[LIMIT - 1].decode()) if len(ids) > LIMIT else None
    return ThreadSkeleton(ids[:LIMIT], votes[:LIMIT], last and last.encode(), int(about[1]))


# Fragments: encoded once


class CommentFragments(NamedTuple):
    before_author: bytes
    author_id: bytes
    before_vote: bytes
    after_vote: bytes


posts: dict[bytes, tuple[bytes, bytes]] = {}  # by id: the post, and the username of its author
profiles: dict[bytes, bytes] = {}  # without the closing brace
comments: dict[bytes, CommentFragments] = {}
authors: dict[bytes, bytes] = {}


async def read_posts(ids: Sequence[bytes]) -> None:
    fields = records.POST_FIELDS.fields
    found = await pipeline([("HMGET", keys.post(id.decode()), *fields) for id in ids])
    for id, values in zip(ids, found, strict=True):
        post = records.POST_FIELDS.decode(values)
        assert post, id
        posts[id] = msgspec.json.encode(post), post.user_id.encode()
    await read_profiles({posts[id][1] for id in ids} - profiles.keys())


async def read_profiles(usernames: set[bytes]) -> None:
    fields = records.PROFILE_FIELDS.fields
    found = await pipeline([("HMGET", keys.user(username.decode()), *fields) for username in usernames])
    for username, values in zip(usernames, found, strict=True):
        profiles[username] = msgspec.json.encode(records.PROFILE_FIELDS.decode(values)).removesuffix(b"}")


async def read_comments(ids: Sequence[bytes]) -> None:
    fields = thread_records.COMMENT_FIELDS.fields
    found = await pipeline([("HMGET", thread_keys.comment(id.decode()), *fields) for id in ids])
    for id, values in zip(ids, found, strict=True):
        record = thread_records.COMMENT_FIELDS.decode(values)
        assert record, id
        comments[id] = comment_fragments(record)
    await read_authors({comments[id].author_id for id in ids} - authors.keys())


def comment_fragments(record: Any) -> CommentFragments:
    """Of a comment without replies."""
    return CommentFragments(
        encoded_opening(record),
        record.author_id.encode(),
        b',"my_vote":',
        b',"blocked":false,"reply_count":0,"replies":[],"replies_next":null}',
    )


async def read_authors(ids: set[bytes]) -> None:
    fields = thread_records.AUTHOR_FIELDS.fields
    found = await pipeline([("HMGET", thread_keys.user(id.decode()), *fields) for id in ids])
    for id, values in zip(ids, found, strict=True):
        author: Author | None = thread_records.AUTHOR_FIELDS.decode(values)
        authors[id] = msgspec.json.encode(author)


# Pages


async def feed_page(skeleton: Callable[[], Awaitable[FeedSkeleton]]) -> bytes:
    ids, liked, bookmarked, next = await skeleton()
    if missing := [id for id in ids if id not in posts]:
        await read_posts(missing)
    parts = []
    for id in ids:
        post, author = posts[id]
        parts.append(
            b'{"post":%b,"isLiked":%b,"isBookmarked":%b,"author":%b}}'
            % (post, FALSE_TRUE[id in liked], FALSE_TRUE[id in bookmarked], profiles[author])
        )
    return b'{"items":[%b],"next":%b}' % (b",".join(parts), msgspec.json.encode(next))


async def profile_page(username: str) -> bytes:
    follows, mutes = await profile_skeleton(username)
    if username.encode() not in profiles:
        await read_profiles({username.encode()})
    return b'%b,"isFollowing":%b,"isMuted":%b}' % (
        profiles[username.encode()],
        FALSE_TRUE[follows],
        FALSE_TRUE[mutes],
    )


async def thread_page() -> bytes:
    ids, votes, next, total = await thread_skeleton()
    if missing := [id for id in ids if id not in comments]:
        await read_comments(missing)
    parts = []
    for id, vote in zip(ids, votes, strict=True):
        before_author, author_id, before_vote, after_vote = comments[id]
        my_vote = b'"%b"' % vote if vote else b"null"
        parts.append(b"".join((before_author, authors[author_id], before_vote, my_vote, after_vote)))
    return (
        b'{"page_id":"%b","comments":[%b],"next":%b,"total":%d,"sort":"new","pinned":[],"closed":false}'
        % (
            PAGE.encode(),
            b",".join(parts),
            msgspec.json.encode(next),
            total,
        )
    )


PAGES: dict[str, Callable[[], Awaitable[bytes]]] = {
    "/social/feed/explore": lambda: feed_page(explore_skeleton),
    "/social/feed/following": lambda: feed_page(following_skeleton),
    f"/social/feed/hashtag/{TAG}/ranked": lambda: feed_page(ranked_skeleton),
    "/threads/v1/comments": thread_page,
}
USERS = "/social/users/"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    global nodes
    if scope["type"] != "http":
        return
    if nodes is None:
        nodes = await connect(os.environ["BENCH_REDIS"])
    path: str = scope["path"]
    if path in PAGES:
        await answer(send, await PAGES[path]())
    elif path.startswith(USERS):
        await answer(send, await profile_page(path.removeprefix(USERS)))
    else:
        await answer(send, b"{}")  # whether it is ready

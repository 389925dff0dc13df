"""The Redis work of the social endpoints, and nothing else: no checks, no headers, no models."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.clock import SystemClock
from townsquare.keyspace import Layout, mint_id
from townsquare.services.social import keys
from townsquare.services.social.records import POST_FIELDS, PROFILE_FIELDS
from townsquare.services.social.scripts import CreatePost, LikeOrBookmarkPost, RankTag, ReadHomeFeed
from townsquare.store.commands import Command, render
from townsquare.store.scripts.assembly import Program, assemble
from townsquare.store.scripts.folder import BY_STRUCT
from townsquare.store.scripts.invocation import Invocation
from townsquare.store.scripts.script import Script
from townsquare.store.wire.connection import ReplyError
from townsquare.store.wire.nodes import Nodes, connect

LAYOUT = Layout("prod")
CLOCK = SystemClock()
PROGRAMS: dict[type, Program] = {
    struct: assemble(BY_STRUCT[struct], LAYOUT)
    for struct in (LikeOrBookmarkPost, CreatePost, ReadHomeFeed, RankTag)
}
AUTHORS: dict[str, str] = {}
nodes: Nodes | None = None


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    global nodes
    if scope["type"] != "http":
        return
    if nodes is None:
        nodes = await connect(os.environ["BENCH_REDIS"])
    if scope["path"] == "/":
        await answer(send, b"{}")
        return
    who = dict(scope["headers"])[b"authorization"].removeprefix(b"Bearer ").decode()
    *_, kind, last = scope["path"].split("/")
    work = POSTED.get(last) if scope["method"] == "POST" else READ.get(last)
    body = await receive() if scope["method"] == "POST" else {}
    found = await (work or show_profile)(nodes, who, kind if last == "like" else last, body.get("body", b""))
    await answer(send, msgspec.json.encode(found))


async def run(nodes: Nodes, call: Script[Any]) -> Any:
    script = BY_STRUCT[type(call)]
    invocation = Invocation(script, script.values_of(call, CLOCK), PROGRAMS[type(call)], LAYOUT)
    try:
        return await nodes.execute(None, *invocation.by_digest())
    except ReplyError:
        return await nodes.execute(None, *invocation.by_source())


async def like(nodes: Nodes, who: str, id: str, body: bytes) -> Any:
    changed, count = await run(nodes, LikeOrBookmarkPost(id=id, username=who, kind="like"))
    return {"changed": changed, "count": count}


async def post(nodes: Nodes, who: str, last: str, body: bytes) -> Any:
    content = msgspec.json.decode(body)["content"]
    id = mint_id(keys.user_bucket(who))
    await run(
        nodes,
        CreatePost(
            username=who, id=id, content=content, media_url=None, hashtags=["one", "two"], now=CLOCK.now_ms()
        ),
    )
    return {"id": id, "content": content}


async def explore(nodes: Nodes, who: str, last: str, body: bytes) -> Any:
    ids = await nodes.execute(None, "ZREVRANGE", LAYOUT.name(keys.explore_feed()), 0, 19)
    return await hydrate(nodes, who, [id.decode() for id in ids])


async def ranked(nodes: Nodes, who: str, last: str, body: bytes) -> Any:
    page = RankTag(tag="one", viewer=None, scored=None, after=None, position=-1, count=20)
    _, ids, _, _ = await run(nodes, page)
    return await hydrate(nodes, who, ids.decode().split())


async def home(nodes: Nodes, who: str, last: str, body: bytes) -> Any:
    shown = await run(
        nodes,
        ReadHomeFeed(username=who, before=None, before_id=None, count=20),
    )
    if not shown[0]:
        raise LookupError(f"the feed of {who} is not there: an empty page would be no measure")
    *_, ids, _, _ = shown
    return await hydrate(nodes, who, ids.decode().split())


async def hydrate(nodes: Nodes, who: str, ids: list[str]) -> Any:
    if not ids:
        return {"items": []}
    known = list(dict.fromkeys(AUTHORS[id] for id in ids if id in AUTHORS))
    commands: list[Command] = [("HMGET", keys.post(id), *POST_FIELDS.fields) for id in ids]
    commands += [("ZMSCORE", key(who), *ids) for key in (keys.liked, keys.bookmarked)]
    commands += [("HMGET", keys.user(author), *PROFILE_FIELDS.fields) for author in known]
    if known:
        commands += [("ZMSCORE", key(who), *known) for key in (keys.blocking, keys.blocked_by, keys.muting)]
    replies: list[Any] = await nodes.execute_many([render(LAYOUT, command) for command in commands])
    posts = replies[: len(ids)]
    people = dict(zip(known, replies[len(ids) + 2 :], strict=False))
    for id, values in zip(ids, posts, strict=True):
        AUTHORS[id] = values[1].decode()
    return {
        "items": [
            {"post": text(values), "author": text(people.get(AUTHORS[id], [])), "isLiked": False}
            for id, values in zip(ids, posts, strict=True)
        ]
    }


async def show_profile(nodes: Nodes, who: str, username: str, body: bytes) -> Any:
    commands: list[Command] = [
        ("HMGET", keys.user(username), *PROFILE_FIELDS.fields),
        ("SISMEMBER", keys.following(who), username),
    ]
    commands += [("ZSCORE", key(who), username) for key in (keys.blocking, keys.blocked_by, keys.muting)]
    replies = await nodes.execute_many([render(LAYOUT, command) for command in commands])
    return text(replies[0])


def text(values: Any) -> list[Any]:
    return [value and value.decode() for value in values]


Work = Callable[[Nodes, str, str, bytes], Awaitable[Any]]
POSTED: dict[str, Work] = {"like": like, "posts": post}
READ: dict[str, Work] = {"explore": explore, "following": home, "ranked": ranked}

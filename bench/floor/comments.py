"""Comments with nothing of ours around them: GET reads a page of a thread, POST /post and /vote write.

The same scripts that the service runs, without sign-in, rules, limits and Markdown.
"""

import itertools
import os
from typing import Any, cast

import msgspec

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.clock import SystemClock, iso
from townsquare.keyspace import AnyKey, Layout, carried_bucket, mint_id
from townsquare.services.threads import keys
from townsquare.services.threads.page_urls import page_id_of
from townsquare.services.threads.records import AUTHOR_FIELDS, COMMENT_FIELDS
from townsquare.services.threads.scripts import CreateComment, VoteComment
from townsquare.services.threads.spam import fingerprint
from townsquare.store.scripts.assembly import Program, assemble
from townsquare.store.scripts.folder import BY_STRUCT
from townsquare.store.scripts.invocation import Invocation
from townsquare.store.scripts.script import Script
from townsquare.store.wire.nodes import Nodes, connect

SITE, TARGET = os.environ["BENCH_SITE"], os.environ["BENCH_COMMENT"]
DOMAIN, LIMIT = os.environ["BENCH_DOMAIN"], 100
USERS = os.environ["BENCH_USERS"].split(",")
LAYOUT = Layout("prod")
CLOCK = SystemClock()
PROGRAMS: dict[type, Program] = {
    one: assemble(BY_STRUCT[one], LAYOUT) for one in (CreateComment, VoteComment)
}
users = itertools.cycle(USERS)
loaded: set[type] = set()
nodes: Nodes | None = None


def named(key: AnyKey) -> str:
    return LAYOUT.name(key)


def page_of(path: str) -> str:
    return page_id_of(SITE, f"https://{DOMAIN}{path}")


async def run(call: Script[Any]) -> Any:
    assert nodes is not None
    script = BY_STRUCT[type(call)]
    called = Invocation(script, script.values_of(call, CLOCK), PROGRAMS[type(call)], LAYOUT)
    known = type(call) in loaded
    loaded.add(type(call))
    return await nodes.execute(None, *(called.by_digest() if known else called.by_source()))


async def read(path: str) -> bytes:
    assert nodes is not None
    page = keys.page_new(page_of(path))
    ids = [id.decode() for id in await nodes.execute(None, "ZREVRANGE", named(page), 0, LIMIT - 1)]
    found = await nodes.execute_many(
        [(None, ["HMGET", named(keys.comment(id)), *COMMENT_FIELDS.fields]) for id in ids]
    )
    comments = [COMMENT_FIELDS.decode(cast(Any, values)) for values in found]
    authors = sorted({one.author_id for one in comments if one and one.author_id})
    known = await nodes.execute_many(
        [(None, ["HMGET", named(keys.user(id)), *AUTHOR_FIELDS.fields]) for id in authors]
    )
    people = {id: AUTHOR_FIELDS.decode(cast(Any, values)) for id, values in zip(authors, known, strict=True)}
    return msgspec.json.encode([(one, people.get(one.author_id or "")) for one in comments if one])


async def write(body: bytes) -> bytes:
    text = msgspec.json.decode(body)["content"]
    page_id, now = page_of("/floor"), CLOCK.now_ms()
    call = CreateComment(
        page_id=page_id,
        comment_id=mint_id(carried_bucket(page_id)),
        site_id=SITE,
        page_url=f"https://{DOMAIN}/floor",
        page_key=f"https://{DOMAIN}/floor",
        title=None,
        redirected=False,
        post_id=None,
        author_id=next(users),
        parent_id=None,
        content=text,
        content_html=f"<p>{text}</p>",
        fingerprint=fingerprint(text),
        status="approved",
        shadow=False,
        shadowed=False,
        sees_hidden=False,
        reasons=None,
        mentions=None,
        max_depth=100,
        close_before=0,
        created_at=iso(now),
        now=now,
    )
    _, depth, status = await run(call)
    return msgspec.json.encode({"id": call.comment_id, "depth": depth, "status": status.decode()})


async def vote() -> bytes:
    now = CLOCK.now_ms()
    counts = await run(
        VoteComment(
            comment_id=TARGET,
            user_id=next(users),
            site_id=SITE,
            direction="up",
            notify_author=False,
            at=iso(now),
        )
    )
    return msgspec.json.encode({"upvotes": counts[0], "downvotes": counts[1]})


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    global nodes
    if scope["type"] != "http":
        return
    if nodes is None:
        nodes = await connect(os.environ["BENCH_REDIS"])
    if scope["method"] == "GET":
        await answer(send, await read(scope["path"]))
        return
    body = (await receive()).get("body", b"")
    await answer(send, await write(body) if scope["path"] == "/post" else await vote())

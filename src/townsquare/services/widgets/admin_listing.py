"""Lists of widgets and of invalid records, for operators."""

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha1
from typing import Any, NamedTuple

import msgspec

from townsquare.keyspace import Key, Role
from townsquare.kit.paging import Cursor, cut, page_down
from townsquare.problems import Invalid
from townsquare.services.widgets.ids import checked_url
from townsquare.services.widgets.keys import KINDS, digest_of
from townsquare.services.widgets.models import WidgetRecord
from townsquare.services.widgets.scripts import DiscardRecord
from townsquare.store.store import Store
from townsquare.store.wire.connection import ReplyError

STEP = 200
SHOWN = {  # fields of each kind: its figure, and when it was last used
    "counter": ("total_count", "last_visit"),
    "like": ("total_likes", "last_like"),
    "ranking": ("total_entries", "last_submit"),
    "bbs": ("total_messages", "last_message"),
}


FIGURES = {"counter": "Visits", "like": "Likes", "ranking": "Entries", "bbs": "Messages"}


class WidgetSummary(NamedTuple):
    kind: str
    id: str
    url: str
    created: str
    figure: int  # visits, likes, entries or messages
    last: str | None


class InvalidRecord(NamedTuple):
    kind: str
    id: str
    why: str
    seen: bytes


async def sizes(store: Store) -> dict[str, int]:
    """The number of widgets of each kind."""
    counts = await store.pipeline([("ZCARD", keys.index()) for keys in KINDS.values()])
    return dict(zip(KINDS, counts, strict=True))


class WidgetOverview(NamedTuple):
    sizes: dict[str, int]  # by kind
    items: list[WidgetSummary]
    next: str | None


async def overview(
    store: Store, kind: str, url: str = "", cursor: str | None = None, limit: int = 50
) -> WidgetOverview:
    """The number of widgets, and those of a kind: the one of a URL, or the newest; in two round trips."""
    keys = KINDS[kind]
    ids: list[str]
    if url:
        counts, id = await asyncio.gather(sizes(store), store.get(keys.url(checked_url(url))))
        ids, following = [id] if id else [], None
    else:
        counts, listed = await asyncio.gather(
            sizes(store), page_down(store, keys.index(), Cursor.decode(cursor), limit + 1)
        )
        found, following = cut(listed, limit)
        ids = [one.member for one in found]
    records = await store.get_many([keys.record(id) for id in ids])
    return WidgetOverview(counts, [summary(record) for record in records if record is not None], following)


async def newest(store: Store, kind: str, limit: int) -> list[WidgetSummary]:
    """The newest widgets of a kind, at most `limit`."""
    keys, place = KINDS[kind], 0
    found: list[WidgetSummary] = []
    while len(found) < limit:
        ids = await store.call("ZREVRANGE", keys.index(), place, place + STEP - 1)
        if not ids:
            break
        place += len(ids)
        records = await store.get_many([keys.record(id.decode()) for id in ids])
        found += [summary(record) for record in records if record is not None]
    return found[:limit]


def summary(record: Any) -> WidgetSummary:
    figure, last = (getattr(record, field) for field in SHOWN[record.service])
    return WidgetSummary(record.service, record.id, record.url, record.created, figure, last)


async def invalid_records(store: Store) -> AsyncIterator[InvalidRecord]:
    """Invalid records, found by a scan of all keys."""
    kinds = {keys.record.full_name: keys.kind for keys in KINDS.values()}
    layout = store.role_stores[Role.DATA].layout
    async for names in store.scan(Role.DATA):
        parsed = (store.registry.parse(name, layout) for name in names)
        records = [key for key in parsed if key is not None and key.declared.full_name in kinds]
        replies = await store.try_pipeline([("GET", key) for key in records])
        for key, reply in zip(records, replies, strict=True):
            kind = kinds[key.declared.full_name]
            why = fault_of(key, kind, reply)
            if why:
                seen = reply if isinstance(reply, bytes) else b""
                yield InvalidRecord(kind, key.params["id"], why, seen)


def fault_of(key: Key[WidgetRecord], kind: str, reply: Any) -> str:
    """The reason why a record is invalid, '' if it is valid."""
    if isinstance(reply, ReplyError):
        return "is not a string"
    decode = key.declared.kind.decode
    if reply is None or decode is None:
        return ""
    try:
        record = decode(reply)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return str(error)
    id = key.params["id"]
    if record.service != kind:
        return f"says that it is a {record.service!r}"
    if record.id != id:
        return f"says that it is {record.id!r}"
    try:
        checked_url(record.url)
    except Invalid:
        return "has no URL"
    return "" if digest_of(record.url).startswith(id.rpartition("-")[2]) else "has the URL of another id"


async def discard(store: Store, record: InvalidRecord) -> bool:
    """Delete an invalid record, unless it has changed meanwhile."""
    seen = sha1(record.seen, usedforsecurity=False).hexdigest()
    return await store.run(DiscardRecord(kind=record.kind, id=record.id, seen=seen))

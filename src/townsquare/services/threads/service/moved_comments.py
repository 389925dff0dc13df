"""Pointers from merged pages and their comments to the pages and ids that remain."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from townsquare.keyspace import AnyKey
from townsquare.services.threads import keys
from townsquare.services.threads.problems import CommentNotFound, PageMerging
from townsquare.store.scripts import Script
from townsquare.store.store import Store

MOVES_MET = 6  # merges during one operation

R = TypeVar("R")


async def moved_page(store: Store, page_id: str) -> str | None:
    """The page that a merged page leads to; None if it was not merged."""
    return (await moved_ids(store, keys.page_moved, [page_id])).get(page_id)


async def moved_comment(store: Store, comment_id: str) -> str | None:
    """The new id of a comment; None if it has not changed."""
    if not keys.COMMENT_ID.matches(comment_id):
        return None
    return (await moved_ids(store, keys.comment_moved, [comment_id])).get(comment_id)


async def moved_parent(store: Store, parent_id: str, page_id: str) -> str:
    """The new id of a parent that is not on this page under its old id."""
    moved = await moved_comment(store, parent_id)
    if moved is not None:
        return moved
    of_page = await store.call("HGET", keys.comment(parent_id), "page_id")
    if of_page and await moved_page(store, of_page.decode()) == page_id:
        raise PageMerging()  # it will be moved to this page
    raise CommentNotFound()


async def moved_ids(store: Store, pointer: Callable[[str], AnyKey], ids: Sequence[str]) -> dict[str, str]:
    """The ids that have changed, with their final ids after all merges."""
    passed = {id: [id] for id in ids}
    ahead = list(passed)
    while ahead:
        found = await store.pipeline([("GET", pointer(passed[id][-1])) for id in ahead])
        led = {id: to.decode() for id, to in zip(ahead, found, strict=True) if to}
        ahead = [id for id, to in led.items() if to not in passed[id]]  # stop at a cycle
        for id in ahead:
            passed[id].append(led[id])
    return {id: way[-1] for id, way in passed.items() if len(way) > 1}


async def run_on_comment(store: Store, script: Script[R]) -> R:
    """Run a script on a comment, also if its id has changed."""
    for _ in range(MOVES_MET):
        try:
            return await store.run(script)
        except CommentNotFound:
            moved = await moved_comment(store, script.comment_id)  # type: ignore[attr-defined]
            if moved is None:
                raise
            script = replace(script, comment_id=moved)
    raise PageMerging()

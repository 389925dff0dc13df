"""Where comments and pages have gone: those of a merged page have another id, and the old one leads there."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from townsquare.keyspace import AnyKey
from townsquare.services.threads import keys
from townsquare.services.threads.problems import CommentNotFound, PageMerging
from townsquare.store.scripts import Script
from townsquare.store.store import Store

MOVES_MET = 6  # that may happen to a page or a comment while one operation is tried

R = TypeVar("R")


async def moved_page(store: Store, page_id: str) -> str | None:
    """The page that the address of another one leads to, None: it is that page itself."""
    return (await moved_ids(store, keys.page_moved, [page_id])).get(page_id)


async def moved_comment(store: Store, comment_id: str) -> str | None:
    """The id that a comment has now, if it has another one."""
    if not keys.COMMENT_ID.matches(comment_id):
        return None
    return (await moved_ids(store, keys.comment_moved, [comment_id])).get(comment_id)


async def moved_parent(store: Store, parent_id: str, page_id: str) -> str:
    """The id that a comment has now which is not on this page by the one it had."""
    moved = await moved_comment(store, parent_id)
    if moved is not None:
        return moved
    of_page = await store.call("HGET", keys.comment(parent_id), "page_id")
    if of_page and await moved_page(store, of_page.decode()) == page_id:
        raise PageMerging()  # it comes here, but has not yet
    raise CommentNotFound()


async def moved_ids(store: Store, pointer: Callable[[str], AnyKey], ids: Sequence[str]) -> dict[str, str]:
    """Of these the ones that lead elsewhere, and where to in the end, after however many merges."""
    passed = {id: [id] for id in ids}
    ahead = list(passed)
    while ahead:
        found = await store.pipeline([("GET", pointer(passed[id][-1])) for id in ahead])
        led = {id: to.decode() for id, to in zip(ahead, found, strict=True) if to}
        ahead = [id for id, to in led.items() if to not in passed[id]]  # never round in a circle
        for id in ahead:
            passed[id].append(led[id])
    return {id: way[-1] for id, way in passed.items() if len(way) > 1}


async def run_on_comment(store: Store, script: Script[R]) -> R:
    """Run a script on a comment, or on what it has become since."""
    for _ in range(MOVES_MET):
        try:
            return await store.run(script)
        except CommentNotFound:
            moved = await moved_comment(store, script.comment_id)  # type: ignore[attr-defined]
            if moved is None:
                raise
            script = replace(script, comment_id=moved)
    raise PageMerging()

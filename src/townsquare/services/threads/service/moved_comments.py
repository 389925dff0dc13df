"""Where comments and pages have gone: those of a merged page have another id, and the old one leads there."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from townsquare.keyspace import AnyKey
from townsquare.services.threads import keys
from townsquare.services.threads.problems import CommentNotFound
from townsquare.store.scripts import Script
from townsquare.store.store import Store

MERGES_FOLLOWED = 10  # of one page after another

R = TypeVar("R")


async def moved_page(store: Store, page_id: str) -> str | None:
    """The page that the address of another one leads to, None: it is that page itself."""
    return (await moved_ids(store, keys.page_moved, [page_id])).get(page_id)


async def moved_comment(store: Store, comment_id: str) -> str | None:
    """The id that a comment has now, if it has another one."""
    if not keys.COMMENT_ID.matches(comment_id):
        return None
    return (await moved_ids(store, keys.comment_moved, [comment_id])).get(comment_id)


async def moved_ids(store: Store, pointer: Callable[[str], AnyKey], ids: Sequence[str]) -> dict[str, str]:
    """Of these the ones that lead elsewhere, and where to."""
    reached = dict.fromkeys(ids, "")
    ahead = {id: id for id in ids}
    for _ in range(MERGES_FOLLOWED):
        found = await store.pipeline([("GET", pointer(at)) for at in ahead.values()]) if ahead else []
        ahead = {id: to.decode() for id, to in zip(ahead, found, strict=True) if to}
        reached.update(ahead)
    return {id: to for id, to in reached.items() if to}


async def run_on_comment(store: Store, script: Script[R]) -> R:
    """Run a script on a comment, or on what it has become since."""
    try:
        return await store.run(script)
    except CommentNotFound:
        moved = await moved_comment(store, script.comment_id)  # type: ignore[attr-defined]
        if moved is None:
            raise
        return await store.run(replace(script, comment_id=moved))

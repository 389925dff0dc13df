"""Updates the copies of a changed profile in the posts of its user: a job in chunks.

The profile stores the progress and a mark of the running step. A change of the profile removes the mark: the
step that read the old values does not count, and the job starts again from the first post.
"""

import secrets
from typing import Any

from townsquare.keyspace import AnyDeclared
from townsquare.kit.paging import Cursor, page_down
from townsquare.services.social.keys import REFRESH_POSTS_JOB, banned_posts, user_posts
from townsquare.services.social.scripts import BeginRefreshStep, EndRefreshStep, RefreshPost
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

CHUNK = 500
LISTS: dict[str, AnyDeclared] = {"posts": user_posts, "banned": banned_posts}


class PostRefresh:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        jobs.register(REFRESH_POSTS_JOB, self._step)

    async def _step(self, args: dict[str, Any]) -> int:
        username, job, mark = args["username"], args["job"], secrets.token_hex(8)
        taken = await self._store.run(BeginRefreshStep(username=username, job=job, mark=mark))
        if taken.role is None:
            await self._advance(username, job, mark, "", finished=True)
            return 0
        await self._store.effects.applied_from(user_posts(username))  # older copies must not come after ours
        listed, place = reached(taken.reached)
        found = await page_down(self._store, LISTS[listed](username), place, CHUNK)
        await self._store.run_many(
            [
                RefreshPost(
                    id=found_place.member,
                    display_name=taken.display_name,
                    avatar=taken.avatar,
                    role=taken.role,
                )
                for found_place in found
            ]
        )
        if len(found) == CHUNK:
            onward = f"{listed}:{found[-1].score:.0f}:{found[-1].member}"
        else:
            onward = "banned:" if listed == "posts" else ""
        await self._advance(username, job, mark, onward, finished=not onward)
        return len(found)

    async def _advance(self, username: str, job: str, mark: str, onward: str, *, finished: bool) -> None:
        await self._store.run(
            EndRefreshStep(username=username, job=job, mark=mark, reached=onward, finished=finished)
        )


def reached(text: str) -> tuple[str, Cursor | None]:
    """Which list, and how far down in it."""
    listed, _, place = text.partition(":")
    score, _, id = place.partition(":")
    return listed or "posts", Cursor(int(score), id) if id else None

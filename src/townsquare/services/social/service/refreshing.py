"""What posts copy from a profile, brought to all of them after it has changed: a job in chunks.

Its progress stands in the profile. A change of the profile while it runs begins it again, so that no post
keeps what was read before.
"""

from typing import Any

from townsquare.keyspace import AnyKey
from townsquare.services.social.cursors import Place
from townsquare.services.social.keys import banned_posts, user, user_posts
from townsquare.services.social.paging import page_down
from townsquare.services.social.scripts.users import AdvanceRefresh, RefreshPost
from townsquare.store.jobs import Jobs
from townsquare.store.store import Store

CHUNK = 500
LISTS = {"posts": user_posts, "banned": banned_posts}
FIELDS = ("refreshed_to", "display_name", "avatar", "role")


class Refreshing:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        jobs.register("social.refresh_posts", self._step)

    async def _step(self, args: dict[str, Any]) -> int:
        username, job = args["username"], args["job"]
        values = await self._store.call("HMGET", user(username), *FIELDS)
        before, display_name, avatar, role = (None if one is None else one.decode() for one in values)
        if role is None:
            await self._advance(username, job, "", "", finished=True)
            return 0
        listed, place = reached(before or "")
        found = await page_down(self._store, self._list(listed, username), place, CHUNK)
        await self._store.run_many(
            [
                RefreshPost(id=found_place.id, display_name=display_name, avatar=avatar, role=role)
                for found_place in found
            ]
        )
        if len(found) == CHUNK:
            onward = f"{listed}:{found[-1].score}:{found[-1].id}"
        else:
            onward = "banned:" if listed == "posts" else ""
        await self._advance(username, job, before or "", onward, finished=not onward)
        return len(found)

    def _list(self, listed: str, username: str) -> AnyKey:
        return LISTS[listed](username)

    async def _advance(self, username: str, job: str, before: str, onward: str, *, finished: bool) -> None:
        await self._store.run(
            AdvanceRefresh(username=username, job=job, before=before, reached=onward, finished=finished)
        )


def reached(text: str) -> tuple[str, Place | None]:
    """Which list, and how far down in it."""
    listed, _, place = text.partition(":")
    score, _, id = place.partition(":")
    return listed or "posts", Place(int(score), id) if id else None

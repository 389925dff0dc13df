"""The job that applies a ban to the comments of a user on a site. It resumes after a crash.

It goes from the oldest comment to the newest, so that it also reaches comments that are written meanwhile. If
a moderator changes the ban while it runs, it starts over.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Any

from townsquare.keyspace import carried_bucket, mint_id
from townsquare.kit.paging import Cursor, page_up
from townsquare.services.threads import keys
from townsquare.services.threads.problems import CommentNotFound
from townsquare.services.threads.scripts import BanStep, BeginBanStep, EndBanStep, EraseComment, SetShadow
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

SHARE = 100
PATIENCE = 2.0  # seconds that a moderator waits for the job


class BanJob:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(keys.APPLY_BAN_JOB, self._step, rests=True)

    def new_id(self, site_id: str) -> str:
        return mint_id(carried_bucket(site_id))

    async def wait(self, job: str) -> bool:
        """Whether the job ends within these seconds."""
        return await self._jobs.run_within(job, PATIENCE) == "done"

    async def _step(self, args: dict[str, Any]) -> int:
        site_id, user_id, job = args["site_id"], args["user_id"], args["job"]
        mark = secrets.token_hex(8)
        begun = await self._store.run(BeginBanStep(site_id=site_id, user_id=user_id, job=job, mark=mark))
        found: list[Cursor] = []
        if begun.found:
            reached = Cursor.decode(begun.reached)
            found = await page_up(self._store, keys.user_comments(user_id), reached, SHARE)
            await self._apply(site_id, user_id, begun, [one.member for one in found])
        onward = found[-1].encode() if len(found) == SHARE else None
        await self._store.run(
            EndBanStep(site_id=site_id, user_id=user_id, job=job, mark=mark, reached=onward)
        )
        return max(len(found), 1)

    async def _apply(self, site_id: str, user_id: str, ban: BanStep, ids: list[str]) -> None:
        if not ids:
            return
        sites = await self._store.pipeline([("HGET", keys.comment(id), "site_id") for id in ids])
        here = [id for id, site in zip(ids, sites, strict=True) if site == site_id.encode()]
        if ban.remove:
            await asyncio.gather(*map(self._erase, here))
            return
        everywhere = await self._store.call("HGET", keys.user(user_id), "shadow_banned")
        shadow = ban.shadowed or everywhere == b"true"
        await asyncio.gather(
            *(self._store.run(SetShadow(comment_id=id, site_id=site_id, shadow=shadow)) for id in here)
        )

    async def _erase(self, id: str) -> None:
        with suppress(CommentNotFound):  # its author has deleted it
            await self._store.run(EraseComment(comment_id=id, user_id=None, entry=None))

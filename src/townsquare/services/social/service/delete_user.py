"""Deleting a user: hidden from everybody at once, removed from everywhere by a job in small chunks.

A chunk is one script of about a millisecond, so that others hardly notice it. What it undoes is removed from
the user's own lists in the same script, so a job that was interrupted goes on with what is left.
"""

import asyncio
from typing import Any

from townsquare.keyspace import carried_bucket, mint_id
from townsquare.services.social.keys import banned_posts, user, user_bucket, user_posts
from townsquare.services.social.keys.common import DELETE_USER_JOB
from townsquare.services.social.problems import PostNotFound, ProfileNotFound
from townsquare.services.social.scripts.delete_user import BeginDeleteUser, DeleteUserChunk
from townsquare.services.social.scripts.posts import DeletePost
from townsquare.services.social.service.job_pauses import with_pauses
from townsquare.services.social.usernames import valid_username
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

CHUNK = 20  # likes, follows, … that one script takes back
POSTS_AT_ONCE = 5
MARKS_AT_ONCE = 50  # likes, bookmarks and reports of a post that one script forgets


class UserDeletion:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(DELETE_USER_JOB, with_pauses(self._step))

    async def begin(self, username: str) -> str:
        """Hide the user from everybody and start the job that removes the rest; its id."""
        job = mint_id(user_bucket(valid_username(username)))
        return await self._store.run(
            BeginDeleteUser(username=username, job=job, now=self._store.clock.now_ms())
        )

    async def delete(self, username: str) -> None:
        """Delete the user and return when nothing of it is left."""
        await self._jobs.run(await self.begin(username))

    async def delete_chunk(self, username: str) -> int:
        """One chunk of a deletion; 0 when there is no such user any more."""
        try:
            job = await self.begin(username)
        except ProfileNotFound:
            return 0
        return await self._step({"username": username, "job": job})

    async def _step(self, args: dict[str, Any]) -> int:
        username, job = args["username"], args["job"]
        ids = await self._some_posts(username)
        if ids:
            await asyncio.gather(*(self._delete_post(username, id) for id in ids))
            return len(ids)
        now = self._store.clock.now_ms()
        return await self._store.run(DeleteUserChunk(username=username, job=job, chunk=CHUNK, now=now))

    async def _some_posts(self, username: str) -> list[str]:
        deleting, *lists = await self._store.pipeline(
            [
                ("HGET", user(username), "deleting"),
                ("ZRANGE", user_posts(username), 0, POSTS_AT_ONCE - 1),
                ("ZRANGE", banned_posts(username), 0, POSTS_AT_ONCE - 1),
            ]
        )
        return [id.decode() for listed in lists for id in listed] if deleting else []

    async def _delete_post(self, username: str, id: str) -> None:
        """All of it. A post that somebody has begun to delete is finished."""
        job = mint_id(carried_bucket(id))
        try:
            while await self._delete_marks(id, job):
                job = ""  # to go on with what was begun
        except PostNotFound:
            await self._store.pipeline(
                [("ZREM", user_posts(username), id), ("ZREM", banned_posts(username), id)]
            )

    async def _delete_marks(self, id: str, job: str) -> bool:
        """Whether there are more."""
        now = self._store.clock.now_ms()
        try:
            deleted = await self._store.run(
                DeletePost(id=id, username=None, chunk=MARKS_AT_ONCE, job=job, now=now)
            )
        except PostNotFound:
            if not job:
                raise
            return True
        return bool(deleted.job)

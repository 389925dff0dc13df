"""Renaming a user: a job, because the name is part of every key and of many sets.

1. Reserve the new name, then close the old one for writes.
2. Move what the user did: likes, bookmarks, reports, follows, blocks, mutes.
3. Open the profile under the new name.
4. Move the posts, then what others did with the user.
5. Replace the old name by a redirect, which lasts 30 days.

Each chunk is removed from the old lists in the script that moves it, so a job that was interrupted goes on
with what is left.
"""

import asyncio
from typing import Any, NamedTuple

from townsquare.keyspace import mint_id
from townsquare.services.social import keys, scripts
from townsquare.services.social.fields import BOOKKEEPING
from townsquare.services.social.problems import NotYourself, ProfileNotFound, UserBeingRenamed
from townsquare.services.social.records import whole_user
from townsquare.services.social.usernames import new_username, valid_username
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

CHUNK = 20  # likes, follows, … that one script moves
POSTS_AT_ONCE = 5
NOT_CARRIED = BOOKKEEPING | {"username", "role", "created_at", "postCount", "followerCount", "followingCount"}


class NameState(NamedTuple):
    """The state of the profile under a name."""

    renaming: bool  # to this name or from it
    deleting: bool
    account: str | None  # that owns the profile, if one is recorded
    job: str | None  # that renames or deletes it
    arriving: bool  # renamed to this name


class UserRename:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(keys.RENAME_USER_JOB, self._step, rests=True)

    async def current_name(self, username: str) -> str | None:
        """The current name of a user who was renamed less than 30 days ago."""
        return await self._store.get(keys.renamed(valid_username(username)))

    async def end_redirect(self, username: str) -> None:
        """End the redirect of a former name, so that it can be taken again."""
        current = await self.current_name(username)
        if current:
            await self._store.call("DEL", keys.renamed(username))
            await self._store.call("ZREM", keys.former_names(current), username)

    async def name_state(self, username: str) -> NameState | None:
        """The state of the profile that has this name or gets it; None without one."""
        here, deleting, moving_to, arriving, account = await self._store.call(
            "HMGET", keys.user(username), "username", "deleting", "moving_to", "arriving", "owner_account"
        )
        if here is None:
            return None
        job = arriving or deleting
        return NameState(
            renaming=moving_to is not None or arriving is not None,
            deleting=deleting is not None,
            account=None if account is None else account.decode(),
            job=None if job is None else job.decode(),
            arriving=arriving is not None,
        )

    async def begin(self, old: str, new: str, account: str | None = None) -> str:
        """Reserve the new name, close the old one and start the job that moves everything; its id.

        `account` is whose profile it is.
        """
        new_username(new)
        if valid_username(old) == new:
            raise NotYourself("This is the name already")
        running, moving_to = await self._store.call("HMGET", keys.user(old), "deleting", "moving_to")
        if moving_to == new.encode():
            return str(running.decode())
        job = mint_id(keys.user_bucket(new))
        await self._store.run(scripts.ReserveName(username=new, old=old, account=account, job=job))
        await self._close(old, new, job)
        return job

    async def _close(self, old: str, new: str, job: str) -> None:
        try:
            await self._store.run(scripts.BeginRename(username=old, new=new, job=job))
        except (ProfileNotFound, UserBeingRenamed):
            await self._store.run(scripts.CancelRename(username=new, job=job))
            raise

    async def _step(self, args: dict[str, Any]) -> int:
        """The next chunk. The two user records store the progress."""
        old, new, job = args["old"], args["new"], args["job"]
        (before, closed), (waiting, coming), *lists = await self._store.pipeline(
            [
                ("HMGET", keys.user(old), "username", "deleting"),
                ("HMGET", keys.user(new), "deleting", "arriving"),
                ("ZRANGE", keys.user_posts(old), 0, POSTS_AT_ONCE - 1),
                ("ZRANGE", keys.banned_posts(old), 0, POSTS_AT_ONCE - 1),
            ]
        )
        left = before is None or (closed != job.encode() and not waiting)  # or another user has the name now
        if coming != job.encode() or left:
            return await self._finish(old, new, job, activated=waiting is None)
        if closed != job.encode():
            try:
                await self._close(old, new, job)
            except (ProfileNotFound, UserBeingRenamed):
                return 0
            return 1
        if waiting:
            return await self._rename_chunk(old, new, job, own=True) or await self._activate(old, new, job)
        ids = [id.decode() for listed in lists for id in listed]
        if ids:
            return await self._change_authors(old, new, ids)
        moved = await self._rename_chunk(old, new, job, own=False)
        if not moved and await self._store.effects.all_applied():  # a member added later would be lost
            await self._store.run(scripts.RedirectOldName(username=old, new=new, job=job))
        return moved or 1

    async def _rename_chunk(self, old: str, new: str, job: str, *, own: bool) -> int:
        return await self._store.run(
            scripts.RenameUserChunk(username=old, new=new, job=job, own=own, chunk=CHUNK)
        )

    async def _change_authors(self, old: str, new: str, ids: list[str]) -> int:
        await asyncio.gather(
            *(self._store.run(scripts.ChangePostAuthor(id=id, username=old, new=new)) for id in ids)
        )
        return len(ids)

    async def _activate(self, old: str, new: str, job: str) -> int:
        if not await self._store.effects.all_applied():
            return 1  # what others are on their way to write for the old name is refused, not left behind
        record = await whole_user(self._store, old)
        carried = [word for name in record if name not in NOT_CARRIED for word in (name, record[name])]
        await self._store.run(
            scripts.ActivateRenamedUser(
                username=new,
                job=job,
                role=record["role"],
                created_at=int(record["created_at"]),
                fields=carried,
                rank=keys.name_rank(new),
            )
        )
        return 1

    async def _finish(self, old: str, new: str, job: str, *, activated: bool) -> int:
        """The last step; or the rename is cancelled, because the user was gone before it began."""
        if not activated:
            await self._store.run(scripts.CancelRename(username=new, job=job))
            return 0
        redirected = await self.current_name(old) == new
        refresh = mint_id(keys.user_bucket(new))
        await self._store.run(
            scripts.FinishRename(username=new, old=old, redirected=redirected, job=job, refresh=refresh)
        )
        return 1

"""Profiles: public fields for everybody, private ones for their owner."""

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from townsquare.keyspace import mint_id
from townsquare.services.social import fields, records
from townsquare.services.social.keys import name_rank, user, user_bucket
from townsquare.services.social.models import Options, Profile, Role, SeenProfile
from townsquare.services.social.problems import ProfileNotFound
from townsquare.services.social.scripts import ChangeProfile, RegisterUser, ViewProfile
from townsquare.services.social.usernames import new_username, valid_username
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

P = TypeVar("P", bound=Profile)

REFRESHED_AT_ONCE = 500  # copies in more posts are updated after the response


class Profiles:
    def __init__(self, store: Store, jobs: Jobs, options: Options) -> None:
        self._store = store
        self._jobs = jobs
        self._options = options

    async def register(
        self,
        username: str,
        *,
        role: Role = "user",
        created_at: int | None = None,
        given: Mapping[str, Any] | None = None,
        account: str | None = None,
    ) -> Profile:
        """Create a profile with the fields `given`, for the account `account`."""
        new_username(username)
        kept, _ = fields.stored(given or {}, sensitive=self._options.sensitive_fields)
        kept += ["owner_account", account] if account else []
        now = self._store.clock.now_ms() if created_at is None else created_at
        await self._store.run(
            RegisterUser(
                username=username,
                role=role,
                fields=kept,
                rank=name_rank(username),
                now=now,
            )
        )
        return await self.get(username)

    async def get(self, username: str) -> Profile:
        """The public fields."""
        valid_username(username)
        return existing(await self._store.read_one(records.PROFILE, username))

    async def see(self, username: str, viewer: str | None, *, as_moderator: bool = False) -> SeenProfile:
        """A profile as the viewer sees it. A block between them hides it, except from moderators."""
        valid_username(username)
        if viewer == username:
            return await self.own(username)
        if viewer is None:
            return existing(await self._store.read_one(records.SEEN_PROFILE, username))
        seen = await self._store.run(ViewProfile(viewer=viewer, username=username))
        if seen.blocks and not as_moderator:
            raise ProfileNotFound()
        profile = existing(await self._store.read_one(records.SEEN_PROFILE, username))
        if seen.follows or seen.mutes:
            return replace(profile, is_following=seen.follows, is_muted=seen.mutes)
        return profile

    async def own(self, username: str) -> SeenProfile:
        """All fields that the owner sees."""
        record = await records.whole_user(self._store, valid_username(username))
        values = [record[name].encode() if name in record else None for name in records.PROFILE_FIELDS.fields]
        private = {name: value for name, value in record.items() if fields.is_private(name)}
        return replace(existing(records.seen_profile_of(values)), private=private)

    def check(self, changes: Mapping[str, Any]) -> None:
        """Raise what `write` would raise for these fields."""
        fields.stored(changes, sensitive=self._options.sensitive_fields)

    async def write(
        self,
        username: str,
        changes: Mapping[str, Any],
        *,
        role: Role | None = None,
        account: str | None = None,
    ) -> SeenProfile:
        """Set fields of the profile; None removes a field. `users.change` also changes the account.

        A job updates the copies in posts."""
        kept, removed = fields.stored(changes, sensitive=self._options.sensitive_fields)
        kept += ["owner_account", account] if account else []
        changed = await self._store.run(
            ChangeProfile(
                username=valid_username(username),
                set=kept,
                removed=removed,
                role=role,
                job=mint_id(user_bucket(username)),
            )
        )
        if changed.job and changed.posts <= REFRESHED_AT_ONCE:
            await self._jobs.run(changed.job)
        return await self.own(username)

    async def begin_deletion(self, username: str) -> str:
        """Hide the user and start the job that deletes the data: its id."""
        return await self._jobs.deletion.begin(user(valid_username(username)))


def existing(found: P | None) -> P:
    if found is None:
        raise ProfileNotFound()
    return found

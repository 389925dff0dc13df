"""Profiles follow accounts: an account with a username has a profile under it, unless its user has left.

Accounts own usernames, display names, roles and pictures. If a profile has no account, its name is refused to
a new account, unless the operator or a trusted issuer vouches for that account.
"""

import contextlib
from typing import Any

from townsquare.clock import from_iso
from townsquare.services.accounts.problems import taken
from townsquare.services.events import RequestedName, UpdateRefused, UserSnapshot
from townsquare.services.social import fields, problems
from townsquare.services.social.keys import user
from townsquare.services.social.scripts import SetNoticesOff
from townsquare.services.social.service.profile_accounts import ProfileAccounts
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.rename_user import NameState, UserRename
from townsquare.services.social.usernames import new_username
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

SHARE_SECONDS = 2.0  # of a rename or a deletion, in one step
COPIED_FIELDS = ("display_name", "avatar", "links")
NAME = ("display_name",)  # earlier versions stored it in the profile only
COUNTERS = ("postCount", "followerCount", "followingCount")


class AccountProfile:
    """Applies changes of an account to its profile."""

    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        profiles: Profiles,
        renames: UserRename,
        accounts: ProfileAccounts | None,
    ) -> None:
        self._store = store
        self._jobs = jobs
        self._profiles = profiles
        self._renames = renames
        self._accounts = accounts

    async def check_name(self, wanted: RequestedName) -> None:
        """Refuse a name that another profile has, and a change of a name that is being renamed."""
        if wanted.before:
            left = await self._renames.name_state(wanted.before)
            if left and left.renaming:
                raise problems.UserBeingRenamed()
        if wanted.after:
            found = await self._renames.name_state(new_username(wanted.after))
            if found is None or (found.account and found.account == wanted.user_id):
                return
            if wanted.before or not wanted.vouched or found.account or found.renaming or found.deleting:
                raise taken("username")

    async def apply(self, before: UserSnapshot | None, after: UserSnapshot | None) -> int:
        """Update the profile from one state of its account to another; about how much is left to do."""
        old, new = before and before.username, after and after.username
        if before and old and old != new:
            left = await (self._rename(old, after) if after and new else self._delete(old, before.id))
            if left:
                return left
        if after is None or after.username is None:
            return 0
        left = await self._bring_in_line(after.username, before, after)
        if not left and (after.notices_off or (before and before.notices_off)):
            off = " ".join(after.notices_off) or None
            await self._store.run(SetNoticesOff(username=after.username, account=after.id, off=off))
        return left

    async def _rename(self, old: str, after: UserSnapshot) -> int:
        new = str(after.username)
        here, there = await self._renames.name_state(old), await self._renames.name_state(new)
        if here and here.account not in (None, after.id):
            here = None  # somebody else's by now
        for state in filter(None, (there, here)):
            if state.renaming:
                return await self._share_of(state) or 1
        if there and there.deleting:
            return await self._share_of(there) or 1
        if here is None or here.deleting:
            return 0
        if there and there.account == after.id:
            return await self._merge(old, new) if here.account == after.id else 0
        if there:
            raise UpdateRefused(f"The profile {new} belongs to another account")
        await self._renames.end_redirect(new)
        with contextlib.suppress(problems.ProfileNotFound):  # it has just gone: look again
            await self._renames.begin(old, new, after.id)
        return 1

    async def _merge(self, old: str, new: str) -> int:
        """An account has two profiles: delete the new one if it is empty."""
        counts = await self._store.call("HMGET", user(new), *COUNTERS)
        if any(int(count or 0) for count in counts):
            raise UpdateRefused(f"The account has two profiles, {old} and {new}: delete one")
        with contextlib.suppress(problems.ProfileNotFound):
            await self._profiles.begin_deletion(new)
        return 1

    async def _delete(self, username: str, id: str) -> int:
        """Start the deletion; its own job does the rest."""
        found = await self._renames.name_state(username)
        if found is None or found.account not in (None, id):
            return 0
        if found.renaming:
            return await self._share_of(found) or 1
        if not found.deleting:
            with contextlib.suppress(problems.ProfileNotFound):
                await self._profiles.begin_deletion(username)
        return 0

    async def _bring_in_line(self, username: str, before: UserSnapshot | None, after: UserSnapshot) -> int:
        found = await self._renames.name_state(username)
        if found is None:
            return await self._create(username, after)
        if found.account not in (None, after.id):
            raise UpdateRefused(f"The profile {username} is of another account")
        if found.renaming or found.deleting:
            return await self._share_of(found) or 1
        role, *values = await self._store.call("HMGET", user(username), "role", *COPIED_FIELDS)
        kept = {name: value.decode() for name, value in zip(COPIED_FIELDS, values, strict=True) if value}
        wanted = copied(after)
        adopted = COPIED_FIELDS if found.account is None else NAME
        wanted |= await self._adopt(after.id, before, after, {k: v for k, v in kept.items() if k in adopted})
        if found.account and role.decode() == after.role and kept == written(wanted):
            return 0
        changes = {name: wanted.get(name) for name in COPIED_FIELDS}
        try:
            await self._profiles.write(username, changes, role=after.role, account=after.id)
        except problems.ProfileNotFound:
            return 1
        return 0

    async def _create(self, username: str, after: UserSnapshot) -> int:
        """Create the profile. An account can take a name that only redirects."""
        await self._renames.end_redirect(username)
        try:
            await self._profiles.register(
                username,
                role=after.role,
                created_at=from_iso(after.created_at),
                given=copied(after),
                account=after.id,
            )
        except problems.UsernameTaken:
            return 1
        return 0

    async def _adopt(
        self, id: str, before: UserSnapshot | None, after: UserSnapshot, kept: dict[str, str]
    ) -> dict[str, Any]:
        """Copy fields that the account lacks from the profile that it adopts."""
        missing = {
            name: fields.read(name, text)
            for name, text in kept.items()
            if not getattr(after, name) and not (before and getattr(before, name))
        }
        if missing and self._accounts:
            await self._accounts.change(id, missing)
        return missing

    async def _share_of(self, state: NameState) -> int:
        """Run a part of the job that renames or deletes a profile; 0 if it is finished."""
        outcome = await self._jobs.run_within(str(state.job), SHARE_SECONDS)
        if outcome == "failed":
            raise problems.UserBeingRenamed(f"Job {state.job} does not get on")
        return 0 if outcome == "done" else 1


def copied(account: UserSnapshot) -> dict[str, Any]:
    """The fields of the account that are valid in a profile."""
    given = {name: value for name in COPIED_FIELDS if (value := getattr(account, name))}
    return {name: value for name, value in given.items() if fits(name, value)}


def fits(name: str, value: Any) -> bool:
    try:
        fields.stored({name: value}, sensitive=False)
    except problems.BadProfileField:
        return False
    return True


def written(given: dict[str, Any]) -> dict[str, str]:
    words, _ = fields.stored(given, sensitive=False)
    return dict(zip(words[::2], words[1::2], strict=True))

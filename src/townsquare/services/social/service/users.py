"""Users: a profile together with its account.

Names, role, picture and links belong to the account. They are changed there, and the profile follows.
"""

import contextlib
from collections.abc import Mapping
from typing import Any

from townsquare.problems import Forbidden
from townsquare.services.social.models import Role, SeenProfile
from townsquare.services.social.problems import NotYourself, UserBeingRenamed, UsernameTaken
from townsquare.services.social.service.account_profile import COPIED_FIELDS
from townsquare.services.social.service.profile_accounts import ProfileAccounts
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.rename_user import UserRename
from townsquare.services.social.usernames import new_username
from townsquare.store.coordination.jobs import Jobs


class SocialUsers:
    def __init__(
        self, profiles: Profiles, renames: UserRename, jobs: Jobs, accounts: ProfileAccounts | None
    ) -> None:
        self._profiles = profiles
        self._renames = renames
        self._jobs = jobs
        self._accounts = accounts  # None: a library that brings its own accounts

    async def _account_of(self, username: str) -> str | None:
        return await self._accounts.of_profile(username) if self._accounts else None

    async def join(self, username: str, role: Role, *, account: str | None = None) -> SeenProfile:
        """Create the profile of an account, if there is none under its name.

        `account` is the id of the caller. Raises `UserBeingRenamed` if the account no longer has this name.
        """
        if self._accounts:
            owner = await self._accounts.of_name(username)
            if owner is None or account not in (None, owner):
                raise UserBeingRenamed()
            await self._accounts.join(owner)
        else:
            await self._renames.end_redirect(username)
            with contextlib.suppress(UsernameTaken):
                await self._profiles.register(username, role=role)
        return await self._profiles.own(username)

    async def edit(
        self,
        username: str,
        changes: Mapping[str, Any],
        *,
        by: str,
        role: Role | None = None,
        as_moderator: bool = False,
    ) -> SeenProfile:
        """Change the caller's own profile; a moderator can change any role."""
        if role is not None and not as_moderator:
            raise Forbidden("Only a moderator changes roles")
        if username != by and (changes or role is None):
            raise Forbidden("This is somebody else's profile")
        changed = await self.change(username, changes, role=role)
        return changed if username == by else await self._profiles.see(username, by, as_moderator=True)

    async def change(
        self, username: str, changes: Mapping[str, Any], *, role: Role | None = None
    ) -> SeenProfile:
        """Set fields; None removes them. Fields of the account are changed in the account."""
        belonging = {name: changes[name] for name in COPIED_FIELDS if name in changes}
        account = await self._account_of(username) if belonging or role else None
        if not self._accounts or not account:
            return await self._profiles.write(username, changes, role=role)
        self._profiles.check(belonging)
        own = {name: value for name, value in changes.items() if name not in belonging}
        await self._profiles.write(username, own)
        await self._accounts.change(account, belonging, role)
        return await self._profiles.own(username)

    async def change_account_links(self, username: str, links: list[str] | None) -> bool:
        """Change the links of the account of a profile, if it has one. The profile follows."""
        account = await self._account_of(username)
        if not self._accounts or not account:
            return False
        await self._accounts.change(account, {"links": links})
        return True

    async def begin_rename(self, old: str, new: str) -> str:
        """Start renaming a user: the id of the job, empty if it is finished."""
        account = await self._account_of(old)
        if not self._accounts or not account:
            adopting = await self._accounts.of_name(new_username(new)) if self._accounts else None
            return await self._renames.begin(old, new, adopting)
        if old == new_username(new):
            raise NotYourself("This is the name already")
        await self._accounts.change(account, {"username": new})
        return await self._accounts.open_job(account) or ""

    async def rename(self, old: str, new: str) -> None:
        """Rename a user and wait for the job."""
        job = await self.begin_rename(old, new)
        if job:
            await self._jobs.run(job)

    async def begin_delete(self, username: str) -> str:
        """Hide the user and start the job that deletes the data: its id, empty if it is finished."""
        account = await self._account_of(username)
        if not self._accounts or not account:
            return await self._profiles.begin_deletion(username)
        await self._accounts.leave(account)
        left = await self._renames.name_state(username)
        return (left and left.job) or await self._accounts.open_job(account) or ""

    async def delete(self, username: str) -> None:
        """Delete the user and wait for the job."""
        job = await self.begin_delete(username)
        if job:
            await self._jobs.run(job)

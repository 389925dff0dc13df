"""Names and roles of profiles: where there is an account, it decides, and the profile follows it."""

import contextlib
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from townsquare.problems import Forbidden
from townsquare.services.social.models import Role, SeenProfile
from townsquare.services.social.problems import UsernameTaken
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.rename_user import UserRename
from townsquare.store.coordination.jobs import Jobs


@runtime_checkable
class AccountLink(Protocol):
    """The accounts behind the profiles."""

    async def rename(self, old: str, new: str) -> bool:
        """Give the account of a profile another name, which the profile follows; whether there is one."""
        ...

    async def set_role(self, username: str, role: Role) -> bool:
        """Give the account of a profile a role, which the profile follows; whether there is one."""
        ...


class NamesAndRoles:
    def __init__(self, profiles: Profiles, renames: UserRename, jobs: Jobs) -> None:
        self._profiles = profiles
        self._renames = renames
        self._jobs = jobs
        self._accounts: AccountLink | None = None

    def link_accounts(self, accounts: AccountLink) -> None:
        """Without this there are only profiles: a library that brings its own accounts."""
        self._accounts = accounts

    async def join(self, username: str, role: Role) -> SeenProfile:
        """Make the profile of an account, if there is none under its name."""
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
        """Change one's own profile; a moderator may change anybody's role. What can fail comes first."""
        if role is not None and not as_moderator:
            raise Forbidden("Only a moderator changes roles")
        if username != by and (changes or role is None):
            raise Forbidden("This is somebody else's profile")
        if role is not None:
            if changes:
                await self._profiles.change(username, changes)
            changed = await self._set_role(username, role)
        else:
            changed = await self._profiles.change(username, changes)
        return changed if username == by else await self._profiles.see(username, by, as_moderator=True)

    async def _set_role(self, username: str, role: Role) -> SeenProfile:
        if self._accounts and await self._accounts.set_role(username, role):
            return await self._profiles.change(username, {})
        return await self._profiles.change(username, {}, role=role)

    async def begin_rename(self, old: str, new: str) -> str:
        """Give a user another name: the job that does it, empty if it is done already."""
        has_account = self._accounts is not None and await self._accounts.rename(old, new)
        try:
            return await self._renames.begin(old, new)  # the one that the account's change has begun
        except UsernameTaken:
            if has_account and await self._renames.current_name(old) == new:
                return ""
            raise

    async def rename(self, old: str, new: str) -> None:
        """Give a user another name and return when everything is under it."""
        job = await self.begin_rename(old, new)
        if job:
            await self._jobs.run(job)

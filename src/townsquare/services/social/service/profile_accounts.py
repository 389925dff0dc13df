"""The accounts of profiles: what this service reads and changes there."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from townsquare.services.accounts.models import User, UserProfile, UserRole
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.users import changes, normalise
from townsquare.services.social.keys.common import social as keyspace
from townsquare.services.social.models import Role
from townsquare.services.social.service.rename_user import UserRename
from townsquare.services.social.usernames import valid_username

SERVICE_NAME = keyspace.service


class ProfileAccounts:
    def __init__(self, renames: UserRename, accounts: Accounts) -> None:
        self._renames = renames
        self._users = accounts.users
        self._updates = accounts.updates
        self.open_job = accounts.updates.open_job

    async def of_profile(self, username: str) -> str | None:
        """The account of a profile, unless one of them is being deleted."""
        found = await self._renames.name_state(valid_username(username))
        if found is None or found.deleting:
            return None
        if found.account is None:
            return await self.of_name(username)
        try:
            return (await self._users.get(found.account)).id
        except UserNotFound:
            return None

    async def of_name(self, username: str) -> str | None:
        """The id of the account that has this name."""
        account = await self._users.find_by("username", username)
        return account.id if account else None

    async def change(self, id: str, fields: Mapping[str, Any], role: Role | None = None) -> None:
        """Change username, display name, avatar or links of an account. The profile follows."""
        given = normalise.profile(UserProfile(**fields))

        def edit(user: User) -> User:
            after = changes.with_profile(user, given)
            return after if role is None else replace(after, role=UserRole(role))

        await self._users.edit(id, edit)

    async def leave(self, id: str) -> None:
        await self._users.leave(id, SERVICE_NAME)

    async def join(self, id: str) -> None:
        account = await self._users.get(id)
        if SERVICE_NAME in account.left:
            await self._users.join(id, SERVICE_NAME)
            return
        found = await self._renames.name_state(str(account.username))
        if found is None or found.deleting:
            await self._updates.wait(await self._updates.reopen(id))

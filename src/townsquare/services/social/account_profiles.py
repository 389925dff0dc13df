"""The accounts of profiles, and the export of a profile."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from townsquare.services.accounts.models import User, UserProfile, UserRole
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.users import changes, normalise
from townsquare.services.social.keys.common import social as keyspace
from townsquare.services.social.models import Role
from townsquare.services.social.service import Social
from townsquare.services.social.usernames import valid_username

SERVICE_NAME = keyspace.service


async def export(social: Social, user: User) -> dict[str, Any]:
    """The data of an account's user in this service."""
    return await social.profile_export.export(user.username) if user.username else {}


class ProfileAccounts:
    """Changes accounts on behalf of the social service."""

    def __init__(self, social: Social, accounts: Accounts) -> None:
        self._social = social
        self._users = accounts.users
        self._updates = accounts.updates
        self.open_job = accounts.updates.open_job

    async def of_profile(self, username: str) -> str | None:
        """The account of a profile, unless one of them is being deleted."""
        found = await self._social.renames.name_state(valid_username(username))
        if found is None or found.deleting:
            return None
        if found.account is None:
            return await self.of_name(username)
        try:
            return (await self._users.get(found.account)).id
        except UserNotFound:
            return None

    async def of_name(self, username: str) -> str | None:
        account = await self._users.find_by("username", username)
        return account.id if account else None

    async def change(self, id: str, fields: Mapping[str, Any], role: Role | None = None) -> None:
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
        found = await self._social.renames.name_state(str(account.username))
        if found is None or found.deleting:
            await self._updates.wait(await self._updates.reopen(id))

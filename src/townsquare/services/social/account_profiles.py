"""Profiles follow accounts: an account with a username has a profile under it.

Accounts decide who has a name. A profile that is there before its account, or that lost it, is kept from
whoever asks for its name next: the name is refused, unless the operator or a trusted issuer vouches for it.
"""

import asyncio
import contextlib
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import structlog

from townsquare.clock import from_iso
from townsquare.resources import Resources
from townsquare.services.accounts.models import User, UserProfile, UserRole
from townsquare.services.accounts.problems import taken
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import NameWanted, UserCreated, UserEdited, UserSnapshot
from townsquare.services.social.models import Role
from townsquare.services.social.problems import (
    BadProfileField,
    ProfileNotFound,
    UserBeingRenamed,
    UsernameTaken,
)
from townsquare.services.social.service import Social
from townsquare.services.social.usernames import new_username, valid_username

COPIED_FIELDS = ("avatar", "links")

log = structlog.get_logger()


def follow_accounts(social: Social, square: Resources) -> None:
    """Let profiles follow accounts."""
    profiles = AccountProfiles(social)
    social.link_accounts(ProfileAccounts(social, square.service(Accounts)))
    square.events.on(NameWanted, profiles.check_name)
    square.events.on(UserCreated, profiles.on_created)
    square.events.on(UserEdited, profiles.on_edited)


async def export(social: Social, user: User) -> dict[str, Any]:
    """What there is here of the user of an account."""
    return await social.export_user(user.username) if user.username else {}


class AccountProfiles:
    """What a change of an account does to its profile."""

    def __init__(self, social: Social) -> None:
        self._social = social
        self._edits: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def check_name(self, wanted: NameWanted) -> None:
        """Object to a name that somebody else's profile has, and to giving up one that is being renamed."""
        if wanted.before:
            left = await self._social.name_state(wanted.before)
            if left and left.renaming:
                raise UserBeingRenamed()
        if wanted.after:
            found = await self._social.name_state(new_username(wanted.after))
            if found and (wanted.before or not wanted.vouched or found.renaming or found.deleting):
                raise taken("username")

    async def on_created(self, event: UserCreated) -> None:
        if event.user.username:
            await self._create(event.user.username, event.user)

    async def on_edited(self, event: UserEdited) -> None:
        lock = self._edits.setdefault(event.after.id, asyncio.Lock())
        async with lock:  # changes of one account, one after the other
            await self._follow(event.before, event.after)

    async def _follow(self, before: UserSnapshot, after: UserSnapshot) -> None:
        if not after.username:
            if before.username:
                await self._delete(before.username)
        elif not before.username:
            await self._create(after.username, after)
        elif before.username != after.username:
            await self.rename(before.username, after.username, after)
        else:
            await self._copy(after.username, before, after)

    async def _create(self, username: str, user: UserSnapshot) -> None:
        """Make the profile. A name that only leads to somebody's new one is free for a new account."""
        given = {name: value for name in COPIED_FIELDS if (value := getattr(user, name))}
        register = partial(
            self._social.register, username, role=user.role, created_at=from_iso(user.created_at)
        )
        await self._social.end_redirect(username)
        with contextlib.suppress(UsernameTaken):  # loaded before its account came, or made already
            try:
                await register(given=given)
            except BadProfileField:
                await register()

    async def rename(self, before: str, after: str, user: UserSnapshot) -> None:
        """A profile that cannot be renamed stays, and nobody gets its name; a moderator can rename it."""
        await self._social.end_redirect(after)
        await self._social.finish_rename(before)
        try:
            await self._social.begin_rename_profile(before, after)
        except ProfileNotFound:
            await self._create(after, user)
        except (UsernameTaken, UserBeingRenamed) as problem:
            log.error("profile not renamed", before=before, after=after, why=problem.code)

    async def _delete(self, username: str) -> None:
        await self._social.finish_rename(username)
        try:
            await self._social.begin_delete_user(username)
        except ProfileNotFound:
            pass
        except UserBeingRenamed as problem:
            log.error("profile not deleted", username=username, why=problem.code)

    async def _copy(self, username: str, before: UserSnapshot, after: UserSnapshot) -> None:
        changes: dict[str, Any] = {
            name: getattr(after, name) or None
            for name in COPIED_FIELDS
            if getattr(after, name) != getattr(before, name)
        }
        role: Role | None = None if after.role == before.role else after.role
        if changes or role:
            with contextlib.suppress(ProfileNotFound, BadProfileField):
                await self._social.change_profile(username, changes, role=role)


class ProfileAccounts:
    """The accounts behind the profiles, for those who change a name or a role from this side."""

    def __init__(self, social: Social, accounts: Accounts) -> None:
        self._social = social
        self._users = accounts.users

    async def rename(self, old: str, new: str) -> bool:
        account = await self._account(old)
        if account:
            await self._users.change(account.id, UserProfile(username=new))
        return account is not None

    async def set_role(self, username: str, role: Role) -> bool:
        account = await self._account(username)
        if account:
            await self._users.set_role(account.id, UserRole(role))
        return account is not None

    async def _account(self, username: str) -> User | None:
        """The account of a profile, if both are there to stay."""
        found = await self._social.name_state(valid_username(username))
        if found is None or found.deleting:
            return None
        return await self._users.find_by("username", username)

"""What having an account means here: a profile under the same name, which follows the account's changes.

    follow_accounts(social, square)

Accounts decide who has a name. A profile that is there before its account, or that lost it, is kept from
whoever asks for its name next: the name is refused, unless the operator or a trusted issuer vouches for it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextvars import ContextVar
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import structlog

from townsquare.clock import from_iso
from townsquare.keyspace import AnyKey
from townsquare.problems import Taken
from townsquare.resources import Resources
from townsquare.services.accounts.models import User, UserProfile, UserRole
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import NameWanted, UserCreated, UserEdited, UserSnapshot
from townsquare.services.social import keys, records
from townsquare.services.social.cursors import Place
from townsquare.services.social.fields import checked_username
from townsquare.services.social.models import Post, Role
from townsquare.services.social.paging import page_down
from townsquare.services.social.problems import (
    BadProfileField,
    ProfileNotFound,
    UserBeingRenamed,
    UsernameTaken,
)
from townsquare.services.social.service import Social
from townsquare.services.social.service.profiles import valid_username
from townsquare.store.store import Store

PAGE = 500
FOLLOWED_FIELDS = ("avatar", "links")

log = structlog.get_logger()
begun: ContextVar[str | None] = ContextVar("begun", default=None)  # the job of a hook, for whom it answers


def follow_accounts(social: Social, square: Resources) -> None:
    """Let profiles follow accounts."""
    profiles = social.account_profiles
    social.owners = Owners(social, square.service(Accounts))
    square.events.on(NameWanted, profiles.check_name)
    square.events.on(UserCreated, profiles.on_created)
    square.events.on(UserEdited, profiles.on_edited)


class AccountProfiles:
    def __init__(self, social: Social, store: Store) -> None:
        self._social = social
        self._store = store
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def check_name(self, wanted: NameWanted) -> None:
        """Object to a name under which there is somebody else's profile, and to leaving one on its way."""
        if wanted.before:
            left = await self._social.user_rename.name_state(wanted.before)
            if left and left.renaming:
                raise UserBeingRenamed()
        if wanted.after:
            found = await self._social.user_rename.name_state(checked_username(wanted.after))
            if found and (wanted.before or not wanted.vouched or found.renaming or found.deleting):
                raise Taken("username", field="username")

    async def on_created(self, event: UserCreated) -> None:
        if event.user.username:
            await self.create_profile(event.user.username, event.user)

    async def on_edited(self, event: UserEdited) -> None:
        turn = self._turns.setdefault(event.after.id, asyncio.Lock())
        async with turn:  # changes of one account, one after the other
            await self._apply(event.before, event.after)

    async def _apply(self, before: UserSnapshot, after: UserSnapshot) -> None:
        if not after.username:
            if before.username:
                await self.delete_profile(before.username)
        elif before.username and before.username != after.username:
            await self.rename_profile(before.username, after.username, after)
        elif not before.username:
            await self.create_profile(after.username, after)
        else:
            await self.copy_changes(after.username, before, after)

    async def create_profile(self, username: str, user: UserSnapshot) -> None:
        """Make the profile. A name that only leads to somebody's new one is free for a new account."""
        given = {name: value for name in FOLLOWED_FIELDS if (value := getattr(user, name))}
        register = partial(
            self._social.register, username, role=user.role, created_at=from_iso(user.created_at)
        )
        await self._social.user_rename.end_redirect(username)
        with contextlib.suppress(UsernameTaken):  # loaded before its owner came, or welcomed twice
            try:
                await register(given=given)
            except BadProfileField:
                await register()

    async def rename_profile(self, before: str, after: str, user: UserSnapshot) -> None:
        """A profile that cannot come along stays, and nobody gets its name; a moderator can rename it."""
        renaming = self._social.user_rename
        await renaming.end_redirect(after)
        await renaming.finish(before)
        try:
            begun.set(await renaming.begin(before, after))
        except ProfileNotFound:
            await self.create_profile(after, user)
        except (UsernameTaken, UserBeingRenamed) as problem:
            log.error("profile not renamed", before=before, after=after, why=problem.code)

    async def delete_profile(self, username: str) -> None:
        await self._social.user_rename.finish(username)
        try:
            await self._social.user_deletion.begin(username)
        except ProfileNotFound:
            pass
        except UserBeingRenamed as problem:
            log.error("profile not deleted", username=username, why=problem.code)

    async def copy_changes(self, username: str, before: UserSnapshot, after: UserSnapshot) -> None:
        changes: dict[str, Any] = {
            name: getattr(after, name) or None
            for name in FOLLOWED_FIELDS
            if getattr(after, name) != getattr(before, name)
        }
        role: Role | None = None if after.role == before.role else after.role
        if changes or role:
            with contextlib.suppress(ProfileNotFound, BadProfileField):
                await self._social.profiles.change(username, changes, role=role)

    async def forget(self, user: User) -> int:
        """One share of a deletion; 0 when nothing is left."""
        return await self._social.user_deletion.forget(user.username) if user.username else 0

    async def export(self, user: User) -> dict[str, Any]:
        """All that this service knows of a user."""
        username = user.username or ""
        try:
            profile = await self._social.profiles.own(username)
        except ProfileNotFound:
            return {}
        lists = {
            "liked": keys.liked,
            "bookmarked": keys.bookmarked,
            "reported": keys.reported,
            "following": keys.following_since,
            "followers": keys.followers_since,
            "blocking": keys.blocking,
            "muting": keys.muting,
        }
        written = (keys.user_posts(username), keys.banned_posts(username))
        return {
            "profile": profile,
            "posts": [post for listed in written async for post in self._posts(listed)],
            **{
                name: [place.id async for place in self._places(declared(username))]
                for name, declared in lists.items()
            },
        }

    async def _places(self, key: AnyKey) -> AsyncIterator[Place]:
        before: Place | None = None
        while found := await page_down(self._store, key, before, PAGE):
            for place in found:
                yield place
            before = found[-1]

    async def _posts(self, key: AnyKey) -> AsyncIterator[Post]:
        before: Place | None = None
        while found := await page_down(self._store, key, before, PAGE):
            for values in await self._store.pipeline([records.read_post(place.id) for place in found]):
                post = records.post_of(values)
                if post:
                    yield post
            before = found[-1]


class Owners:
    """The accounts behind the profiles, for those who change a name or a role from this side."""

    def __init__(self, social: Social, accounts: Accounts) -> None:
        self._social = social
        self._users = accounts.users

    async def rename(self, old: str, new: str) -> str | None:
        owner = await self._owner(old)
        if owner is None:
            return None
        begun.set(None)
        await self._users.change(owner.id, UserProfile(username=new))
        return begun.get()

    async def set_role(self, username: str, role: Role) -> bool:
        owner = await self._owner(username)
        if owner is None:
            return False
        await self._users.set_role(owner.id, UserRole(role))
        return True

    async def _owner(self, username: str) -> User | None:
        """The account of a profile, if both are there to stay."""
        found = await self._social.user_rename.name_state(valid_username(username))
        if found is None or found.deleting:
            return None
        return await self._users.find_by("username", username)

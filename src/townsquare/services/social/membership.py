"""What having an account means here: a profile under the same name, which follows the account's changes.

    introduce(social, accounts, events, store)

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
from townsquare.services.accounts.models import User, UserProfile, UserRole
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import Events, NameWanted, UserCreated, UserEdited
from townsquare.services.social import keys, reading
from townsquare.services.social.cursors import Place
from townsquare.services.social.fields import checked_username
from townsquare.services.social.models import Post, Role
from townsquare.services.social.paging import page_down
from townsquare.services.social.problems import BadProfileField, ProfileNotFound, UserMoving, UsernameTaken
from townsquare.services.social.service import Social
from townsquare.services.social.service.profiles import known
from townsquare.store.store import Store

PAGE = 500
FOLLOWED_FIELDS = ("avatar", "links")

log = structlog.get_logger()
begun: ContextVar[str | None] = ContextVar("begun", default=None)  # the job of a hook, for whom it answers


def introduce(social: Social, accounts: Accounts, events: Events, store: Store) -> None:
    """Let profiles follow accounts, be exported with them and go with them."""
    membership = Membership(social, store)
    social.owners = Owners(social, accounts)
    events.on(NameWanted, membership.consider)
    events.on(UserCreated, membership.created)
    events.on(UserEdited, membership.edited)
    accounts.privacy.register("social", export=membership.export, forget=membership.forget)


class Membership:
    def __init__(self, social: Social, store: Store) -> None:
        self._social = social
        self._store = store
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def consider(self, wanted: NameWanted) -> None:
        """Object to a name under which there is somebody else's profile, and to leaving one on its way."""
        if wanted.before:
            left = await self._social.moving.standing(wanted.before)
            if left and left.moving:
                raise UserMoving()
        if wanted.after:
            found = await self._social.moving.standing(checked_username(wanted.after))
            if found and (wanted.before or not wanted.vouched or found.moving or found.leaving):
                raise Taken("username", field="username")

    async def created(self, event: UserCreated) -> None:
        if event.user.username:
            await self.welcome(event.user.username, event.user)

    async def edited(self, event: UserEdited) -> None:
        turn = self._turns.setdefault(event.after.id, asyncio.Lock())
        async with turn:  # changes of one account, one after the other
            await self._follow(event.before, event.after)

    async def _follow(self, before: User, after: User) -> None:
        if not after.username:
            if before.username:
                await self.part(before.username)
        elif before.username and before.username != after.username:
            await self.rename(before.username, after.username, after)
        elif not before.username:
            await self.welcome(after.username, after)
        else:
            await self.take_over(after.username, before, after)

    async def welcome(self, username: str, user: User) -> None:
        """Make the profile. A name that only leads to somebody's new one is free for a new account."""
        given = {name: value for name in FOLLOWED_FIELDS if (value := getattr(user, name))}
        register = partial(
            self._social.register, username, role=user.role.value, created_at=from_iso(user.created_at)
        )
        await self._social.moving.end_redirect(username)
        with contextlib.suppress(UsernameTaken):  # loaded before its owner came, or welcomed twice
            try:
                await register(given=given)
            except BadProfileField:
                await register()

    async def rename(self, before: str, after: str, user: User) -> None:
        """A profile that cannot come along stays, and nobody gets its name; a moderator can rename it."""
        moving = self._social.moving
        await moving.end_redirect(after)
        await moving.finish(before)
        try:
            begun.set(await moving.begin(before, after))
        except ProfileNotFound:
            await self.welcome(after, user)
        except (UsernameTaken, UserMoving) as problem:
            log.error("profile not renamed", before=before, after=after, why=problem.code)

    async def part(self, username: str) -> None:
        await self._social.moving.finish(username)
        try:
            await self._social.leaving.begin(username)
        except ProfileNotFound:
            pass
        except UserMoving as problem:
            log.error("profile not deleted", username=username, why=problem.code)

    async def take_over(self, username: str, before: User, after: User) -> None:
        changes: dict[str, Any] = {
            name: getattr(after, name) or None
            for name in FOLLOWED_FIELDS
            if getattr(after, name) != getattr(before, name)
        }
        role: Role | None = None if after.role is before.role else after.role.value
        if changes or role:
            with contextlib.suppress(ProfileNotFound, BadProfileField):
                await self._social.profiles.change(username, changes, role=role)

    async def forget(self, user: User) -> int:
        """One share of a deletion; 0 when nothing is left."""
        return await self._social.leaving.forget(user.username) if user.username else 0

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
            for values in await self._store.pipeline([reading.read_post(place.id) for place in found]):
                post = reading.post_of(values)
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
        found = await self._social.moving.standing(known(username))
        if found is None or found.leaving:
            return None
        return await self._users.find_by("username", username)

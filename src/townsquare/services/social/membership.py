"""What having an account means here: a profile under the same name, which follows the account's changes.

    introduce(social, accounts, events)

Accounts decide who has a name. Hooks may be lost in a crash, so each of them can run again.
"""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import structlog

from townsquare.clock import from_iso
from townsquare.keyspace import AnyKey
from townsquare.services.accounts.models import User
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import Events, UserCreated, UserEdited
from townsquare.services.social import keys, reading
from townsquare.services.social.cursors import Place
from townsquare.services.social.models import Post, Role
from townsquare.services.social.paging import page_down
from townsquare.services.social.problems import BadProfileField, ProfileNotFound, UsernameTaken
from townsquare.services.social.service import Social
from townsquare.store.store import Store

PAGE = 500
FOLLOWED_FIELDS = ("avatar", "links")

log = structlog.get_logger()


def introduce(social: Social, accounts: Accounts, events: Events, store: Store) -> None:
    """Let profiles follow accounts, be exported with them and go with them."""
    membership = Membership(social, store)
    events.on(UserCreated, membership.created)
    events.on(UserEdited, membership.edited)
    accounts.privacy.register("social", export=membership.export, forget=membership.forget)


class Membership:
    def __init__(self, social: Social, store: Store) -> None:
        self._social = social
        self._store = store

    async def created(self, event: UserCreated) -> None:
        if event.user.username:
            await self.welcome(event.user.username, event.user)

    async def edited(self, event: UserEdited) -> None:
        before, after = event.before, event.after
        if not after.username:
            if before.username:
                await self.part(before.username)
        elif before.username and before.username != after.username:
            await self.rename(before.username, after.username, after)
        elif not before.username:
            await self.welcome(after.username, after)
        else:
            await self.follow(after.username, before, after)

    async def welcome(self, username: str, user: User) -> None:
        """Make the profile. A name that only leads to somebody's new one is free for a new account."""
        given = {name: value for name in FOLLOWED_FIELDS if (value := getattr(user, name))}
        register = partial(
            self._social.register, username, role=user.role.value, created_at=from_iso(user.created_at)
        )
        await self._end_redirect(username)
        with contextlib.suppress(UsernameTaken):  # loaded before its owner came, or welcomed twice
            try:
                await register(given=given)
            except BadProfileField:
                await register()

    async def _end_redirect(self, username: str) -> None:
        leads_to = await self._social.moving.leads_to(username)
        if leads_to:
            await self._store.call("DEL", keys.renamed(username))
            await self._store.call("ZREM", keys.former_names(leads_to), username)

    async def rename(self, before: str, after: str, user: User) -> None:
        """A profile whose name cannot come along is kept from whoever gets its old name next."""
        try:
            await self._social.moving.begin(before, after)
        except ProfileNotFound:
            await self.welcome(after, user)
        except UsernameTaken:
            log.warning("profile not renamed", before=before, after=after, why="the new name has a profile")
            await self.part(before)

    async def part(self, username: str) -> None:
        with contextlib.suppress(ProfileNotFound):
            await self._social.leaving.begin(username)

    async def follow(self, username: str, before: User, after: User) -> None:
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

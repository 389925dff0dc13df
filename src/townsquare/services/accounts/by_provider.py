"""Signing in through somebody who knows the person: Google, GitHub."""

import unicodedata
from typing import cast

from townsquare.api import Identity
from townsquare.problems import Taken
from townsquare.services.accounts import edits, normalise
from townsquare.services.accounts.entry import Entry, SignedIn
from townsquare.services.accounts.models import Facts, Profile, User
from townsquare.services.accounts.names import join
from townsquare.services.accounts.problems import BadProfile
from townsquare.services.accounts.providers import Person
from townsquare.services.accounts.refusals import LastWay, NotLinked
from townsquare.services.accounts.sessions import Device
from townsquare.services.accounts.users import Index, Users

ATTEMPTS = 3  # the same person may come through two tabs at once


class ByProvider:
    def __init__(self, users: Users, entry: Entry) -> None:
        self._users = users
        self._entry = entry

    async def enter(self, person: Person, device: Device, identity: Identity | None = None) -> SignedIn:
        """Sign in whom a provider has confirmed."""
        return await self._entry.admit(await self._account(person, identity), person.provider, device)

    async def link(self, id: str, person: Person) -> User:
        """Another way in for somebody who is in; raises Taken if it is somebody else's."""
        return await self._users.link(id, person.provider, person.id)

    async def unlink(self, id: str, provider: str) -> User:
        """One way in less, but never the last."""

        def edit(user: User) -> User:
            without = edits.unlinked(user, provider)
            if without != user and not has_a_way_in(without):
                raise LastWay()
            return without

        return await self._users.edit(id, edit)

    async def _account(self, person: Person, identity: Identity | None) -> User:
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._find_or_make(person, identity)
            except Taken:
                continue
        return await self._find_or_make(person, identity)

    async def _find_or_make(self, person: Person, identity: Identity | None) -> User:
        known = await self._users.find_by(cast(Index, person.provider), person.id)
        if known is not None:
            return known
        email = verified_email(person)
        holder = await self._users.find_by("email", email) if email else None
        if holder is not None:
            return await self._link_by_email(holder, person)
        facts = Facts(providers={person.provider: person.id}, email_verified=email is not None)
        return await join(self._users, profile_of(person, email), facts, identity)

    async def _link_by_email(self, holder: User, person: Person) -> User:
        """Both sides have verified the address, or the accounts stay apart."""

        def edit(user: User) -> User:
            if user.email != holder.email or not user.email_verified:
                raise NotLinked()
            if user.providers.get(person.provider, person.id) != person.id:
                raise NotLinked("The account with this address is linked to another account there")
            return edits.linked(user, person.provider, person.id)

        return await self._users.edit(holder.id, edit)


def verified_email(person: Person) -> str | None:
    if not person.email or not person.email_verified:
        return None
    try:
        return normalise.email(person.email)
    except BadProfile:
        return None


def profile_of(person: Person, email: str | None) -> Profile:
    """What the provider tells, as far as we can keep it."""
    visible = "".join(character for character in person.name if unicodedata.category(character)[0] != "C")
    try:
        avatar = normalise.url(person.avatar or "", "avatar")
    except BadProfile:
        avatar = None
    return Profile(email=email, first_name=visible.strip()[: normalise.LINE_LENGTH] or None, avatar=avatar)


def has_a_way_in(user: User) -> bool:
    named = user.username or user.email or user.phone
    return bool(user.providers or user.email or user.phone or (user.password_hash and named))

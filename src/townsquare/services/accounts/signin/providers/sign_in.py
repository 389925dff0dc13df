"""Sign-in through a provider: find, create or link the account of a confirmed person."""

import unicodedata
from collections.abc import Sequence
from typing import Generic, TypeVar

from townsquare.api import Identity
from townsquare.kit.urls import origin_of
from townsquare.problems import Invalid, Taken
from townsquare.services.accounts.models import Facts, User, UserProfile
from townsquare.services.accounts.problems import BadProfile, NotLinked, WayNotOffered
from townsquare.services.accounts.signin.models import Client, ProviderRedirect, SignedIn
from townsquare.services.accounts.signin.password import Confirm, nobody_asks
from townsquare.services.accounts.signin.providers.provider import ConfirmedPerson, Provider
from townsquare.services.accounts.signin.sessions import Sessions
from townsquare.services.accounts.users import Users, changes, normalise

P = TypeVar("P")  # the input that the provider returns

ATTEMPTS = 3  # concurrent requests of one person


class ProviderSignIn(Generic[P]):
    def __init__(self, provider: Provider[P], users: Users, sessions: Sessions, sites: Sequence[str]) -> None:
        self._provider = provider
        self._users = users
        self._sessions = sessions
        self._sites = sites

    @property
    def offered(self) -> bool:
        return self._provider.offered

    async def start(self, redirect_uri: str, server: str) -> ProviderRedirect:
        """The URL at the provider; the browser returns to this server or an allowed site."""
        if origin_of(redirect_uri) not in (origin_of(server), *self._sites):
            raise Invalid("redirect_uri must be on this server or on one of its cors_origins")
        self._check_offered()
        return await self._provider.start(redirect_uri)

    async def sign_in(self, proof: P, client: Client, identity: Identity | None = None) -> SignedIn:
        """Sign in a person whom the provider confirms."""
        person = await self._confirm(proof)
        user = await self._account(person, identity.user_id if identity else None)
        return await self._sessions.issue(user, person.provider, client)

    async def link(self, id: str, proof: P, confirm: Confirm = nobody_asks) -> User:
        """Link a provider to a signed-in account; raises Taken if it belongs to another account."""
        person = await self._confirm(proof)
        await confirm()
        return await self._users.link(id, person.provider, person.id)

    async def close(self) -> None:
        await self._provider.close()

    def _check_offered(self) -> None:
        if not self.offered:
            raise WayNotOffered()

    async def _confirm(self, proof: P) -> ConfirmedPerson:
        self._check_offered()
        return await self._provider.confirm(proof)

    async def _account(self, person: ConfirmedPerson, visitor: str | None) -> User:
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._find_or_register(person, visitor)
            except Taken:
                continue
        return await self._find_or_register(person, visitor)

    async def _find_or_register(self, person: ConfirmedPerson, visitor: str | None) -> User:
        known = await self._users.find_by(person.provider, person.id)
        if known is not None:
            return known
        email = verified_email(person)
        holder = await self._users.find_by("email", email) if email else None
        if holder is not None:
            return await self._link_by_email(holder, person)
        facts = Facts(providers={person.provider: person.id}, email_verified=email is not None)
        return await self._users.register(profile_of(person, email), facts, visitor=visitor)

    async def _link_by_email(self, holder: User, person: ConfirmedPerson) -> User:
        """Link by email if both sides have verified the address."""

        def edit(user: User) -> User:
            if user.email != holder.email or not user.email_verified:
                raise NotLinked()
            if user.providers.get(person.provider, person.id) != person.id:
                raise NotLinked("The account with this address is linked to another account there")
            return changes.with_provider(user, person.provider, person.id)

        return await self._users.edit(holder.id, edit)


def verified_email(person: ConfirmedPerson) -> str | None:
    if not person.email or not person.email_verified:
        return None
    try:
        return normalise.email(person.email)
    except BadProfile:
        return None


def profile_of(person: ConfirmedPerson, email: str | None) -> UserProfile:
    """The profile from the provider, without invalid values."""
    visible = "".join(character for character in person.name if unicodedata.category(character)[0] != "C")
    try:
        avatar = normalise.url(person.avatar or "", "avatar")
    except BadProfile:
        avatar = None
    return UserProfile(
        email=email, first_name=visible.strip()[: normalise.LINE_LENGTH] or None, avatar=avatar
    )

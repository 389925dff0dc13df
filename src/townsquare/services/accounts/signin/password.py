"""Sign-up and sign-in with a password."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.services.accounts.models import AccountStatus, Facts, User, UserProfile
from townsquare.services.accounts.problems import WrongCredentials
from townsquare.services.accounts.signin.code import CodeSignIn
from townsquare.services.accounts.signin.failures import log_failed_sign_in
from townsquare.services.accounts.signin.identifiers import find_user
from townsquare.services.accounts.signin.models import Client, SignedIn
from townsquare.services.accounts.signin.passwords import Passwords
from townsquare.services.accounts.signin.sessions import Sessions
from townsquare.services.accounts.users import Users, changes
from townsquare.store.store import Store

Confirm = Callable[[], Awaitable[None]]


async def nobody_asks() -> None:
    """No confirmation, for the library and the command line."""


@dataclass(eq=False)
class PasswordSignIn:
    _store: Store
    _users: Users
    _sessions: Sessions
    _codes: CodeSignIn
    _passwords: Passwords

    async def sign_up(
        self, profile: UserProfile, password: str, client: Client, identity: Identity | None = None
    ) -> SignedIn:
        """Create an account and sign in; a code is sent to confirm its address."""
        hashed = await self._passwords.hash(password, *own_names(profile))
        waits = bool(profile.email or profile.phone)
        status = AccountStatus.PENDING_VERIFICATION if waits else AccountStatus.ACTIVE
        facts = Facts(password_hash=hashed, account_status=status)
        user = await self._users.register(profile, facts, visitor=identity.user_id if identity else None)
        signed_in = await self._sessions.issue(user, "password", client)
        address = user.mail_address or user.phone
        if address:
            await self._codes.send_to_confirm(address, user, client, "sign_up")
        return signed_in

    async def sign_in(self, identifier: str, password: str, client: Client) -> SignedIn:
        """Sign in by email, phone or username. A wrong name and a wrong password have the same error."""
        user = await find_user(self._users, identifier)
        right = await self._passwords.matches(password, user.password_hash if user else None)
        if user is None or not right:
            log_failed_sign_in("password", user.id if user else None, client.ip)
            raise WrongCredentials()
        return await self._sessions.issue(user, "password", client)

    async def change(
        self, id: str, current: str, new: str, client: Client, confirm: Confirm = nobody_asks
    ) -> SignedIn:
        """Change the password: all sessions end, and the caller gets a new one.

        Hashing is slow, so `confirm` checks afterwards that the caller is still authorised.
        """
        user = await self._users.get(id)
        if user.password_hash and not await self._passwords.matches(current, user.password_hash):
            log_failed_sign_in("password", user.id, client.ip)
            raise WrongCredentials("The current password is not right")
        hashed = await self._passwords.hash(new, user.username, user.email)
        await confirm()
        now = iso(self._store.clock.now_ms())
        before = user.password_hash

        def edit(known: User) -> User:
            if known.password_hash != before:
                raise WrongCredentials("The password was changed meanwhile")
            return changes.with_password(known, hashed, now)

        return await self._sessions.issue(await self._users.edit(id, edit), "password", client)


def own_names(profile: UserProfile) -> list[str]:
    named = (profile.username, profile.email, profile.phone)
    return [name for name in named if isinstance(name, str)]

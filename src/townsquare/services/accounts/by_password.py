"""Signing up and signing in with a password."""

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.services.accounts import edits
from townsquare.services.accounts.by_code import ByCode
from townsquare.services.accounts.entry import Entry, SignedIn
from townsquare.services.accounts.models import AccountStatus, Facts, Profile, User
from townsquare.services.accounts.names import find_quietly, index_of, join
from townsquare.services.accounts.passwords import Passwords
from townsquare.services.accounts.refusals import WrongCredentials
from townsquare.services.accounts.sessions import Device
from townsquare.services.accounts.users import Users
from townsquare.store.store import Store


class ByPassword:
    def __init__(self, store: Store, users: Users, entry: Entry, codes: ByCode, passwords: Passwords) -> None:
        self._store = store
        self._users = users
        self._entry = entry
        self._codes = codes
        self._passwords = passwords

    async def sign_up(
        self, profile: Profile, password: str, device: Device, identity: Identity | None = None
    ) -> SignedIn:
        """A new account, signed in; an address that it gives is to be confirmed by a code."""
        hashed = await self._passwords.hash(password, *own_names(profile))
        waits = bool(profile.email or profile.phone)
        status = AccountStatus.PENDING_VERIFICATION if waits else AccountStatus.ACTIVE
        facts = Facts(password_hash=hashed, account_status=status)
        user = await join(self._users, profile, facts, identity)
        signed_in = await self._entry.admit(user, "password", device)
        if user.email:
            await self._codes.offer(user.email, device.ip, user.id)
        elif user.phone:
            await self._codes.offer(user.phone, device.ip, user.id)
        return signed_in

    async def sign_in(self, name: str, password: str, device: Device) -> SignedIn:
        """By email, phone or username. Wrong name and wrong password cannot be told apart."""
        user = await find_quietly(self._users, index_of(name), name)
        right = await self._passwords.matches(password, user.password_hash if user else None)
        if user is None or not right:
            raise WrongCredentials()
        return await self._entry.admit(user, "password", device)

    async def change(self, id: str, current: str, new: str, device: Device) -> SignedIn:
        """A new password: every session ends, and the caller gets a new one."""
        user = await self._users.get(id)
        if user.password_hash and not await self._passwords.matches(current, user.password_hash):
            raise WrongCredentials("The current password is not right")
        hashed = await self._passwords.hash(new, user.username, user.email)
        now = iso(self._store.clock.now_ms())
        before = user.password_hash

        def edit(known: User) -> User:
            if known.password_hash != before:
                raise WrongCredentials("The password was changed meanwhile")
            return edits.with_password(known, hashed, now)

        return await self._entry.admit(await self._users.edit(id, edit), "password", device)


def own_names(profile: Profile) -> list[str]:
    named = (profile.username, profile.email, profile.phone)
    return [name for name in named if isinstance(name, str)]

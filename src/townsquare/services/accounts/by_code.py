"""Signing in, confirming an address and getting a new password: each with a code that was sent there."""

from collections.abc import Callable

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.problems import Taken
from townsquare.services.accounts import edits, ownership, passwords
from townsquare.services.accounts.codes import Codes
from townsquare.services.accounts.delivery import Postbox
from townsquare.services.accounts.entry import Entry, SignedIn
from townsquare.services.accounts.messages import address_changed_message, code_message
from townsquare.services.accounts.models import Profile, User
from townsquare.services.accounts.names import Address, find_quietly, join
from townsquare.services.accounts.passwords import Passwords
from townsquare.services.accounts.problems import UserChanged
from townsquare.services.accounts.proofs import VerificationType
from townsquare.services.accounts.refusals import AccountClosed, NotDeliverable, TooManyCodes, WrongCode
from townsquare.services.accounts.sessions import Device
from townsquare.services.accounts.users import Users
from townsquare.store.store import Store

ATTEMPTS = 5  # at finding whose an address is, while others change that
RESET = VerificationType.PASSWORD_RESET


class ByCode:
    def __init__(
        self, store: Store, users: Users, entry: Entry, codes: Codes, passwords: Passwords, postbox: Postbox
    ) -> None:
        self._store = store
        self._users = users
        self._entry = entry
        self._codes = codes
        self._passwords = passwords
        self._postbox = postbox

    async def send(self, to: str, ip: str) -> None:
        """Send a code, to whoever has an account and to whoever will have one."""
        address = self._deliverable(to)
        await self._codes.take_turn(address.target, ip)
        user = await find_quietly(self._users, address.index, address.target)
        code = await self._codes.make(address.target, address.kind, user.id if user else None)
        self._postbox.post(code_message(address.target, address.kind, code))

    async def offer(self, to: str, ip: str, user_id: str) -> None:
        """Send a code to confirm an address of this user, unless that was done too often."""
        try:
            address = self._deliverable(to)
            await self._codes.take_turn(address.target, ip)
        except (NotDeliverable, TooManyCodes):
            return
        code = await self._codes.make(address.target, address.kind, user_id)
        self._postbox.post(code_message(address.target, address.kind, code))

    async def enter(self, to: str, code: str, device: Device, identity: Identity | None = None) -> SignedIn:
        """Sign in the owner of the address, and confirm it."""
        address = Address(to)
        await self._codes.use(address.target, address.kind, code)
        owner = await self._owner(address, identity)
        signed_in = await self._entry.admit(owner, "code", device)
        if identity is not None and identity.user_id == owner.id:
            await self._entry.leave(identity)
        return signed_in

    async def forgot(self, to: str, ip: str) -> None:
        """Send a code for a new password, if somebody has this address. The answer is the same if not."""
        address = self._deliverable(to)
        await self._codes.take_turn(address.target, ip)
        user = await find_quietly(self._users, address.index, address.target)
        if user and ownership.is_somebody_elses(user, address.kind):
            user = None
        code = await self._codes.make(address.target, RESET, user.id if user else None)
        if user:
            self._postbox.post(code_message(address.target, RESET, code))

    async def reset(self, to: str, code: str, password: str, device: Device) -> SignedIn:
        """Set a new password with a code. Everything that was signed in is not any more."""
        address = Address(to)
        passwords.check(password)
        user_id = await self._codes.use(address.target, RESET, code)
        user = await find_quietly(self._users, address.index, address.target)
        if user is None or user.id != user_id:
            raise WrongCode()
        if not user.account_status.may_sign_in:
            raise AccountClosed()
        hashed = await self._passwords.hash(password, user.username, user.email)
        now = iso(self._store.clock.now_ms())

        def edit(known: User) -> User:
            owned = ownership.taken_over(known, address.kind, now)
            return edits.with_password(owned, hashed, now)

        owner = await self._users.edit(user.id, still(address, edit))
        return await self._entry.admit(owner, "code", device)

    async def change_profile(self, id: str, profile: Profile, ip: str, version: int | None = None) -> User:
        """Change what users say about themselves; a new address gets a code, the old one is told."""
        before = await self._users.get(id)
        after = await self._users.change(id, profile, version=version)
        if after.email != before.email:
            if before.email and before.email_verified:
                self._postbox.post(address_changed_message(before.email))
            if after.email:
                await self.offer(after.email, ip, id)
        if after.phone and after.phone != before.phone:
            await self.offer(after.phone, ip, id)
        return after

    def _deliverable(self, to: str) -> Address:
        address = Address(to)
        if not self._postbox.delivers("email" if address.index == "email" else "sms"):
            raise NotDeliverable()
        return address

    async def _owner(self, address: Address, identity: Identity | None) -> User:
        """The account of who has proved to own this address, made if there is none."""
        for _ in range(ATTEMPTS):
            holder = await self._users.find_by(address.index, address.target)
            try:
                if holder is None:
                    return await join(self._users, address.profile(), address.facts(), identity)
                owner = await self._claim(holder, address, identity)
            except (Taken, UserChanged):
                continue
            if owner is not None:
                return owner
        raise UserChanged()

    async def _claim(self, holder: User, address: Address, identity: Identity | None) -> User | None:
        """The holder confirmed as owner; None if the holder had to give the address up."""
        if not holder.account_status.may_sign_in:
            raise AccountClosed()
        kind, now = address.kind, iso(self._store.clock.now_ms())
        if identity is not None and identity.user_id == holder.id:
            return await self._users.edit(
                holder.id, still(address, lambda user: ownership.verified(user, kind))
            )
        if ownership.is_somebody_elses(holder, kind):
            await self._users.edit(holder.id, still(address, lambda user: ownership.given_up(user, kind)))
            return None
        return await self._users.edit(
            holder.id, still(address, lambda user: ownership.taken_over(user, kind, now))
        )


def still(address: Address, edit: Callable[[User], User]) -> Callable[[User], User]:
    """The edit, for as long as the user has this address."""

    def checked(user: User) -> User:
        if address.of(user) != address.target:
            raise WrongCode()
        return edit(user)

    return checked

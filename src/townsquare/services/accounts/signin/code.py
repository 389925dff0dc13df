"""Sign-in, confirmation of an address and password reset with a code that is sent to the address."""

from collections.abc import Callable
from dataclasses import dataclass

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.problems import Taken
from townsquare.services.accounts import problems
from townsquare.services.accounts.ids import USER_ID
from townsquare.services.accounts.keys import CODE_SECONDS
from townsquare.services.accounts.mails import Mails
from townsquare.services.accounts.models import User, UserProfile
from townsquare.services.accounts.signin import passwords
from townsquare.services.accounts.signin.delivery import MessageQueue
from townsquare.services.accounts.signin.identifiers import ContactAddress, find_user
from townsquare.services.accounts.signin.models import Client, SignedIn, VerificationType
from townsquare.services.accounts.signin.passwords import Passwords
from townsquare.services.accounts.signin.sessions import Sessions
from townsquare.services.accounts.signin.verification_codes import VerificationCodes
from townsquare.services.accounts.users import Users, changes
from townsquare.store.store import Store

ATTEMPTS = 5  # to find the owner of an address during concurrent changes
RESET = VerificationType.PASSWORD_RESET


@dataclass(eq=False)
class CodeSignIn:
    _store: Store
    _users: Users
    _sessions: Sessions
    _codes: VerificationCodes
    _passwords: Passwords
    _messages: MessageQueue
    _mails: Mails

    async def send(self, to: str, client: Client) -> None:
        """Send a code to an address, with or without an account."""
        address = self._deliverable(to)
        user = await find_user(self._users, address.typed)
        await self._issue_and_send(address, user, client)

    async def is_known(self, to: str, code: str, client: Client) -> bool:
        """Whether the address of this code has an account; the code stays valid."""
        address = ContactAddress(to)
        await self._codes.use(address.target, address.kind, code, client.ip, keep=True)
        return await find_user(self._users, address.typed) is not None

    async def sign_in(self, to: str, code: str, client: Client, identity: Identity | None = None) -> SignedIn:
        """Sign in the owner of the address and confirm the address."""
        address = ContactAddress(to)
        await self._codes.use(address.target, address.kind, code, client.ip)
        owner = await self._confirm_pending(address, identity) or await self._owner(address, identity)
        signed_in = await self._sessions.issue(owner, "code", client)
        if identity is not None and identity.user_id == owner.id:
            await self._sessions.sign_out(identity)
        return signed_in

    async def send_password_reset(self, to: str, client: Client) -> None:
        """Send a code for a new password if the address has an account. The response is the same if not."""
        address = self._deliverable(to)
        user = await find_user(self._users, address.typed)
        if user and changes.is_somebody_elses(user, address.kind):
            user = None
        code = await self._codes.issue(address.target, RESET, user.id if user else None, client.ip)
        if user and code:
            self._post("password_reset", address.to(user), code)

    async def reset_password(self, to: str, code: str, password: str, client: Client) -> SignedIn:
        """Set a new password with a code. All sessions end."""
        address = ContactAddress(to)
        passwords.check(password)
        user_id = await self._codes.use(address.target, RESET, code, client.ip)
        user = await find_user(self._users, address.typed)
        if user is None or user.id != user_id:
            raise problems.WrongCode()
        if not user.account_status.may_sign_in:
            raise problems.AccountClosed()
        hashed = await self._passwords.hash(password, user.username, user.email)
        now = iso(self._store.clock.now_ms())

        def edit(known: User) -> User:
            owned = changes.taken_over(known, address.kind, now)
            return changes.with_password(changes.without_pending(owned), hashed, now)

        owner = await self._users.edit(user.id, while_held(address, edit))
        return await self._sessions.issue(owner, "code", client)

    async def change_profile(
        self, id: str, profile: UserProfile, client: Client, version: int | None = None
    ) -> User:
        """Change a profile. A new address gets a code, the old one a notification."""
        before = await self._users.get(id)
        after = await self._users.change(id, profile, version=version)
        if after.pending_email and after.pending_email != before.pending_email:
            self._notify(before, "address_change_wanted")
            await self.send_to_confirm(after.pending_email, after, client)
        elif after.email != before.email:
            self._notify(before, "address_changed")
            if after.mail_address:
                await self.send_to_confirm(after.mail_address, after, client)
        number = after.pending_phone or after.phone
        if number and number not in (before.pending_phone, before.phone):
            await self.send_to_confirm(number, after, client)
        return after

    async def send_to_confirm(self, to: str, user: User, client: Client, kind: str = "sign_in") -> None:
        """Send a code to confirm an address of this user, within the limits."""
        try:
            address = self._deliverable(to)
            code = await self._codes.issue(address.target, address.kind, user.id, client.ip)
        except (problems.NotDeliverable, problems.TooManyCodes):
            return
        if code:
            self._post(kind, address.typed, code)

    def _deliverable(self, to: str) -> ContactAddress:
        address = ContactAddress(to)
        if not self._messages.delivers("email" if address.index == "email" else "sms"):
            raise problems.NotDeliverable()
        return address

    async def _issue_and_send(self, address: ContactAddress, user: User | None, client: Client) -> None:
        code = await self._codes.issue(address.target, address.kind, user.id if user else None, client.ip)
        if code:
            self._post("sign_in", address.to(user), code)

    def _post(self, kind: str, to: str, code: str = "") -> None:
        self._messages.post(self._mails.message(kind, to, code=code, minutes=str(CODE_SECONDS // 60)))

    def _notify(self, user: User, kind: str) -> None:
        """Notify the previous address of an account, if it was confirmed."""
        if user.mail_address and user.email_verified and self._messages.delivers("email"):
            self._post(kind, user.mail_address)

    async def _confirm_pending(self, address: ContactAddress, identity: Identity | None) -> User | None:
        """Confirm a pending address of the caller, who must be signed in; None if it is not pending."""
        if identity is None or not USER_ID.matches(identity.user_id):
            return None
        before = await self._users.get(identity.user_id)
        if not address.is_pending_of(before):
            return None

        def edit(user: User) -> User:
            if not address.is_pending_of(user):
                raise problems.WrongCode()
            return changes.pending_confirmed(user, address.kind)

        after = await self._users.edit(before.id, edit)
        if address.index == "email":
            self._notify(before, "address_changed")
        return after

    async def _owner(self, address: ContactAddress, identity: Identity | None) -> User:
        """The account of the proven owner of the address, created if there is none."""
        visitor = identity.user_id if identity else None
        for _ in range(ATTEMPTS):
            holder = await self._users.find_by(address.index, address.typed)
            try:
                if holder is None:
                    return await self._users.register(address.profile(), address.facts(), visitor=visitor)
                owner = await self._confirm(holder, address, signed_in=visitor == holder.id)
            except (Taken, problems.UserChanged):
                continue
            if owner is not None:
                return owner
        raise problems.UserChanged()

    async def _confirm(self, holder: User, address: ContactAddress, *, signed_in: bool) -> User | None:
        """The holder confirmed as the owner; None if the holder lost the address."""
        if not holder.account_status.may_sign_in:
            raise problems.AccountClosed()
        kind, now = address.kind, iso(self._store.clock.now_ms())

        async def edit(change: Callable[[User], User]) -> User:
            return await self._users.edit(holder.id, while_held(address, change))

        if signed_in:
            return await edit(lambda user: changes.verified(user, kind))
        if changes.is_somebody_elses(holder, kind):
            await edit(lambda user: changes.given_up(user, kind))
            return None
        return await edit(lambda user: changes.taken_over(user, kind, now))


def while_held(address: ContactAddress, edit: Callable[[User], User]) -> Callable[[User], User]:
    """The edit, refused if the user no longer has this address."""

    def checked(user: User) -> User:
        if not address.is_of(user):
            raise problems.WrongCode()
        return edit(user)

    return checked

"""Identifiers that users enter: an email address, a phone number or a username."""

from typing import Literal

from townsquare.services.accounts.ids import new_user_id
from townsquare.services.accounts.models import Facts, User, UserProfile
from townsquare.services.accounts.problems import BadProfile
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.users import Users, index_of, normalise

LONGEST_IDENTIFIER = 320


class ContactAddress:
    """An address for codes."""

    def __init__(self, text: str) -> None:
        self.index: Literal["email", "phone"] = "email" if "@" in text else "phone"
        if self.index == "email":
            address = normalise.email_address(text)
            self.typed, self.target = address.typed, address.mailbox
        else:
            self.typed = self.target = normalise.phone(text)

    @property
    def kind(self) -> VerificationType:
        return VerificationType(self.index)

    def is_of(self, user: User) -> bool:
        return self.target == (user.email if self.index == "email" else user.phone)

    def is_pending_of(self, user: User) -> bool:
        pending = user.pending_email if self.index == "email" else user.pending_phone
        return pending is not None and ContactAddress(pending).target == self.target

    def to(self, user: User | None) -> str:
        """The recipient: as the account's owner entered it, if there is an account."""
        return user.mail_address or self.typed if user and self.index == "email" else self.typed

    def profile(self) -> UserProfile:
        return UserProfile(email=self.typed) if self.index == "email" else UserProfile(phone=self.typed)

    def facts(self) -> Facts:
        return Facts(email_verified=self.index == "email", phone_verified=self.index == "phone")


async def find_user(users: Users, identifier: str) -> User | None:
    """The user with this identifier. Takes the same number of reads if there is none."""
    identifier = identifier[:LONGEST_IDENTIFIER]
    try:
        found = await users.find_by(index_of(identifier), identifier)
    except BadProfile:
        await users.get_many([new_user_id()])
        found = None
    if found is None:
        await users.get_many([new_user_id()])
    return found

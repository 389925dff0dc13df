"""What people type to say who they are: an email address, a phone number or a username."""

from typing import Literal

from townsquare.services.accounts.ids import new_user_id
from townsquare.services.accounts.models import Facts, User, UserProfile
from townsquare.services.accounts.problems import BadProfile
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.users import Users, index_of, normalise

LONGEST_IDENTIFIER = 320


class ContactAddress:
    """Where a code can be sent, as it is stored."""

    def __init__(self, text: str) -> None:
        self.index: Literal["email", "phone"] = "email" if "@" in text else "phone"
        spell = normalise.email if self.index == "email" else normalise.phone
        self.target = spell(text[:LONGEST_IDENTIFIER])

    @property
    def kind(self) -> VerificationType:
        return VerificationType(self.index)

    def of(self, user: User) -> str | None:
        return user.email if self.index == "email" else user.phone

    def profile(self) -> UserProfile:
        return UserProfile(email=self.target) if self.index == "email" else UserProfile(phone=self.target)

    def facts(self) -> Facts:
        return Facts(email_verified=self.index == "email", phone_verified=self.index == "phone")


async def find_user(users: Users, identifier: str) -> User | None:
    """Whoever has this address, number or name, in as many steps as it takes to find that nobody has."""
    identifier = identifier[:LONGEST_IDENTIFIER]
    try:
        found = await users.find_by(index_of(identifier), identifier)
    except BadProfile:
        await users.get_many([new_user_id()])
        found = None
    if found is None:
        await users.get_many([new_user_id()])
    return found

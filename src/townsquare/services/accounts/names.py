"""What people type to say who they are: an email address, a phone number or a username."""

from typing import Literal

from townsquare.api import Identity
from townsquare.services.accounts import normalise
from townsquare.services.accounts.ids import new_user_id
from townsquare.services.accounts.models import Facts, Profile, User
from townsquare.services.accounts.problems import AlreadyRegistered, BadProfile, UserNotFound
from townsquare.services.accounts.proofs import VerificationType
from townsquare.services.accounts.users import Index, Users

LONGEST_NAME = 320


class Address:
    """Where a code can be sent, as it is stored."""

    def __init__(self, text: str) -> None:
        self.index: Literal["email", "phone"] = "email" if "@" in text else "phone"
        spell = normalise.email if self.index == "email" else normalise.phone
        self.target = spell(text[:LONGEST_NAME])

    @property
    def kind(self) -> VerificationType:
        return VerificationType(self.index)

    def of(self, user: User) -> str | None:
        return user.email if self.index == "email" else user.phone

    def profile(self) -> Profile:
        return Profile(email=self.target) if self.index == "email" else Profile(phone=self.target)

    def facts(self) -> Facts:
        return Facts(email_verified=self.index == "email", phone_verified=self.index == "phone")


def index_of(name: str) -> Index:
    if "@" in name:
        return "email"
    return "phone" if name.startswith("+") else "username"


async def find_quietly(users: Users, index: Index, name: str) -> User | None:
    """Whoever has this name, in as many steps as it takes to find that nobody has."""
    try:
        found = await users.find_by(index, name[:LONGEST_NAME])
    except BadProfile:
        await users.get_many([new_user_id()])
        found = None
    if found is None:
        await users.get_many([new_user_id()])
    return found


async def join(users: Users, profile: Profile, facts: Facts, identity: Identity | None) -> User:
    """A new account; who was here as a visitor keeps being the same user."""
    if identity is not None:
        try:
            return await users.convert(identity.user_id, profile, facts)
        except (AlreadyRegistered, UserNotFound):
            pass
    return await users.sign_up(profile, facts)

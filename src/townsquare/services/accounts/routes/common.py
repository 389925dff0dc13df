"""What the routes share: limits, inputs, and who calls."""

from typing import Annotated

import msgspec

from townsquare.api import Call, Identity, Limit
from townsquare.problems import Invalid, Unauthorized
from townsquare.services.accounts.ids import USER_ID
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.signin.models import Client

SIGN_IN = Limit("sign_in", 30, 60)  # each try may cost a slow hash, and each is worth guessing at
CODE = Limit("code", 20, 60)
REFRESH = Limit("refresh", 120, 60)  # a whole office behind one address
AVAILABILITY = Limit("availability", 30, 60)  # enough to type a name, too few to list accounts

Password = Annotated[str, msgspec.Meta(max_length=1_024, description="8 to 128 characters")]
Code = Annotated[str, msgspec.Meta(max_length=32, description="the six digits that were sent")]
Token = Annotated[str, msgspec.Meta(max_length=16_384)]


class EmailOrPhone(msgspec.Struct, kw_only=True):
    """An email address or a phone number."""

    email: str = ""
    phone: str = ""

    @property
    def to(self) -> str:
        if bool(self.email) == bool(self.phone):
            raise Invalid("Give an email address or a phone number")
        return self.email or self.phone


def client_of(call: Call) -> Client:
    return Client(call.ip, call.user_agent)


def caller(call: Call) -> Identity:
    if call.identity is None:
        raise Unauthorized()
    return call.identity


def member(call: Call) -> Identity:
    """The caller, who has an account; the operator has none."""
    identity = caller(call)
    if not USER_ID.matches(identity.user_id):
        raise UserNotFound("The operator has no account")
    return identity


def profile_of(given: UserProfile) -> UserProfile:
    """Only the profile of an input that has more."""
    return UserProfile(**{name: getattr(given, name) for name in UserProfile.__struct_fields__})

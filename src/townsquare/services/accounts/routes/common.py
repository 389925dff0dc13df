"""Shared inputs of the routes, and the caller."""

from typing import Annotated

import msgspec

from townsquare.api import Call, Identity
from townsquare.problems import Unauthorized
from townsquare.services.accounts.ids import USER_ID
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.signin.models import Client

Password = Annotated[str, msgspec.Meta(max_length=1_024, description="8 to 128 characters")]


def client_of(call: Call) -> Client:
    return Client(call.ip, call.user_agent)


def caller(call: Call) -> Identity:
    if call.identity is None:
        raise Unauthorized()
    return call.identity


def member(call: Call) -> Identity:
    """The caller with an account; the operator has none."""
    identity = caller(call)
    if not USER_ID.matches(identity.user_id):
        raise UserNotFound("The operator has no account")
    return identity


def profile_of(given: UserProfile) -> UserProfile:
    """The profile fields of an input."""
    return UserProfile(**{name: getattr(given, name) for name in UserProfile.__struct_fields__})

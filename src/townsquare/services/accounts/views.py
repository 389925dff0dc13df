"""A user as others, the user, and an administrator see it. The password hash is in none of them."""

from typing import Any, TypeVar

import msgspec

from townsquare.services.accounts.models import AccountStatus, FraudFlag, Geolocation, User, UserRole

V = TypeVar("V", bound=msgspec.Struct)


class PublicUser(msgspec.Struct, rename="camel", kw_only=True):
    id: str
    username: str | None
    first_name: str | None
    avatar: str | None
    links: tuple[str, ...]
    role: UserRole
    created_at: str


class PrivateUser(PublicUser, rename="camel", kw_only=True):
    """For the user."""

    version: int
    updated_at: str
    last_login: str | None
    email: str | None
    email_verified: bool
    phone: str | None
    phone_verified: bool
    id_verified: bool
    surname: str | None
    age: int | None
    occupation: str | None
    fitness_level: str | None
    fitness_goal: str | None
    gender: str | None
    province: str | None
    city: str | None
    custom: dict[str, Any]
    registered: bool
    has_password: bool
    linked_providers: tuple[str, ...]
    geolocation: Geolocation | None
    geolocation_consent: bool
    account_status: AccountStatus


class AdminUser(PrivateUser, rename="camel", kw_only=True):
    device_id: str | None
    providers: dict[str, str]
    trust_score: int
    trust_grants: tuple[str, ...]
    fraud_flags: tuple[FraudFlag, ...]
    password_changed_at: str | None
    deleting: str | None


def public(user: User) -> PublicUser:
    return seen_as(PublicUser, user)


def private(user: User) -> PrivateUser:
    return seen_as(PrivateUser, user)


def admin(user: User) -> AdminUser:
    return seen_as(AdminUser, user)


def seen_as(view: type[V], user: User) -> V:
    derived = {
        "has_password": user.password_hash is not None,
        "linked_providers": tuple(sorted(user.providers)),
    }
    return view(
        **{name: derived[name] if name in derived else getattr(user, name) for name in view.__struct_fields__}
    )

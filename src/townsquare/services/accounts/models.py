"""The user: one JSON document, `user:{id}`, what a caller may say to change one, and who sees what of it."""

from enum import StrEnum
from typing import Annotated, Any, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType

from townsquare.secret_repr import HidesSecrets

FULL_TRUST = 100
ID_PROVIDERS = ("google", "github")


class AccountStatus(StrEnum):
    ACTIVE = "active"
    PENDING_VERIFICATION = "pending_verification"
    SUSPENDED = "suspended"
    DISABLED = "disabled"

    @property
    def may_sign_in(self) -> bool:
        return self in (AccountStatus.ACTIVE, AccountStatus.PENDING_VERIFICATION)


class UserRole(StrEnum):
    USER = "user"
    MODEL = "model"
    ADMIN = "admin"


class Geolocation(msgspec.Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    latitude: Annotated[float, Meta(ge=-90, le=90)]
    longitude: Annotated[float, Meta(ge=-180, le=180)]
    accuracy: Annotated[float, Meta(ge=0, le=40_000_000)] | None = None  # metres


class FraudFlag(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    id: str
    reason: str
    at: str
    by: str | None = None  # the user id of who raised it


class OutsideIdentity(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Who somebody is to an outside issuer of tokens: `iss` and `sub` stay, the name there may change."""

    issuer: str
    subject: str
    username: str = ""  # there, as far as we have followed it
    named_at: int = 0  # when the token that said so was issued, in seconds


class User(HidesSecrets, msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The whole document. Times are ISO 8601; `version` grows by one with every change."""

    id: str
    version: int = 1
    created_at: str
    updated_at: str
    last_login: str | None = None

    username: str | None = None
    email: str | None = None  # the one spelling of the mailbox: accounts are found by it
    email_as_typed: str | None = None  # where that differs; mail goes there
    pending_email: str | None = None  # as typed; replaces a confirmed one when it is confirmed
    phone: str | None = None
    pending_phone: str | None = None
    first_name: str | None = None
    surname: str | None = None
    age: int | None = None
    occupation: str | None = None
    fitness_level: str | None = None
    fitness_goal: str | None = None
    gender: str | None = None
    province: str | None = None
    city: str | None = None
    avatar: str | None = None
    links: tuple[str, ...] = ()
    custom: dict[str, Any] = {}

    password_hash: str | None = None
    password_changed_at: str | None = None
    providers: dict[str, str] = {}  # provider → the user's id there
    outside: OutsideIdentity | None = None
    device_id: str | None = None
    registered: bool = True  # False: a device that has not signed up

    geolocation: Geolocation | None = None
    geolocation_consent: bool = False

    account_status: AccountStatus = AccountStatus.ACTIVE
    role: UserRole = UserRole.USER
    trust_score: int = FULL_TRUST
    trust_grants: tuple[str, ...] = ()  # what has added to the trust score, each once
    fraud_flags: tuple[FraudFlag, ...] = ()
    email_verified: bool = False
    phone_verified: bool = False
    id_verified: bool = False
    left: tuple[str, ...] = ()  # services whose part of the account is deleted, while the account is not
    deleting: str | None = None  # the job that deletes it

    @property
    def mail_address(self) -> str | None:
        """The email address as its owner wrote it."""
        return self.email_as_typed or self.email


Text = str | UnsetType | None


class UserProfile(msgspec.Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """What users say about themselves. UNSET leaves a field as it is, None empties it."""

    username: Text = UNSET
    email: Text = UNSET
    phone: Text = UNSET
    first_name: Text = UNSET
    surname: Text = UNSET
    age: int | UnsetType | None = UNSET
    occupation: Text = UNSET
    fitness_level: Text = UNSET
    fitness_goal: Text = UNSET
    gender: Text = UNSET
    province: Text = UNSET
    city: Text = UNSET
    avatar: Text = UNSET
    links: tuple[str, ...] | UnsetType | None = UNSET
    custom: dict[str, Any] | UnsetType | None = UNSET  # merged name by name; a null removes the name
    device_id: Text = UNSET
    geolocation_consent: bool | UnsetType = UNSET
    geolocation: Geolocation | UnsetType | None = UNSET


class Facts(HidesSecrets, msgspec.Struct, frozen=True, kw_only=True):
    """What the service itself knows of a new user: never taken from the user's own words."""

    password_hash: str | None = None
    providers: dict[str, str] = {}
    outside: OutsideIdentity | None = None
    email_verified: bool = False
    phone_verified: bool = False
    account_status: AccountStatus = AccountStatus.ACTIVE
    role: UserRole = UserRole.USER


class PublicUser(msgspec.Struct, rename="camel", kw_only=True):
    """A user as others see it. The password hash is in no view."""

    id: str
    username: str | None
    first_name: str | None
    avatar: str | None
    links: tuple[str, ...]
    role: UserRole
    created_at: str

    @classmethod
    def of(cls, user: User, updating: str | UnsetType | None = UNSET) -> Self:
        derived: dict[str, Any] = {
            "email": user.mail_address,
            "has_password": user.password_hash is not None,
            "linked_providers": tuple(sorted(user.providers)),
            "updating": updating,
        }
        return cls(
            **{
                name: derived[name] if name in derived else getattr(user, name)
                for name in cls.__struct_fields__
            }
        )


class PrivateUser(PublicUser, rename="camel", kw_only=True):
    """As the user sees it."""

    version: int
    updated_at: str
    last_login: str | None
    email: str | None
    email_verified: bool
    pending_email: str | None
    phone: str | None
    phone_verified: bool
    pending_phone: str | None
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
    updating: Annotated[
        str | UnsetType | None,
        Meta(description="the job by which other services take in the last change, null when they have"),
    ] = UNSET


class AdminUser(PrivateUser, rename="camel", kw_only=True):
    """As an administrator sees it."""

    device_id: str | None
    providers: dict[str, str]
    outside: OutsideIdentity | None
    trust_score: int
    trust_grants: tuple[str, ...]
    fraud_flags: tuple[FraudFlag, ...]
    password_changed_at: str | None
    deleting: str | None

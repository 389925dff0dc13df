"""The user document `user:{id}`, its inputs and its views."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType

from townsquare.secret_repr import HidesSecrets
from townsquare.services.events import NoticeType

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
    by: str | None = None  # the id of the user who raised it


class OutsideIdentity(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The identity at an outside token issuer: `iss` and `sub` are fixed, the username can change."""

    issuer: str
    subject: str
    username: str = ""  # at the issuer, when last applied
    named_at: int = 0  # issue time of the token with that username, in seconds


class User(HidesSecrets, msgspec.Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """The document, without fields that have their default. Times are ISO 8601; every change increments
    `version`. Scripts read the fields without a default."""

    id: str
    version: int
    created_at: str
    updated_at: str
    last_login: str | None = None

    username: str | None = None
    email: str | None = None  # canonical spelling of the mailbox, the index
    email_as_typed: str | None = None  # if different; the address for mail
    pending_email: str | None = None  # as entered; replaces the address when it is confirmed
    phone: str | None = None
    pending_phone: str | None = None
    display_name: str | None = None
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
    notifications: dict[str, str] = {}  # type → channel, as chosen by the user
    mailed: str | None = None  # mail or digest, if a type that no service mails itself is mailed; derived

    password_hash: str | None = None
    password_changed_at: str | None = None
    providers: dict[str, str] = {}  # provider → the user's id there
    outside: OutsideIdentity | None = None
    device_id: str | None = None
    registered: bool = True  # False: a device that has not signed up

    geolocation: Geolocation | None = None
    geolocation_consent: bool = False

    account_status: AccountStatus
    role: UserRole
    trust_score: int
    trust_grants: tuple[str, ...] = ()  # verifications that added to the trust score
    fraud_flags: tuple[FraudFlag, ...] = ()
    email_verified: bool = False
    phone_verified: bool = False
    id_verified: bool = False
    left: tuple[str, ...] = ()  # services in which the user's data is deleted
    deleting: str | None = None  # the deletion job

    @property
    def notices_off(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, channel in self.notifications.items() if channel == "off"))

    @property
    def mail_address(self) -> str | None:
        """The email address as entered."""
        return self.email_as_typed or self.email


def public_name(user: User) -> str | None:
    """The name that other users see."""
    return user.display_name or user.username or user.first_name


def name_of(user: User) -> str:
    """A name for operators."""
    return user.username or user.email or user.phone or "a visitor"


Text = str | UnsetType | None
NotificationChannel = Literal["off", "app", "mail", "digest"]  # mail and digest: in the app as well
NOTIFICATION_DEFAULTS: "dict[NoticeType, NotificationChannel]" = {
    "reply": "mail",
    "mention": "mail",
    "follow": "app",
    "like": "app",
    "moderation": "app",
}
NotificationSettings = dict[NoticeType, NotificationChannel]


class UserProfile(msgspec.Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """The fields that users set themselves. UNSET leaves a field unchanged, None clears it."""

    username: Text = UNSET
    email: Text = UNSET
    phone: Text = UNSET
    display_name: Text = UNSET
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
    custom: dict[str, Any] | UnsetType | None = UNSET  # merged by name; null removes a name
    notifications: NotificationSettings | UnsetType | None = UNSET  # merged by type; null: the defaults
    device_id: Text = UNSET
    geolocation_consent: bool | UnsetType = UNSET
    geolocation: Geolocation | UnsetType | None = UNSET


class Facts(HidesSecrets, msgspec.Struct, frozen=True, kw_only=True):
    """Fields that the service sets for a new user, never the user."""

    password_hash: str | None = None
    providers: dict[str, str] = {}
    outside: OutsideIdentity | None = None
    email_verified: bool = False
    phone_verified: bool = False
    account_status: AccountStatus = AccountStatus.ACTIVE
    role: UserRole = UserRole.USER


class PublicUser(msgspec.Struct, rename="camel", kw_only=True):
    """The public view of a user. No view contains the password hash."""

    id: str
    username: str | None
    display_name: str | None
    first_name: str | None
    avatar: str | None
    links: tuple[str, ...]
    role: UserRole
    created_at: str

    @classmethod
    def of(cls, user: User, updating: str | UnsetType | None = UNSET) -> Self:
        derived: dict[str, Any] = {
            "email": user.mail_address,
            "notifications": {**NOTIFICATION_DEFAULTS, **user.notifications},
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
    """The user's own view."""

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
    notifications: dict[str, str]
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
    """The view for administrators."""

    device_id: str | None
    providers: dict[str, str]
    outside: OutsideIdentity | None
    trust_score: int
    trust_grants: tuple[str, ...]
    fraud_flags: tuple[FraudFlag, ...]
    password_changed_at: str | None
    deleting: str | None

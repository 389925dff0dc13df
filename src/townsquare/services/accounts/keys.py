"""Every key of the accounts service."""

from dataclasses import replace
from typing import Annotated

from townsquare.clock import from_iso
from townsquare.keyspace import (
    BY_SERVICE,
    DAY,
    HOUR,
    MINUTE,
    Field,
    Groups,
    Indexes,
    Keyspace,
    Matching,
    Orders,
    Owns,
    Record,
    Value,
    Visibility,
    carried_by,
    fixed,
    sliding,
)
from townsquare.kit.email_addresses import mailbox_of
from townsquare.kit.usernames import Username
from townsquare.services.accounts.ids import SESSION_ID, USER_ID
from townsquare.services.accounts.models import User, UserRole
from townsquare.services.accounts.signin.models import PendingSignIn, SigningKeys, VerifyCode
from townsquare.store.keys import MintedId

accounts = Keyspace("accounts", "Users as one JSON document each, with indexes, sessions and codes.")

SEED, CODES_SEED = "004", "003"

PHONE = Matching(r"\+[1-9][0-9]{4,16}")

UserId = Annotated[str, USER_ID]
SessionId = Annotated[str, SESSION_ID]
Phone = Annotated[str, PHONE]
State = Annotated[str, Matching(r"[A-Za-z0-9_-]{22,128}")]
MailKind = Annotated[str, Matching(r"mail|digest")]
CodeKind = Annotated[str, Matching(r"email|phone|password_reset")]
Listing = Annotated[str, Matching(r"status|role|province|city|mailed")]

SESSION_SECONDS = 30 * DAY
SESSIONS_PER_USER = 100  # the oldest session is ended first
REFRESH_GRACE_MS = 10_000  # grace period of a refresh token after its exchange
CODE_SECONDS = 10 * MINUTE
CODE_SENDS_SECONDS = HOUR
CODE_TRIES = 5  # per client address
CODE_TRIES_BY_ALL = 20  # of all client addresses together, at one code
CODE_MAILS = 3  # messages per hour and target with a valid code
PENDING_SIGN_IN_SECONDS = 10 * MINUTE
FIRST_ADMIN_SECONDS = HOUR
AUDIT_LENGTH = 10_000  # entries; a busy team of admins needs months to fill it
UPDATE_SERVICES_JOB = "accounts.update_services"


@accounts.json(User, "user:{id}", home=carried_by("id"), seed=SEED)
def user(id: UserId) -> None:
    """The user document. All indexes can be rebuilt from it."""


@accounts.string("email:{email}", home="email:{email}", seed=SEED)
def email(email: str) -> None:
    """The user with this mailbox (NFC, ASCII letters in lower case, the domain in ASCII by IDNA)."""


@accounts.string("username:{username}", home="username:{username}", cached=True, seed=SEED)
def username(username: Username) -> None:
    """The user with this username, case-sensitive."""


@accounts.string("phone:{phone}", home="phone:{phone}", seed=SEED)
def phone(phone: Phone) -> None:
    """The user with this phone number (E.164)."""


@accounts.string("device:{device_id}", home="device:{device_id}", seed=SEED)
def device(device_id: str) -> None:
    """The user or visitor with this device."""


@accounts.string("google:{google_id}", home="google:{google_id}", seed=SEED)
def google(google_id: str) -> None:
    """The user with this Google account."""


@accounts.string("provider:google:{provider_id}", home="provider:google:{provider_id}", seed=CODES_SEED)
def provider_google(provider_id: str) -> None:
    """The user with this Google account, under the common name of providers."""


@accounts.string("provider:github:{provider_id}", home="provider:github:{provider_id}", seed=CODES_SEED)
def provider_github(provider_id: str) -> None:
    """The user with this GitHub account."""


@accounts.string("outside:{issuer}:{subject}", home="outside:{issuer}:{subject}")
def outside(issuer: str, subject: str) -> None:
    """The user with this identity (`iss` and `sub`) of an outside token issuer."""


@accounts.set("province:{province}:users", home="province:{province}", seed=SEED)
def province_users(province: str) -> None:
    """Users of a province."""


@accounts.set("city:{city}:users", home="city:{city}", seed=SEED)
def city_users(city: str) -> None:
    """Users of a city."""


@accounts.set("non_registered:users", home="non_registered", seed=SEED)
def non_registered_users() -> None:
    """Devices that have not signed up."""


@accounts.sorted_set("users:{by}:{value}", home="users:{by}:{value}")
def users_by(by: Listing, value: str) -> None:
    """Users of one status, province or city by creation in ms, for paging. Of a role other than `user`, too:
    nearly all users have that one. And those who have chosen notifications by mail."""


@accounts.string("notifications:{kind}:sent", home="notifications")
def notifications_sent(kind: MailKind) -> None:
    """When notifications were last mailed, in ms."""


@accounts.hash(
    "session:{session_id}",
    Field("user_id", required=True),
    Field("created_at", description="ISO 8601", required=True),
    Field("last_used", description="ISO 8601", required=True),
    Field("user_agent", Visibility.PRIVATE),
    Field("ip", Visibility.PRIVATE),
    Field("method", Visibility.PRIVATE, "password, code, google, github, anonymous or first_admin"),
    Field("scope", Visibility.PRIVATE, "the site that it is for; absent: all of the account"),
    Field("refresh", Visibility.SECRET, "keyed hash of the refresh token that is valid now"),
    Field("rotation", Visibility.SECRET, "how often the refresh token was exchanged, if ever"),
    Field("previous", Visibility.SECRET, "keyed hash of the one before, good for a few seconds more"),
    Field("rotated_at", Visibility.SECRET, "when that one was exchanged, in ms"),
    home=carried_by("session_id"),
    lifetime=sliding(SESSION_SECONDS),
    cached=True,
    seed=CODES_SEED,
)
def session(session_id: SessionId) -> None:
    """A session, in its user's home. The id is public; the secret is the refresh token."""


@accounts.sorted_set("user:{id}:sessions", home=carried_by("id"), lifetime=sliding(SESSION_SECONDS))
def user_sessions(id: UserId) -> None:
    """The sessions of a user by creation in ms, at most 100."""


@accounts.hash(
    "user:{id}:update",
    Field("job", Visibility.SYSTEM, required=True),
    Field("known", Visibility.SYSTEM, "JSON: the account as services have applied it"),
    Field("next", Visibility.SYSTEM, "JSON: the account after that change"),
    Field("again", Visibility.SYSTEM, "all services must apply the account again"),
    custom=Visibility.SYSTEM,
    home=carried_by("id"),
)
def user_update(id: UserId) -> None:
    """The progress of other services with the last changes of a user, while the job is open:
    `service:{name}` is the snapshot of each service, and the one that it is applying."""


@accounts.json(
    VerifyCode, "verify:{target}", home="verify:{target}", lifetime=fixed(CODE_SECONDS), seed=CODES_SEED
)
def verify(target: str) -> None:
    """The newest code sent to an email address or phone number."""


@accounts.json(
    VerifyCode, "verify:{target}:password_reset", home="verify:{target}", lifetime=fixed(CODE_SECONDS)
)
def verify_reset(target: str) -> None:
    """The newest code for a password reset, separate from the code for sign-in."""


@accounts.sorted_set(
    "verify:{target_hash}:{kind}:sent", home=carried_by("target_hash"), lifetime=fixed(CODE_SENDS_SECONDS)
)
def code_mails(target_hash: MintedId, kind: CodeKind) -> None:
    """Codes sent to a target, by time in ms. The target is hashed with the server's secret, because
    the limit must outlast the deletion of an account."""


@accounts.json(SigningKeys, "signing:keys", home="signing")
def signing_keys() -> None:
    """The keys of access tokens by `kid`: the newest signs, older ones still verify."""


@accounts.json(PendingSignIn, "oauth:{state}", home="oauth:{state}", lifetime=fixed(PENDING_SIGN_IN_SECONDS))
def pending_sign_in(state: State) -> None:
    """A pending sign-in at a provider; read and deleted in one step."""


@accounts.string("first_admin", home="first_admin", lifetime=fixed(FIRST_ADMIN_SECONDS))
def first_admin() -> None:
    """SHA-256 of the token in the link for the first admin, which the server prints if there is no admin."""


@accounts.stream("audit", home="audit")
def audit() -> None:
    """Actions of admins, at most 10,000: at (ms), by (user id), action, target, detail. An action is added
    before it is done. If it fails, a second entry has `of`, the id of the first one, and the `outcome`."""


def has_not_signed_up(record: Record) -> bool:
    return record.get("registered") is False


def creation(record: Record) -> int:
    return from_iso(record["createdAt"])


def session_start(record: Record) -> int:
    return from_iso(record["created_at"])


def has_special_role(record: Record) -> bool:
    return record.get("role") != UserRole.USER


def newest_first(by: str, field: str) -> Orders:
    return Orders(users_by, user, member="id", score=creation, params={"by": Value(by), "value": field})


accounts.relate(
    Indexes(email, user, owner="id", params={"email": "email"}, spelling=mailbox_of),
    Indexes(username, user, owner="id", params={"username": "username"}),
    Indexes(phone, user, owner="id", params={"phone": "phone"}),
    Indexes(device, user, owner="id", params={"device_id": "deviceId"}),
    Indexes(google, user, owner="id", params={"google_id": "providers.google"}),
    Indexes(provider_google, user, owner="id", params={"provider_id": "providers.google"}),
    Indexes(provider_github, user, owner="id", params={"provider_id": "providers.github"}),
    Indexes(outside, user, owner="id", params={"issuer": "outside.issuer", "subject": "outside.subject"}),
    Groups(province_users, user, member="id", params={"province": "province"}),
    Groups(city_users, user, member="id", params={"city": "city"}),
    Groups(non_registered_users, user, member="id", where=has_not_signed_up),
    newest_first("status", "accountStatus"),
    replace(newest_first("role", "role"), where=has_special_role),
    newest_first("province", "province"),
    newest_first("city", "city"),
    newest_first("mailed", "mailed"),
    Owns(user, (user_sessions, user_update), account=user),
    Orders(
        user_sessions,
        session,
        member="session_id",
        score=session_start,
        params={"id": "user_id"},
        with_owner=BY_SERVICE,
    ),
)


accounts.migrate(
    user,
    users_by,
    summary="Store only the fields of a user that differ from the defaults",
    source="townsquare.services.accounts.migrations:shorten_accounts",
)


@accounts.sorted_set("turns:ip:{who}", home="turns:{who}", lifetime=fixed(CODE_SENDS_SECONDS))
def code_sends(who: str) -> None:
    """Codes requested by a client address, by time in ms."""

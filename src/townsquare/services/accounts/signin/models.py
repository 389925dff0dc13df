"""Requests, responses and stored records of sign-in."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.keyspace import MINUTE
from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.secret_repr import HidesSecrets
from townsquare.services.accounts.models import PrivateUser

ACCESS_SECONDS = 15 * MINUTE  # the life of an access token


class Client(msgspec.Struct, frozen=True):
    """The client of a sign-in: stored in the session and used by rate limits."""

    ip: str = ""
    user_agent: str = ""
    scope: str = ""  # the site of the session; '' for the whole account


class SignedIn(HidesSecrets, msgspec.Struct, kw_only=True):
    """The response of every sign-in."""

    access_token: str
    refresh_token: str
    token_type: str = "Bearer"  # noqa: S105 - RFC 6750 calls it that
    expires_in: int = ACCESS_SECONDS
    user: PrivateUser


class SignInMethods(msgspec.Struct, kw_only=True):
    """The sign-in methods of this server."""

    email_code: bool
    sms_code: bool
    google: bool
    github: bool
    password: Literal[True] = True
    anonymous: Literal[True] = True


class SessionView(msgspec.Struct, kw_only=True):
    """A session as its user sees it."""

    id: str
    created_at: str
    last_used: str
    user_agent: str
    ip: str
    method: str
    scope: Annotated[str, Meta(description="the site that it is for; empty: all of the account")] = ""
    current: bool


class IdToken(HidesSecrets, msgspec.Struct):
    """The ID token that Google issues at sign-in."""

    id_token: Annotated[str, Meta(max_length=LONGEST_TOKEN)]


class OAuthCode(HidesSecrets, msgspec.Struct):
    """The parameters of the redirect back from GitHub."""

    code: Annotated[str, Meta(max_length=1_024)]
    state: Annotated[str, Meta(max_length=128)]


class ProviderRedirect(msgspec.Struct):
    """Where to send the browser; `state` must be the same when it comes back."""

    url: str
    state: str
    nonce: str = ""


class VerificationType(StrEnum):
    EMAIL = "email"
    PHONE = "phone"
    PASSWORD_RESET = "password_reset"  # noqa: S105 - a purpose, not a password


class VerifyCode(HidesSecrets, msgspec.Struct, kw_only=True):
    """`verify:{target}`, the seed's fields and the tries."""

    code: str  # a keyed hash, never the digits
    salt: str = ""  # the digits are derived from it and our secret
    user_id: str | None  # None: nobody has this target yet
    verification_type: VerificationType
    created_at: str
    attempts: int = 0  # wrong tries from all addresses
    tries: dict[str, int] = {}  # wrong tries by client address


class SigningKey(HidesSecrets, msgspec.Struct, rename="camel", kw_only=True):
    kid: str
    key: str  # a private JWK as JSON, or a secret
    created_at: str
    retires_at: str | None = None  # after this it verifies but does not sign


class SigningKeys(msgspec.Struct, kw_only=True):
    """`signing:keys`, newest first."""

    keys: list[SigningKey]


class PendingSignIn(HidesSecrets, msgspec.Struct, rename="camel", kw_only=True):
    """`oauth:{state}`: a sign-in that went to a provider and has not come back."""

    provider: str
    verifier: str = ""  # PKCE
    redirect_uri: str = ""
    nonce: str = ""

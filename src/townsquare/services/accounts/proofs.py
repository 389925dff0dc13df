"""What proves who somebody is, as it stands in the store: codes, signing keys, sign-ins under way."""

from enum import StrEnum

import msgspec


class VerificationType(StrEnum):
    EMAIL = "email"
    PHONE = "phone"
    PASSWORD_RESET = "password_reset"  # noqa: S105 - a purpose, not a password


class VerifyCode(msgspec.Struct, kw_only=True):
    """`verify:{target}`, the seed's fields and the tries."""

    code: str  # a keyed hash, never the digits
    user_id: str | None  # None: nobody has this target yet
    verification_type: VerificationType
    created_at: str
    attempts: int = 0


class SigningKey(msgspec.Struct, rename="camel", kw_only=True):
    kid: str
    key: str  # a private JWK as JSON, or a secret
    created_at: str
    retires_at: str | None = None  # after this it verifies but does not sign


class SigningKeys(msgspec.Struct, kw_only=True):
    """`signing:keys`, newest first."""

    keys: list[SigningKey]


class PendingSignIn(msgspec.Struct, rename="camel", kw_only=True):
    """`oauth:{state}`: a sign-in that went to a provider and has not come back."""

    provider: str
    verifier: str = ""  # PKCE
    redirect_uri: str = ""
    nonce: str = ""

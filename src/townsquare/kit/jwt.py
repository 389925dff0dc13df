"""JSON Web Tokens (RFC 7519): sign one, verify a signature, check the claims."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from jwt import PyJWK

HS256 = "HS256"
OPENID = "townsquare[openid]"  # the extra with the library for RSA and EC keys
LATEST = 2**53  # seconds; greater numbers are no times
TIMES = ("exp", "nbf", "iat")
TEXTS = ("iss", "sub", "jti")


class BadToken(Exception):
    """The token is not readable, or its signature or claims are not valid."""


class BadSignature(BadToken):
    """Another key has signed the token."""


class ExpiredToken(BadToken):
    pass


def signed(claims: dict[str, Any], key: str, key_id: str) -> str:
    import jwt

    return jwt.encode(claims, key, HS256, headers={"kid": key_id})


def verified(token: str, key: "str | PyJWK", algorithm: str) -> dict[str, Any]:
    """The claims of a token that this key has signed. The claims themselves are not checked."""
    from jwt import api_jws
    from jwt.exceptions import InvalidSignatureError, PyJWTError

    try:
        payload = api_jws.decode(token, key, algorithms=[algorithm])
        return msgspec.json.decode(payload, type=dict[str, Any])
    except InvalidSignatureError as error:
        raise BadSignature(str(error)) from None
    except (PyJWTError, msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise BadToken(str(error)) from None


def check_claims(
    claims: Mapping[str, Any],
    *,
    now: int,
    leeway: int,
    required: Iterable[str] = (),
    issuers: Collection[str] = (),
    audience: str = "",
) -> None:
    """Check times, issuer and audience. `leeway` is the tolerance for clock differences in seconds."""
    for name in required:
        if claims.get(name) in (None, "", [], {}):
            raise BadToken(f"{name} is missing")
    for name in TIMES:
        if name in claims and not _is_time(claims[name]):
            raise BadToken(f"{name} must be a number of seconds")
    for name in TEXTS:
        if name in claims and not isinstance(claims[name], str):
            raise BadToken(f"{name} must be a string")
    if "exp" in claims and claims["exp"] <= now - leeway:
        raise ExpiredToken("exp: the token has expired")
    for name in ("nbf", "iat"):
        if name in claims and claims[name] > now + leeway:
            raise BadToken(f"{name} is in the future")
    if issuers and claims.get("iss") not in issuers:
        raise BadToken("iss is another issuer")
    if audience and audience not in _listed(claims.get("aud")):
        raise BadToken("aud is another audience")


def _is_time(value: object) -> bool:
    return (
        not isinstance(value, bool) and isinstance(value, int | float) and abs(value) < LATEST
    )  # false for NaN


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]

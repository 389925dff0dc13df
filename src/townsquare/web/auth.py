"""Bearer tokens: who presents one, and what an endpoint asks for."""

import hmac

from townsquare.api import Auth, Call, Identity
from townsquare.problems import Forbidden, Unauthorized
from townsquare.web.ports import Authenticate

CHALLENGE = b'Bearer realm="townsquare"'
BAD_TOKEN = CHALLENGE + b', error="invalid_token"'


def bearer_token(authorization: bytes) -> str | None:
    """The token of an Authorization header; '' where there is a header but no usable token."""
    if not authorization:
        return None
    scheme, _, token = authorization.strip().partition(b" ")
    if scheme.lower() != b"bearer":
        return ""
    try:
        return token.strip().decode("ascii")
    except UnicodeDecodeError:
        return ""


def admin_token(expected: str) -> Authenticate:
    """Knows one caller, the operator, by the token in the settings."""
    secret = expected.encode()

    async def authenticate(call: Call, token: str) -> Identity | None:
        if secret and hmac.compare_digest(secret, token.encode()):
            return Identity(user_id="admin", role="admin")
        return None

    return authenticate


def authorize(
    auth: Auth, identity: Identity | None, presented: bool, headers: list[tuple[bytes, bytes]]
) -> None:
    """Let the caller pass or say what is missing; the answer's headers tell how to authenticate."""
    if identity is not None:
        if auth is Auth.ADMIN and identity.role != "admin":
            raise Forbidden
    elif presented:
        headers.append((b"www-authenticate", BAD_TOKEN))
        raise Unauthorized("The token is not valid")
    elif auth is not Auth.OPTIONAL:
        headers.append((b"www-authenticate", CHALLENGE))
        raise Unauthorized

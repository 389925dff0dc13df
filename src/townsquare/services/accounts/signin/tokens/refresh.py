"""Refresh tokens: opaque, signed, new with every use, and kept as a hash only.

A token names its session and is signed, so that an old one of ours can be told from a made-up one: only an
old one is proof of a theft, and ends the session.
"""

import hashlib
import hmac
import secrets

from townsquare.services.accounts.ids import SESSION_ID
from townsquare.services.accounts.problems import BadRefreshToken

SECRET_BYTES = 24
LONGEST_TOKEN = 200


class RefreshTokens:
    def __init__(self, secret: str) -> None:
        self._secret = hmac.new(secret.encode(), b"refresh tokens", hashlib.sha256).digest()

    def make(self, session_id: str) -> str:
        body = f"{session_id}.{secrets.token_urlsafe(SECRET_BYTES)}"
        return f"{body}.{self._signature(body)}"

    def session_of(self, token: str) -> str:
        """The session that one of our tokens belongs to, old or not."""
        body, _, signature = token.rpartition(".")
        session_id, _, _ = body.partition(".")
        genuine = (
            len(token) <= LONGEST_TOKEN
            and token.isascii()
            and hmac.compare_digest(signature, self._signature(body))
        )
        if not genuine or not SESSION_ID.matches(session_id):
            raise BadRefreshToken()
        return session_id

    def _signature(self, body: str) -> str:
        return hmac.new(self._secret, body.encode(), hashlib.sha256).hexdigest()[:32]


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()

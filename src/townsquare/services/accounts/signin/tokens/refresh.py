"""Refresh tokens: opaque, signed, rotated on every use, stored as a hash.

A token contains its session and is signed, which distinguishes an old token from a forged one: only reuse of
an old token proves a theft and ends the session. The next token is derived from the previous one and our
secret, so a repeated request within the grace period gets the same token.
"""

import base64
import hashlib
import hmac
import secrets

from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.services.accounts.ids import SESSION_ID
from townsquare.services.accounts.problems import BadRefreshToken

SECRET_BYTES = 24


class RefreshTokens:
    def __init__(self, secret: str, former: str = "") -> None:
        self._secret = derived(secret)
        self._accepted = [self._secret, *([derived(former)] if former else [])]

    def make(self, session_id: str) -> str:
        return self._signed(session_id, secrets.token_bytes(SECRET_BYTES))

    def next_of(self, token: str) -> str:
        """The token that replaces this token."""
        follows = hmac.new(self._secret, b"next\n" + token.encode(), hashlib.sha256).digest()
        return self._signed(self.session_of(token), follows[:SECRET_BYTES])

    def session_of(self, token: str) -> str:
        """The session of a token that we signed, current or old."""
        body, _, signature = token.rpartition(".")
        session_id, _, _ = body.partition(".")
        genuine = (
            len(token) <= LONGEST_TOKEN
            and token.isascii()
            and any(hmac.compare_digest(signature, signed(secret, body)) for secret in self._accepted)
        )
        if not genuine or not SESSION_ID.matches(session_id):
            raise BadRefreshToken()
        return session_id

    def _signed(self, session_id: str, secret: bytes) -> str:
        body = f"{session_id}.{base64.urlsafe_b64encode(secret).decode()}"
        return f"{body}.{signed(self._secret, body)}"


def derived(secret: str) -> bytes:
    return hmac.new(secret.encode(), b"refresh tokens", hashlib.sha256).digest()


def signed(secret: bytes, body: str) -> str:
    return hmac.new(secret, body.encode(), hashlib.sha256).hexdigest()[:32]


def digest(token: str) -> str:
    """128 bits: a token has 192 random bits, so nobody finds another one with the same digest."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]

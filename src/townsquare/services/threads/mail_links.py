"""Signed links in mails. The bearer of a link may do one action."""

import hashlib
import hmac
from typing import NamedTuple
from urllib.parse import urlencode

from townsquare.services.threads.problems import BadMailLink

REPLIES = "replies"  # the purpose of a link to unsubscribe from replies; else the id of a page
LONGEST = 256


class MailSubscription(NamedTuple):
    user_id: str
    what: str  # "replies", or the id of a page


class MailLinks:
    def __init__(self, secret: str, public_url: str) -> None:
        self._secret = secret.encode()
        self._base = public_url.rstrip("/")

    @property
    def possible(self) -> bool:
        """Whether links are possible: they need the setting `public_url`."""
        return bool(self._base)

    def unsubscribe(self, subscription: MailSubscription) -> str:
        """The unsubscribe link (RFC 8058). It is valid as long as the account exists."""
        payload = ".".join(subscription)
        return self.to("/threads/v1/mail/unsubscribe", token=f"{payload}.{self._signature(payload)}")

    def to(self, path: str, **query: str) -> str:
        return f"{self._base}{path}?{urlencode(query)}"

    def subscription(self, token: str) -> MailSubscription:
        """The purpose of a link. Raises `BadMailLink`."""
        payload, _, signed = token.rpartition(".")
        if len(token) > LONGEST or not hmac.compare_digest(
            signed.encode(), self._signature(payload).encode()
        ):
            raise BadMailLink()
        user_id, _, what = payload.partition(".")
        return MailSubscription(user_id, what)

    def _signature(self, payload: str) -> str:
        return hmac.new(self._secret, f"unsubscribe\n{payload}".encode(), hashlib.sha256).hexdigest()[:32]

"""Links in our mails: signed, so that who has one may do the one thing that it is for."""

import hashlib
import hmac
from typing import NamedTuple
from urllib.parse import urlencode

from townsquare.services.threads.problems import BadMailLink

REPLIES = "replies"  # what one may unsubscribe from, besides a page by its id
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
        """Without an address of our own there is nothing that a mail could lead to."""
        return bool(self._base)

    def unsubscribe(self, subscription: MailSubscription) -> str:
        """One click ends these mails (RFC 8058); it works as long as the account does."""
        said = ".".join(subscription)
        return self.to("/threads/v1/mail/unsubscribe", token=f"{said}.{self._signature(said)}")

    def to(self, path: str, **query: str) -> str:
        return f"{self._base}{path}?{urlencode(query)}"

    def subscription(self, token: str) -> MailSubscription:
        """What a link of ours is for; raises BadMailLink."""
        said, _, signed = token.rpartition(".")
        if len(token) > LONGEST or not hmac.compare_digest(signed.encode(), self._signature(said).encode()):
            raise BadMailLink()
        user_id, _, what = said.partition(".")
        return MailSubscription(user_id, what)

    def _signature(self, said: str) -> str:
        return hmac.new(self._secret, f"unsubscribe\n{said}".encode(), hashlib.sha256).hexdigest()[:32]

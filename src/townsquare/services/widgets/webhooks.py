"""Sends events of a widget to its owner's server: signed, in the background, never to a private address.

Three tries each, and a visitor never waits for them. A failed delivery changes no widget.
"""

import asyncio
import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

import msgspec

from townsquare.clock import Moment, iso
from townsquare.kit.outgoing import HttpPost, HttpSender, SendQueue, Sleep, signature
from townsquare.kit.urls import has_credentials, is_web_url
from townsquare.services.widgets.problems import BadWebhook

TRY_SECONDS = 5.0
PAUSES = (1.0, 5.0)  # seconds before the second and the third try


class Webhooks:
    def __init__(self, secret: str, sender: HttpSender | None = None, sleep: Sleep = asyncio.sleep) -> None:
        self._secret = secret.encode()
        self._sender = sender or HttpSender(seconds=TRY_SECONDS)
        self._queue = SendQueue(self._sender.send, pauses=PAUSES, sleep=sleep)

    def check(self, url: str) -> None:
        """Raise BadWebhook for a URL that can never be delivered to."""
        if not is_web_url(url) or has_credentials(url) or not self._sender.may_reach(url):
            raise BadWebhook()

    def key_for(self, kind: str, id: str, url: str) -> str:
        """The key that signs the events of this widget for this URL."""
        return hmac.new(self._secret, f"webhook\n{kind}\n{id}\n{url}".encode(), hashlib.sha256).hexdigest()

    def send(self, kind: str, id: str, url: str, event: str, now_ms: Moment, data: msgspec.Struct) -> None:
        """Queue an event. Never waits, never fails."""
        body = msgspec.json.encode(
            {"event": event, "service": kind, "id": id, "at": iso(now_ms), "data": data}
        )
        key, stamp = self.key_for(kind, id, url).encode(), str(now_ms // 1000)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Townsquare",
            "X-Townsquare-Event": event,
            "X-Townsquare-Delivery": secrets.token_hex(8),
            "X-Townsquare-Timestamp": stamp,
            "X-Townsquare-Signature": f"sha256={signature(key, stamp, body)}",
        }
        server = urlsplit(url).netloc.lower()  # all the hooks of one server wait for it together
        self._queue.put(HttpPost(url, headers, body), receiver=server, about=f"webhook of {kind} {id}")

    async def settled(self) -> None:
        """Wait until every event is sent."""
        await self._queue.settled()

    def close(self) -> None:
        self._queue.cancel()

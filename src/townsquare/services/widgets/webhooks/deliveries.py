"""What is to be told, in a queue of this process: three tries each, and a visitor never waits for them.

A process that ends forgets what it had not told yet; what a widget counts never depends on it.
"""

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

import msgspec
import structlog

from townsquare.clock import iso
from townsquare.services.widgets.ids import checked_url
from townsquare.services.widgets.problems import BadUrl, BadWebhook

log = structlog.get_logger()

WAITING = 1_000  # deliveries that may wait; a slow receiver must not fill our memory
AT_ONCE = 8
PAUSES = (1.0, 5.0)  # seconds before the second and the third try

Sleep = Callable[[float], Awaitable[Any]]


class Delivery(NamedTuple):
    url: str
    headers: dict[str, str]
    body: bytes


class Undeliverable(Exception):
    """No further try can help: the address is not allowed, or the receiver does not want it."""


class Sender(Protocol):
    def check(self, url: str) -> None:
        """Raise Undeliverable for what no name server need be asked about."""
        ...

    async def send(self, delivery: Delivery) -> None:
        """Deliver once, or raise."""
        ...


class Webhooks:
    def __init__(self, secret: str, sender: Sender, sleep: Sleep = asyncio.sleep) -> None:
        self._secret = secret.encode()
        self._sender = sender
        self._sleep = sleep
        self._queue: asyncio.Queue[Delivery] = asyncio.Queue(WAITING)
        self._tasks: set[asyncio.Task[None]] = set()

    def check(self, url: str) -> None:
        """Raise BadWebhook for a URL that can never be delivered to."""
        try:
            self._sender.check(checked_url(url))
        except (BadUrl, Undeliverable):
            raise BadWebhook() from None

    def key_for(self, kind: str, id: str, url: str) -> str:
        """The key that signs what is told about this widget to this URL."""
        return hmac.new(self._secret, f"webhook\n{kind}\n{id}\n{url}".encode(), hashlib.sha256).hexdigest()

    def tell(self, kind: str, id: str, url: str, event: str, now_ms: int, data: msgspec.Struct) -> None:
        """Put it into the queue; never waits, never fails."""
        told = {"event": event, "service": kind, "id": id, "at": iso(now_ms), "data": data}
        body = msgspec.json.encode(told)
        key, stamp = self.key_for(kind, id, url), str(now_ms // 1000)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Townsquare",
            "X-Townsquare-Event": event,
            "X-Townsquare-Delivery": secrets.token_hex(8),
            "X-Townsquare-Timestamp": stamp,
            "X-Townsquare-Signature": f"sha256={signature(key, stamp, body)}",
        }
        try:
            self._queue.put_nowait(Delivery(url, headers, body))
        except asyncio.QueueFull:
            log.warning("webhook dropped", kind=kind, id=id, why="too many are waiting")
            return
        if len(self._tasks) < AT_ONCE:
            task = asyncio.create_task(self._work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work(self) -> None:
        while not self._queue.empty():
            delivery = self._queue.get_nowait()
            try:
                await self._deliver(delivery)
            finally:
                self._queue.task_done()

    async def _deliver(self, delivery: Delivery) -> None:
        for pause in (*PAUSES, None):
            try:
                await self._sender.send(delivery)
            except Undeliverable as reason:
                log.info("webhook refused", why=str(reason))
                return
            except Exception as error:
                if pause is None:
                    log.info("webhook failed", why=type(error).__name__)
                    return
                await self._sleep(pause)
            else:
                return

    async def settled(self) -> None:
        """Wait until nothing is left to tell."""
        await self._queue.join()

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()


def signature(key: str, stamp: str, body: bytes) -> str:
    """HMAC-SHA256 of `{timestamp}.{body}`: what a receiver computes to know that it was us."""
    return hmac.new(key.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()

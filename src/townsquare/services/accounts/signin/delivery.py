"""Messages to people: on the console, by mail, or through a webhook that knows how (SMS, push, ...).

Sending happens beside the request, so that an answer is never later because a mail server is slow, and
never tells by its timing whether a message was sent. Messages wait in memory only: they hold codes, which
are nowhere kept readable. Who misses one asks for another.
"""

import asyncio
import hashlib
import hmac
import sys
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Literal, Protocol, TextIO
from urllib.parse import unquote, urlsplit

import aiosmtplib
import httpx
import msgspec
import structlog

from townsquare.clock import Clock

log = structlog.get_logger()

Channel = Literal["email", "sms"]

RETRY_AFTER = (1.0, 5.0, 20.0, 60.0)  # seconds; a code lives ten minutes
SEND_WITHIN = 15.0
SENDERS = 4
MOST_WAITING = 1_000
FAREWELL = 3.0  # seconds that messages get when the server stops


class OutgoingMessage(msgspec.Struct, frozen=True):
    channel: Channel
    to: str
    kind: str  # what it is about: sign_in, password_reset, ...
    subject: str
    text: str


class NotSent(Exception):
    """The message did not go out; `final` when trying again is useless."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class MessageSender(Protocol):
    channels: frozenset[Channel]

    async def send(self, message: OutgoingMessage) -> None: ...

    async def close(self) -> None: ...


class Console:
    """Writes messages where the operator sees them: for development."""

    channels: frozenset[Channel] = frozenset({"email", "sms"})

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    async def send(self, message: OutgoingMessage) -> None:
        stream = self._stream or sys.stderr
        stream.write(f"--- {message.channel} to {message.to}: {message.subject}\n{message.text}\n---\n")
        stream.flush()

    async def close(self) -> None:
        pass


class Smtp:
    """Mail through `smtp://user:password@host:port` (STARTTLS where offered) or `smtps://`."""

    channels: frozenset[Channel] = frozenset({"email"})

    def __init__(self, url: str, sender: str) -> None:
        place = urlsplit(url)
        self._host = place.hostname or "localhost"
        self._tls = place.scheme == "smtps"
        self._port = place.port or (465 if self._tls else 587 if place.username else 25)
        self._user = unquote(place.username) if place.username else None
        self._password = unquote(place.password) if place.password else None
        self._sender = sender

    async def send(self, message: OutgoingMessage) -> None:
        mail = EmailMessage()
        mail["From"] = self._sender
        mail["To"] = message.to
        mail["Subject"] = message.subject
        mail["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2].rstrip("> ") or None)
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text)
        try:
            await aiosmtplib.send(
                mail,
                hostname=self._host,
                port=self._port,
                username=self._user,
                password=self._password,
                use_tls=self._tls,
                timeout=SEND_WITHIN,
            )
        except aiosmtplib.SMTPRecipientsRefused as refused:
            final = all(500 <= each.code < 600 for each in refused.recipients)
            codes = [each.code for each in refused.recipients]
            raise NotSent(f"recipient refused: {codes}", final=final) from None
        except aiosmtplib.SMTPResponseException as refused:
            raise NotSent(f"mail server said {refused.code}", final=500 <= refused.code < 600) from None
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as away:
            raise NotSent(f"mail server: {type(away).__name__}") from None

    async def close(self) -> None:
        pass


class Webhook:
    """Posts messages as JSON to whoever sends them; signed, so that the receiver knows us."""

    channels: frozenset[Channel] = frozenset({"email", "sms"})

    def __init__(self, url: str, secret: str, clock: Clock) -> None:
        self._url = url
        self._secret = secret.encode()
        self._clock = clock
        self._client = httpx.AsyncClient(timeout=SEND_WITHIN)

    async def send(self, message: OutgoingMessage) -> None:
        body = msgspec.json.encode(message)
        sent_at = str(self._clock.now_ms() // 1000)
        headers = {
            "Content-Type": "application/json",
            "Townsquare-Timestamp": sent_at,
            "Townsquare-Signature": signature(self._secret, sent_at, body),
        }
        try:
            reply = await self._client.post(self._url, content=body, headers=headers)
        except httpx.HTTPError as away:
            raise NotSent(f"webhook: {type(away).__name__}") from None
        if not reply.is_success:
            final = 400 <= reply.status_code < 500 and reply.status_code not in (408, 425, 429)
            raise NotSent(f"webhook answered {reply.status_code}", final=final)

    async def close(self) -> None:
        await self._client.aclose()


def signature(secret: bytes, sent_at: str, body: bytes) -> str:
    """What a receiver recomputes: HMAC-SHA256 over the time, a dot and the body."""
    return hmac.new(secret, sent_at.encode() + b"." + body, hashlib.sha256).hexdigest()


class MessageQueue:
    """Takes messages at once and sends them beside the request, again when that fails."""

    def __init__(self, sender: MessageSender, retry_after: Sequence[float] = RETRY_AFTER) -> None:
        self._sender = sender
        self._retry_after = retry_after
        self._turn = asyncio.Semaphore(SENDERS)
        self._waiting: set[asyncio.Task[None]] = set()

    def delivers(self, channel: Channel) -> bool:
        return channel in self._sender.channels

    def post(self, message: OutgoingMessage) -> None:
        if len(self._waiting) >= MOST_WAITING:
            log.error("message dropped", kind=message.kind, why="too many are waiting")
            return
        sending = asyncio.create_task(self._send(message))
        self._waiting.add(sending)
        sending.add_done_callback(self._waiting.discard)

    async def _send(self, message: OutgoingMessage) -> None:
        for pause in (*self._retry_after, None):
            problem = await self._try(message)
            if problem is None:
                return
            if pause is None or problem.final:
                log.error("message dropped", kind=message.kind, why=str(problem))
                return
            log.warning("message not sent yet", kind=message.kind, why=str(problem))
            await asyncio.sleep(pause)

    async def _try(self, message: OutgoingMessage) -> NotSent | None:
        try:
            async with self._turn, asyncio.timeout(SEND_WITHIN):
                await self._sender.send(message)
        except NotSent as problem:
            return problem
        except TimeoutError:
            return NotSent("it took too long")
        except Exception as bug:
            log.exception("message not sent", kind=message.kind)
            return NotSent(type(bug).__name__, final=True)
        return None

    async def settled(self) -> None:
        """Wait until everything posted so far was sent or dropped."""
        await asyncio.gather(*self._waiting)

    async def close(self) -> None:
        waiting = list(self._waiting)
        if waiting:
            await asyncio.wait(waiting, timeout=FAREWELL)
        for sending in waiting:
            sending.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await self._sender.close()

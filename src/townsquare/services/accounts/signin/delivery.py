"""Delivery of messages: on the console, by mail, or through a webhook (SMS, push, ...).

Messages are sent in the background, so a slow mail server does not delay a response, and the response time
does not reveal whether a message was sent. The queue is in memory only, because messages contain codes that
are not stored in readable form. After a crash the user requests another code.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TextIO
from urllib.parse import unquote, urlsplit

import msgspec

from townsquare.clock import Clock
from townsquare.kit.addresses import IpAddress
from townsquare.kit.email_addresses import BadEmailAddress, EmailAddress
from townsquare.kit.outgoing import HttpPost, HttpSender, NotSent, SendQueue, signature

Channel = Literal["email", "sms"]

PAUSES = (1.0, 5.0, 20.0, 60.0)  # seconds between tries; a code lives ten minutes
SEND_WITHIN = 15.0
MOST_WAITING = 1_000  # all messages of a channel go to the same server
CLOSE_SECONDS = 3.0  # to send the queue when the server stops


class OutgoingMessage(msgspec.Struct, frozen=True):
    channel: Channel
    to: str
    kind: str  # sign_in, password_reset, ...
    subject: str
    text: str
    html: str = ""  # alternative for mail programs
    headers: dict[str, str] = {}  # of a mail, such as List-Unsubscribe


class MessageSender(Protocol):
    channels: frozenset[Channel]

    async def send(self, message: OutgoingMessage) -> None: ...


class Console:
    """Writes messages to stderr, for development."""

    channels: frozenset[Channel] = frozenset({"email", "sms"})

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    async def send(self, message: OutgoingMessage) -> None:
        stream = self._stream or sys.stderr
        stream.write(f"--- {message.channel} to {message.to}: {message.subject}\n{message.text}\n---\n")
        stream.flush()


class Smtp:
    """Mail through `smtp://user:password@host:port` (STARTTLS where offered) or `smtps://`."""

    channels: frozenset[Channel] = frozenset({"email"})

    def __init__(self, url: str, sender: str) -> None:
        server = urlsplit(url)
        self._host = server.hostname or "localhost"
        self._tls = server.scheme == "smtps"
        self._port = server.port or (465 if self._tls else 587 if server.username else 25)
        self._user = unquote(server.username) if server.username else None
        self._password = unquote(server.password) if server.password else None
        self._sender = sender

    async def check(self) -> None:
        """Connect and sign in; raises NotSent."""
        import aiosmtplib

        client = aiosmtplib.SMTP(hostname=self._host, port=self._port, use_tls=self._tls, timeout=SEND_WITHIN)
        try:
            async with client:
                if self._user is not None:
                    await client.login(self._user, self._password or "")
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise NotSent(f"mail server {self._host}:{self._port}: {error}") from None

    async def send(self, message: OutgoingMessage) -> None:
        from email.headerregistry import Address
        from email.message import EmailMessage
        from email.utils import make_msgid

        import aiosmtplib

        to = mail_address(message)
        mail = EmailMessage()
        mail["From"] = self._sender
        mail["To"] = Address(username=to.local, domain=to.domain)
        mail["Subject"] = message.subject
        mail["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2].rstrip("> ") or None)
        mail["Auto-Submitted"] = "auto-generated"
        for name, value in message.headers.items():
            mail[name] = value
        mail.set_content(message.text)
        if message.html:
            mail.add_alternative(message.html, subtype="html")
        try:
            await aiosmtplib.send(
                mail,
                recipients=[to.envelope],
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


def is_sender(text: str) -> bool:
    """Whether this is a valid sender: one address with an optional name."""
    from email.message import EmailMessage

    mail = EmailMessage()
    try:
        mail["From"] = text
    except (ValueError, IndexError):  # line breaks and truncated input
        return False
    written = mail["From"]
    return len(written.addresses) == 1 and not written.defects and bool(written.addresses[0].domain)


def mail_address(message: OutgoingMessage) -> EmailAddress:
    """The mailbox of a message, in the same grammar as for accounts."""
    try:
        return EmailAddress.parse(message.to)
    except BadEmailAddress:
        raise NotSent("not an email address", final=True) from None


class Webhook:
    """Posts messages as signed JSON to a service that sends them."""

    channels: frozenset[Channel] = frozenset({"email", "sms"})

    def __init__(self, url: str, secret: str, clock: Clock) -> None:
        self._url = url
        self._secret = secret.encode()
        self._clock = clock
        self._http = HttpSender(seconds=SEND_WITHIN, allows=anywhere)

    async def send(self, message: OutgoingMessage) -> None:
        body = msgspec.json.encode(message)
        sent_at = str(self._clock.now_ms() // 1000)
        headers = {
            "Content-Type": "application/json",
            "Townsquare-Timestamp": sent_at,
            "Townsquare-Signature": signature(self._secret, sent_at, body),
        }
        await self._http.send(HttpPost(self._url, headers, body))


def anywhere(address: IpAddress) -> bool:
    """Allow any address: the operator configured it, and it may be private."""
    return True


class MessageQueue:
    """Sends messages in the background, with retries."""

    def __init__(
        self,
        sender: MessageSender,
        pauses: Sequence[float] = PAUSES,
        on_loss: Callable[[str], None] = lambda kind: None,
    ) -> None:
        self._sender = sender
        self._queue = SendQueue(self._send, pauses=pauses, most_waiting_for_one=MOST_WAITING, on_loss=on_loss)

    def delivers(self, channel: Channel) -> bool:
        return channel in self._sender.channels

    def post(self, message: OutgoingMessage) -> None:
        self._queue.put(message, receiver=message.channel, about=message.kind)

    async def _send(self, message: OutgoingMessage) -> None:
        if message.channel == "email":
            mail_address(message)
        try:
            async with asyncio.timeout(SEND_WITHIN):
                await self._sender.send(message)
        except TimeoutError:
            raise NotSent("it took too long") from None

    async def settled(self) -> None:
        """Wait until every message was sent or dropped."""
        await self._queue.settled()

    async def close(self) -> None:
        await self._queue.close(CLOSE_SECONDS)

"""A mail server on this machine that keeps what it gets."""

import asyncio
import email
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage

from aiosmtpd.smtp import SMTP, Envelope, Session


class Mailbox:
    """What a mail server does with mail; answers are its words, the last for all that follow."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.answers = ["250 OK"]
        self.tries = 0
        self.recipients: list[list[str]] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.tries += 1
        self.recipients.append(envelope.rcpt_tos)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.startswith("2"):
            raw = envelope.original_content
            assert raw is not None
            self.mails.append(email.message_from_bytes(raw, policy=email.policy.default))
        return answer


class MailServer:
    def __init__(self, port: int) -> None:
        self.box = Mailbox()
        self.url = f"smtp://127.0.0.1:{port}"


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    found: list[MailServer] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(found[0].box, hostname="mail.test", loop=loop), "127.0.0.1", 0
    )
    found.append(MailServer(server.sockets[0].getsockname()[1]))
    try:
        yield found[0]
    finally:
        server.close()
        await server.wait_closed()

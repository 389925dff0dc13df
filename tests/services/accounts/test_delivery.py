import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.kit.test_email_addresses import NOT_ADDRESSES
from tests.services.accounts.door import EMAIL, LAPTOP, PHONE, open_door
from tests.services.accounts.issuers import LocalServer
from tests.support.clock import PinnedClock
from tests.support.mail import MailServer, mail_server
from townsquare.kit.outgoing import NotSent, signature
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.service import message_sender
from townsquare.services.accounts.signin.delivery import (
    Channel,
    Console,
    MessageQueue,
    OutgoingMessage,
    Smtp,
    Webhook,
)
from townsquare.services.accounts.signin.models import Client
from townsquare.settings import Settings, SettingsError
from townsquare.square import Square

CODE = OutgoingMessage(
    "email", EMAIL, "sign_in", "Your code is 123456", "Your code is 123456.\nIt works once. ✓"
)
SENDER = "Townsquare <no-reply@example.org>"


@pytest.fixture
async def mail() -> AsyncIterator[MailServer]:
    async with mail_server() as server:
        yield server


class Receiver(LocalServer):
    """A webhook that remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__([Route("/send", self._take, methods=["POST"])])
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.statuses = [200]

    async def _take(self, request: Request) -> Response:
        self.requests.append((dict(request.headers), await request.body()))
        return Response(status_code=self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0])


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    async with receiver.running():
        yield receiver


async def post(delivery: Any, *messages: OutgoingMessage, retries: int = 3) -> None:
    queue = MessageQueue(delivery, pauses=[0.0] * retries)
    for message in messages:
        queue.post(message)
    await queue.settled()
    await queue.close()


@pytest.mark.parametrize("to", NOT_ADDRESSES, ids=lambda to: repr(to[:40]))
async def test_what_nobody_can_sign_up_with_is_not_written_to(mail: MailServer, to: str) -> None:
    """Whatever has brought it here: a list, a comment or a header in it would reach somebody else."""
    message = msgspec.structs.replace(CODE, to=to)
    stream = io.StringIO()
    await post(Console(stream), message)
    await post(Smtp(mail.url, SENDER), message)
    with pytest.raises(NotSent, match="not an email address"):
        await Smtp(mail.url, SENDER).send(message)
    assert (stream.getvalue(), mail.box.tries) == ("", 0)


async def test_mail_goes_to_the_mailbox_as_it_was_typed(mail: MailServer) -> None:
    await post(Smtp(mail.url, SENDER), msgspec.structs.replace(CODE, to="Alice.O'Neil+x@MÜNCHEN.de"))
    (received,) = mail.box.mails
    assert received["To"] == "Alice.O'Neil+x@xn--mnchen-3ya.de"
    assert mail.box.recipients == [["Alice.O'Neil+x@xn--mnchen-3ya.de"]]


async def test_the_console_shows_the_message() -> None:
    stream = io.StringIO()
    await post(Console(stream), CODE)
    assert "email to alice@example.org" in stream.getvalue()
    assert "123456" in stream.getvalue()


async def test_mail_arrives_as_mail(mail: MailServer) -> None:
    await post(Smtp(mail.url, SENDER), CODE)
    (received,) = mail.box.mails
    assert (received["To"], received["From"], received["Subject"]) == (EMAIL, SENDER, "Your code is 123456")
    assert received["Auto-Submitted"] == "auto-generated"
    assert received["Message-ID"].endswith("@example.org>")
    assert received.get_content().splitlines() == CODE.text.splitlines()


async def test_mail_that_is_refused_for_now_is_sent_again(mail: MailServer) -> None:
    mail.box.answers = ["451 try later", "451 try later", "250 OK"]
    await post(Smtp(mail.url, SENDER), CODE)
    assert (len(mail.box.mails), mail.box.tries) == (1, 3)


async def test_mail_that_is_refused_for_good_is_not_sent_again(mail: MailServer) -> None:
    mail.box.answers = ["550 no such user"]
    await post(Smtp(mail.url, SENDER), CODE)
    assert (mail.box.mails, mail.box.tries) == ([], 1)


async def test_a_mail_server_that_is_away_is_a_reason_to_try_again() -> None:
    with pytest.raises(NotSent) as problem:
        await Smtp("smtp://127.0.0.1:1", SENDER).send(CODE)
    assert not problem.value.final


async def test_no_address_can_add_a_header(mail: MailServer) -> None:
    evil = OutgoingMessage("email", "a@example.org\r\nBcc: victim@example.org", "sign_in", "Hello", "text")
    await post(Smtp(mail.url, SENDER), evil, CODE)
    assert [received["To"] for received in mail.box.mails] == [EMAIL]


async def test_a_webhook_gets_signed_json(receiver: Receiver, clock: PinnedClock) -> None:
    await post(Webhook(f"{receiver.url}/send", "shared", clock), CODE)
    ((headers, body),) = receiver.requests
    sent_at = headers["townsquare-timestamp"]
    assert headers["townsquare-signature"] == signature(b"shared", sent_at, body)
    assert sent_at == str(clock.now_ms() // 1000)
    assert b'"to":"alice@example.org"' in body
    assert b"123456" in body


@pytest.mark.parametrize(("statuses", "tries"), [([503, 429, 200], 3), ([400], 1), ([500], 4)])
async def test_a_webhook_is_tried_again_when_that_may_help(
    receiver: Receiver, clock: PinnedClock, statuses: list[int], tries: int
) -> None:
    receiver.statuses = statuses
    await post(Webhook(f"{receiver.url}/send", "shared", clock), CODE)
    assert len(receiver.requests) == tries


class Stuck:
    """A delivery that waits until it is let go."""

    channels: frozenset[Channel] = frozenset({"email", "sms"})

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.sent = 0

    async def send(self, message: OutgoingMessage) -> None:
        await self.go.wait()
        self.sent += 1

    async def close(self) -> None:
        self.go.set()


async def test_a_slow_delivery_delays_no_answer(square: Square) -> None:
    stuck = Stuck()
    async with open_door(square) as door:
        door.accounts._messages._sender = stuck
        await door.accounts.code.send(EMAIL, Client("192.0.2.1"))
        await door.accounts.password.sign_up(
            UserProfile(email="bob@example.org"), "correct horse battery", LAPTOP
        )
        assert stuck.sent == 0
        stuck.go.set()
        await door.accounts.delivered()
        assert stuck.sent == 2


async def test_what_waits_is_sent_before_the_server_stops() -> None:
    stuck = Stuck()
    queue = MessageQueue(stuck)
    queue.post(CODE)
    asyncio.get_running_loop().call_later(0.01, stuck.go.set)
    await queue.close()
    assert stuck.sent == 1


async def test_one_broken_message_does_not_hold_up_the_others() -> None:
    class Picky(Stuck):
        async def send(self, message: OutgoingMessage) -> None:
            if message.to == PHONE:
                raise RuntimeError("a bug")
            self.sent += 1

    picky = Picky()
    broken = OutgoingMessage("sms", PHONE, "sign_in", "", "")
    await post(picky, broken, CODE, broken, CODE)
    assert picky.sent == 2


async def test_a_flood_of_messages_is_bounded() -> None:
    stuck = Stuck()
    queue = MessageQueue(stuck)
    queue._queue._most_waiting_for_one = 5
    for _ in range(50):
        queue.post(CODE)
    stuck.go.set()
    await queue.settled()
    assert stuck.sent == 5
    await queue.close()


def test_the_settings_choose_the_delivery(clock: PinnedClock) -> None:
    def chosen(**given: Any) -> Any:
        return message_sender(Settings.load(environ={}, **given), clock)

    assert isinstance(chosen(), Console)
    assert isinstance(chosen(delivery="smtp", smtp_url="smtp://localhost"), Smtp)
    hook = {"delivery": "webhook", "delivery_webhook": "http://localhost/"}
    assert isinstance(chosen(**hook, delivery_webhook_secret="sixteen or more."), Webhook)
    for lacking in ({"delivery": "smtp"}, hook):
        with pytest.raises(SettingsError):
            chosen(**lacking)

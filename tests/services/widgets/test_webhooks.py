import asyncio
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from ipaddress import ip_address
from typing import Any, NamedTuple

import pytest

from tests.services.widgets.given import ID, TOKEN, URL, visitor
from tests.support.squares import assert_clean
from tests.support.waiting import until
from townsquare.services.widgets import keys
from townsquare.services.widgets.models.common import View
from townsquare.services.widgets.problems import BadWebhook, WrongToken
from townsquare.services.widgets.service import Widgets
from townsquare.services.widgets.webhooks import (
    Delivery,
    HttpSender,
    Undeliverable,
    Webhooks,
    deliveries,
    is_public,
    sending,
)
from townsquare.square import Square

SECRET = "of the server"


class Received(NamedTuple):
    head: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Somebody's server on this machine, that answers with these in turn."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.received: list[Received] = []
        self.port = 0
        self.silent = False

    @property
    def hook(self) -> str:
        return f"http://hooks.example:{self.port}/told?by=square"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
            }
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.received.append(Received(head, headers, body))
            if self.silent:
                await reader.read()
            answer = self.answers.pop(0) if self.answers else "200 OK"
            writer.write(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    async with await asyncio.start_server(receiver.serve, "127.0.0.1", 0) as listening:
        receiver.port = listening.sockets[0].getsockname()[1]
        yield receiver


def resolving(*addresses: str) -> Callable[[str, int], Any]:
    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve


class Pauses:
    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
async def webhooks(pauses: Pauses) -> AsyncIterator[Webhooks]:
    """A sender that takes this machine for a public one."""
    sender = HttpSender(resolving("127.0.0.1"), allows=lambda address: True)
    webhooks = Webhooks(SECRET, sender, pauses)
    yield webhooks
    webhooks.close()


@pytest.fixture
async def widgets(square: Square, webhooks: Webhooks) -> AsyncIterator[Widgets]:
    widgets = Widgets(square.store, square.jobs, SECRET, webhooks)
    yield widgets
    widgets.close()


async def test_what_happens_is_told_and_signed(
    widgets: Widgets, webhooks: Webhooks, receiver: Receiver, square: Square
) -> None:
    await widgets.counter.create(URL, TOKEN)
    key = await widgets.counter.set_webhook(ID, TOKEN, receiver.hook)
    assert key
    await widgets.counter.increment(ID, visitor())
    await widgets.counter.increment(ID, visitor())
    await webhooks.settled()
    (told,) = receiver.received
    assert told.head == "POST /told?by=square HTTP/1.1"
    assert told.headers["host"] == f"hooks.example:{receiver.port}"
    assert told.headers["x-townsquare-event"] == "counted"
    stamp = told.headers["x-townsquare-timestamp"]
    signed = hmac.new(key.encode(), stamp.encode() + b"." + told.body, hashlib.sha256).hexdigest()
    assert told.headers["x-townsquare-signature"] == f"sha256={signed}"
    body = json.loads(told.body)
    assert (body["event"], body["service"], body["id"], body["data"]["total"]) == (
        "counted",
        "counter",
        ID,
        1,
    )
    record = await square.store.get(keys.counter(ID))
    assert record is not None
    assert key not in str(record)
    await assert_clean(square.store)


async def test_every_widget_tells(widgets: Widgets, webhooks: Webhooks, receiver: Receiver) -> None:
    for service in (widgets.like, widgets.ranking, widgets.bbs):
        await service.create(URL, TOKEN)
        await service.set_webhook(ID, TOKEN, receiver.hook)
    await widgets.like.toggle(ID, visitor())
    await widgets.like.toggle(ID, visitor())
    await widgets.ranking.submit(ID, visitor(1), "ann", 1)
    await widgets.ranking.submit(ID, visitor(2), "ann", 0)
    posted = await widgets.bbs.post(ID, visitor(), "hi")
    assert isinstance(posted.message_id, str)
    assert isinstance(posted.edit_token, str)
    await widgets.bbs.edit_message(ID, posted.message_id, "ho", edit_token=posted.edit_token)
    await widgets.bbs.delete_message(ID, posted.message_id, edit_token=posted.edit_token)
    await webhooks.settled()
    events = sorted(told.headers["x-townsquare-event"] for told in receiver.received)
    assert events == ["edited", "liked", "posted", "removed", "submitted", "unliked"]
    assert posted.edit_token not in str(receiver.received)


async def test_an_owner_who_takes_the_webhook_away_is_told_no_more(
    widgets: Widgets, webhooks: Webhooks, receiver: Receiver
) -> None:
    await widgets.like.create(URL, TOKEN)
    await widgets.like.set_webhook(ID, TOKEN, receiver.hook)
    assert await widgets.like.set_webhook(ID, TOKEN, "") is None
    await widgets.like.toggle(ID, visitor())
    await webhooks.settled()
    assert receiver.received == []
    with pytest.raises(WrongToken):
        await widgets.like.set_webhook(ID, "wrong token", receiver.hook)


async def test_it_tries_three_times(webhooks: Webhooks, receiver: Receiver, pauses: Pauses) -> None:
    receiver.answers = ["500 Oops", "429 Slow down", "200 OK"]
    tell(webhooks, receiver.hook)
    await webhooks.settled()
    assert (len(receiver.received), pauses.taken) == (3, [1.0, 5.0])
    receiver.answers = ["503 No"] * 5
    tell(webhooks, receiver.hook)
    await webhooks.settled()
    assert len(receiver.received) == 6


@pytest.mark.parametrize("answer", ["404 Not found", "302 Found\r\nLocation: http://127.0.0.1:1/"])
async def test_a_refusal_or_a_redirect_ends_it(webhooks: Webhooks, receiver: Receiver, answer: str) -> None:
    receiver.answers = [answer]
    tell(webhooks, receiver.hook)
    await webhooks.settled()
    assert len(receiver.received) == 1


async def test_a_receiver_that_does_not_answer_costs_its_limit_and_no_visitor_waits(
    widgets: Widgets, webhooks: Webhooks, receiver: Receiver, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.silent = True
    await widgets.like.create(URL, TOKEN)
    await widgets.like.set_webhook(ID, TOKEN, receiver.hook)
    async with asyncio.timeout(2):
        for number in range(20):
            await widgets.like.toggle(ID, visitor(number))
    assert pauses.taken == []
    await until(lambda: len(receiver.received) == deliveries.AT_ONCE)
    assert sending.SECONDS == 5
    monkeypatch.setattr(sending, "SECONDS", 0.05)
    sender = HttpSender(resolving("127.0.0.1"), allows=lambda address: True)
    with pytest.raises(TimeoutError):
        await sender.send(Delivery(receiver.hook, {}, b"{}"))


async def test_too_many_that_wait_are_dropped(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "WAITING", 3)
    webhooks = Webhooks(SECRET, HttpSender(resolving("127.0.0.1"), allows=lambda address: True))
    for _ in range(10):
        tell(webhooks, receiver.hook)
    await webhooks.settled()
    assert len(receiver.received) == 3


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.5.5", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255", "198.18.0.1", "240.0.0.1"),
        *("::1", "::", "fe80::1", "fc00::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
        *(
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "::127.0.0.1",
            "2001:db8::1",
        ),
        *("2001::1", "fec0::1"),
    ],
)
async def test_no_private_address_is_ever_reached(address: str, receiver: Receiver) -> None:
    assert not is_public(ip_address(address))
    named = HttpSender(resolving("93.184.215.14", address))
    with pytest.raises(Undeliverable):
        await named.send(Delivery(f"http://looks-public.example:{receiver.port}/", {}, b"{}"))
    written = f"[{address}]" if ":" in address else address
    with pytest.raises(Undeliverable):
        HttpSender().check(f"http://{written}:{receiver.port}/")
    assert receiver.received == []


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808"]
)
def test_a_public_address_may_be_reached(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "hook",
    [
        *(
            "http://127.0.0.1/",
            "http://localhost/",
            "http://x.localhost:8080/",
            "http://[::1]/",
            "ftp://e.com/",
        ),
        *(
            "http://10.1.2.3/",
            "https://user:pass@e.com/",
            "http://169.254.169.254/latest",
            "nonsense",
            "http://",
        ),
        "https://e.com/" + "x" * 2048,
    ],
)
async def test_a_webhook_that_can_never_be_reached_is_refused_at_once(square: Square, hook: str) -> None:
    await square.widgets.counter.create(URL, TOKEN)
    with pytest.raises(BadWebhook):
        await square.widgets.counter.set_webhook(ID, TOKEN, hook)


async def test_an_odd_way_to_write_an_address_is_judged_by_what_it_resolves_to(receiver: Receiver) -> None:
    for host in ("2130706433", "0x7f.1", "127.1", "localtest"):
        sender = HttpSender(resolving("127.0.0.1"))
        with pytest.raises(Undeliverable):
            await sender.send(Delivery(f"http://{host}:{receiver.port}/", {}, b"{}"))
    assert receiver.received == []


async def test_the_key_is_of_one_widget_and_one_address(webhooks: Webhooks) -> None:
    keys_of_some = {
        webhooks.key_for(kind, id, url)
        for kind in ("counter", "like")
        for id in (ID, "other-00000000")
        for url in ("https://a.example", "https://b.example")
    }
    assert len(keys_of_some) == 8


def tell(webhooks: Webhooks, hook: str) -> None:
    webhooks.tell("counter", ID, hook, "counted", 1_000_000, View(id=ID, url=URL))

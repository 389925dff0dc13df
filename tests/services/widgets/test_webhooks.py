import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator

import pytest

from tests.services.widgets.given import ID, TOKEN, URL, visitor
from tests.support.receivers import HttpReceiver, http_receiver, resolving
from tests.support.squares import assert_clean
from tests.support.waiting import until
from townsquare.kit.outgoing import AT_ONCE_TO_ONE, HttpSender
from townsquare.services.widgets import keys
from townsquare.services.widgets.models import WidgetView
from townsquare.services.widgets.problems import BadWebhook, WrongToken
from townsquare.services.widgets.service import Widgets
from townsquare.services.widgets.webhooks import Webhooks
from townsquare.square import Square

SECRET = "of the server"


@pytest.fixture
async def receiver() -> AsyncIterator[HttpReceiver]:
    async with http_receiver() as receiver:
        yield receiver


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
    sender = HttpSender(seconds=5, resolve=resolving("127.0.0.1"), allows=lambda address: True)
    webhooks = Webhooks(SECRET, sender, pauses)
    yield webhooks
    webhooks.close()


@pytest.fixture
async def widgets(square: Square, webhooks: Webhooks) -> AsyncIterator[Widgets]:
    widgets = Widgets(square.store, square.jobs, SECRET, webhooks)
    yield widgets
    widgets.close()


async def test_what_happens_is_told_and_signed(
    widgets: Widgets, webhooks: Webhooks, receiver: HttpReceiver, square: Square
) -> None:
    await widgets.counter.create(URL, TOKEN)
    key = await widgets.counter.set_webhook(ID, TOKEN, receiver.url)
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


async def test_every_widget_tells(widgets: Widgets, webhooks: Webhooks, receiver: HttpReceiver) -> None:
    for service in (widgets.like, widgets.ranking, widgets.bbs):
        await service.create(URL, TOKEN)
        await service.set_webhook(ID, TOKEN, receiver.url)
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
    widgets: Widgets, webhooks: Webhooks, receiver: HttpReceiver
) -> None:
    await widgets.like.create(URL, TOKEN)
    await widgets.like.set_webhook(ID, TOKEN, receiver.url)
    assert await widgets.like.set_webhook(ID, TOKEN, "") is None
    await widgets.like.toggle(ID, visitor())
    await webhooks.settled()
    assert receiver.received == []
    with pytest.raises(WrongToken):
        await widgets.like.set_webhook(ID, "wrong token", receiver.url)


async def test_it_tries_three_times(webhooks: Webhooks, receiver: HttpReceiver, pauses: Pauses) -> None:
    receiver.answers = ["500 Oops", "429 Slow down", "200 OK"]
    send(webhooks, receiver.url)
    await webhooks.settled()
    assert (len(receiver.received), pauses.taken) == (3, [1.0, 5.0])
    receiver.answers = ["503 No"] * 5
    send(webhooks, receiver.url)
    await webhooks.settled()
    assert len(receiver.received) == 6


@pytest.mark.parametrize("answer", ["404 Not found", "302 Found\r\nLocation: http://127.0.0.1:1/"])
async def test_a_refusal_or_a_redirect_ends_it(
    webhooks: Webhooks, receiver: HttpReceiver, answer: str
) -> None:
    receiver.answers = [answer]
    send(webhooks, receiver.url)
    await webhooks.settled()
    assert len(receiver.received) == 1


async def test_a_receiver_that_does_not_answer_costs_its_limit_and_no_visitor_waits(
    widgets: Widgets, webhooks: Webhooks, receiver: HttpReceiver, pauses: Pauses
) -> None:
    receiver.silent = True
    await widgets.like.create(URL, TOKEN)
    await widgets.like.set_webhook(ID, TOKEN, receiver.url)
    async with asyncio.timeout(2):
        for number in range(20):
            await widgets.like.toggle(ID, visitor(number))
    assert pauses.taken == []
    await until(lambda: len(receiver.received) == AT_ONCE_TO_ONE)


async def test_all_hooks_of_one_server_are_one_receiver(webhooks: Webhooks, receiver: HttpReceiver) -> None:
    receiver.silent = True
    for number in range(100):
        send(webhooks, f"{receiver.url}&hook={number}")
    async with http_receiver() as other:
        send(webhooks, other.url)
        await until(lambda: other.received and not other.open)
    assert len(receiver.received) == AT_ONCE_TO_ONE
    webhooks.close()
    await until(lambda: not receiver.open)


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


async def test_the_key_is_of_one_widget_and_one_address(webhooks: Webhooks) -> None:
    keys_of_some = {
        webhooks.key_for(kind, id, url)
        for kind in ("counter", "like")
        for id in (ID, "other-00000000")
        for url in ("https://a.example", "https://b.example")
    }
    assert len(keys_of_some) == 8


def send(webhooks: Webhooks, hook: str) -> None:
    webhooks.send("counter", ID, hook, "counted", 1_000_000, WidgetView(id=ID, url=URL))

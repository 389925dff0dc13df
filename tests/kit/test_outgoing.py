import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from tests.support.receivers import HttpReceiver, http_receiver, resolving
from tests.support.waiting import until
from townsquare.kit import outgoing
from townsquare.kit.outgoing import (
    AT_ONCE,
    AT_ONCE_TO_ONE,
    AT_ONCE_TO_SLOW,
    HttpPost,
    HttpSender,
    NotSent,
    SendQueue,
    signature,
)


@pytest.fixture
async def receiver() -> AsyncIterator[HttpReceiver]:
    async with http_receiver() as receiver:
        yield receiver


@pytest.fixture
def sender() -> HttpSender:
    """One that takes this machine for a public one."""
    return HttpSender(seconds=5, resolve=resolving("127.0.0.1"), allows=lambda address: True)


def post_to(receiver: HttpReceiver) -> HttpPost:
    return HttpPost(receiver.url, {"X-Said": "hello"}, b"{}")


async def test_what_is_sent_arrives(sender: HttpSender, receiver: HttpReceiver) -> None:
    await sender.send(post_to(receiver))
    (received,) = receiver.received
    assert received.head == "POST /told?by=square HTTP/1.1"
    assert received.headers["host"] == f"hooks.example:{receiver.port}"
    assert received.headers["x-said"] == "hello"
    assert received.body == b"{}"


@pytest.mark.parametrize(
    ("answer", "final"),
    [
        ("404 Not found", True),
        ("302 Found\r\nLocation: http://127.0.0.1:1/", True),
        ("408 Timeout", False),
        ("429 Slow down", False),
        ("500 Oops", False),
    ],
)
async def test_an_answer_says_whether_another_try_can_help(
    sender: HttpSender, receiver: HttpReceiver, answer: str, final: bool
) -> None:
    receiver.answers = [answer]
    with pytest.raises(NotSent) as failed:
        await sender.send(post_to(receiver))
    assert failed.value.final is final
    assert len(receiver.received) == 1


async def test_a_receiver_that_is_silent_or_away_may_be_tried_again(receiver: HttpReceiver) -> None:
    receiver.silent = True
    hasty = HttpSender(seconds=0.05, resolve=resolving("127.0.0.1"), allows=lambda address: True)
    with pytest.raises(NotSent, match="too long") as failed:
        await hasty.send(post_to(receiver))
    assert not failed.value.final
    patient = HttpSender(seconds=5, resolve=resolving("127.0.0.1"), allows=lambda address: True)
    with pytest.raises(NotSent, match="ConnectError") as failed:
        await patient.send(HttpPost("http://away.example:1/", {}, b""))
    assert not failed.value.final
    nameless = HttpSender(seconds=1, resolve=resolving())
    with pytest.raises(NotSent, match="no address"):
        await nameless.send(post_to(receiver))


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"])
async def test_no_private_address_is_ever_reached(address: str, receiver: HttpReceiver) -> None:
    named = HttpSender(seconds=5, resolve=resolving("93.184.215.14", address))
    written = f"[{address}]" if ":" in address else address
    for url in (f"http://looks-public.example:{receiver.port}/", f"http://{written}:{receiver.port}/"):
        with pytest.raises(NotSent) as refused:
            await named.send(HttpPost(url, {}, b"{}"))
        assert refused.value.final
    assert not named.may_reach(f"http://{written}/")
    assert receiver.received == []


async def test_an_odd_way_to_write_an_address_is_judged_by_what_it_resolves_to(
    receiver: HttpReceiver,
) -> None:
    sender = HttpSender(seconds=5, resolve=resolving("127.0.0.1"))
    for host in ("2130706433", "0x7f.1", "127.1", "localtest"):
        with pytest.raises(NotSent, match="may be reached"):
            await sender.send(HttpPost(f"http://{host}:{receiver.port}/", {}, b"{}"))
    assert receiver.received == []


@pytest.mark.parametrize("host", ["localhost", "x.localhost:8080", "127.0.0.1", "[::1]", "169.254.169.254"])
def test_what_need_not_be_resolved_is_refused_at_once(host: str) -> None:
    assert not HttpSender(seconds=1).may_reach(f"http://{host}/")
    assert HttpSender(seconds=1, allows=lambda address: True).may_reach(f"http://{host}/")


class Sent:
    """Takes what a queue sends; fails with these first."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.items: list[str] = []
        self.tries = 0
        self.pauses: list[float] = []

    async def send(self, item: str) -> None:
        self.tries += 1
        if self.failures:
            raise self.failures.pop(0)
        self.items.append(item)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def queue(self) -> SendQueue[str]:
        return SendQueue(self.send, pauses=(1.0, 5.0), most_waiting_for_one=3, sleep=self.sleep)


async def test_what_fails_is_tried_again_after_pauses() -> None:
    sent = Sent(NotSent("away"), NotSent("away"))
    queue = sent.queue()
    queue.put("a", receiver="r", about="a")
    await queue.settled()
    assert (sent.items, sent.pauses) == (["a"], [1.0, 5.0])


@pytest.mark.parametrize(
    ("failures", "tries"),
    [
        ([NotSent("away")] * 9, 3),
        ([NotSent("refused", final=True)], 1),
        ([RuntimeError("a bug")], 1),
    ],
)
async def test_it_is_given_up_when_nothing_helps(failures: list[Exception], tries: int) -> None:
    sent = Sent(*failures)
    queue = sent.queue()
    queue.put("a", receiver="r", about="a")
    await queue.settled()
    assert (sent.items, sent.tries) == ([], tries)


async def test_too_many_that_wait_for_one_receiver_are_dropped_and_no_others() -> None:
    sent = Sent()
    queue = sent.queue()
    for number in range(10):
        queue.put(str(number), receiver="r", about="numbers")
    queue.put("other", receiver="s", about="other")
    await queue.settled()
    assert sorted(sent.items) == ["0", "1", "2", "other"]


async def test_many_slow_receivers_leave_room_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "SLOW", 0.01)
    tries: Counter[str] = Counter()

    async def send(item: str) -> None:
        tries[item] += 1
        if item.startswith("slow"):
            await asyncio.sleep(0.02 if tries[item] == 1 else 3_600)
            raise NotSent("it took too long")

    queue = SendQueue(send, pauses=(0.0, 0.0))
    for number in range(2 * AT_ONCE):
        queue.put(f"slow {number}", receiver=str(number), about="slow")
    await until(lambda: sum(count == 2 for count in tries.values()) == AT_ONCE_TO_SLOW)
    queue.put("quick", receiver="quick", about="quick")
    await until(lambda: "quick" in tries)
    await queue.close()


async def test_a_slow_receiver_leaves_room_for_the_others() -> None:
    begun: list[str] = []
    answered = asyncio.Event()

    async def send(item: str) -> None:
        begun.append(item)
        if item == "slow":
            await answered.wait()

    queue = SendQueue(send, pauses=())
    for _ in range(100):
        queue.put("slow", receiver="slow", about="slow")
    queue.put("quick", receiver="quick", about="quick")
    await until(lambda: "quick" in begun)
    assert begun.count("slow") == AT_ONCE_TO_ONE
    answered.set()
    await queue.settled()
    assert begun.count("slow") == 100


async def test_closing_gives_what_waits_some_time() -> None:
    sent = Sent()
    queue = sent.queue()
    queue.put("a", receiver="r", about="a")
    await queue.close(grace=1)
    assert sent.items == ["a"]
    stuck = SendQueue[str](lambda item: asyncio.Event().wait(), pauses=())  # type: ignore[arg-type,return-value]
    stuck.put("b", receiver="r", about="b")
    await stuck.close(grace=0.01)


def test_a_signature_is_of_the_time_and_the_body() -> None:
    signed = {signature(key, at, body) for key in (b"k", b"l") for at in ("1", "2") for body in (b"", b"x")}
    assert len(signed) == 8
    assert signature(b"k", "1", b"x") == signature(b"k", "1", b"x")

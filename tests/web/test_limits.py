import asyncio
from collections import Counter

import pytest

from tests.support.logs import capture_logs
from tests.web.asking import app_with, ask, endpoint
from townsquare.api import Call, Identity, Limit, by_user
from townsquare.problems import TooManyRequests, Unavailable
from townsquare.settings import Settings
from townsquare.store.coordination.limits import Limiter
from townsquare.web.limits import ALONE_FOR, LEASES_KEPT, RateLimit
from townsquare.web.metrics import Metrics
from townsquare.web.responses import ReplyHeaders

FEW = Limit("few", 5, 60)
MANY = Limit("many", 1_200, 60)


class FixedWindows(Limiter):
    """The store's side in memory, with a clock that tests move."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.used: Counter[tuple[str, str, str, int]] = Counter()
        self.calls = 0
        self.away: Exception | None = None
        self.slow = asyncio.Event()
        self.slow.set()

    async def take(
        self, name: str, who: str, count: int, seconds: int, amount: int, *, per: str = "ip"
    ) -> tuple[int, int, float]:
        self.calls += 1
        await self.slow.wait()
        if self.away:
            raise self.away
        window = int(self.now // seconds)
        key = (per, name, who, window)
        granted = max(0, min(amount, count - self.used[key]))
        self.used[key] += granted
        return granted, count - self.used[key], (window + 1) * seconds - self.now


def call(ip: str = "203.0.113.9", user: str = "") -> Call:
    identity = Identity(user) if user else None
    return Call("id", ip, "", {}, {}, {}, identity)


def rate_limit(limit: Limit, store: FixedWindows) -> RateLimit:
    return RateLimit(limit, store, Metrics(), now=lambda: store.now)


async def passes(made: RateLimit, who: Call, times: int) -> int:
    passed = 0
    for _ in range(times):
        try:
            await made.acquire(who, ReplyHeaders())
            passed += 1
        except TooManyRequests:
            pass
    return passed


async def test_a_small_limit_is_exact() -> None:
    store = FixedWindows()
    assert await passes(rate_limit(FEW, store), call(), 20) == 5
    assert store.calls == 5


async def test_a_small_limit_is_exact_over_several_processes() -> None:
    store = FixedWindows()
    first, second = rate_limit(FEW, store), rate_limit(FEW, store)
    assert (
        await passes(first, call(), 3) + await passes(second, call(), 20) + await passes(first, call(), 9)
        == 5
    )


async def test_a_generous_limit_asks_the_store_once_in_many_requests() -> None:
    store = FixedWindows()
    assert await passes(rate_limit(MANY, store), call(), 120) == 120
    assert store.calls == 10


async def test_a_generous_limit_is_never_exceeded() -> None:
    store = FixedWindows()
    first, second = rate_limit(MANY, store), rate_limit(MANY, store)
    passed = [await passes(each, call(), 101) for each in (first, second) * 8]
    assert 1_200 - 12 <= sum(passed) <= 1_200


async def test_a_refused_client_does_not_reach_the_store_again() -> None:
    store = FixedWindows()
    made = rate_limit(FEW, store)
    await passes(made, call(), 6)
    calls = store.calls
    assert await passes(made, call(), 100) == 0
    assert store.calls == calls


async def test_a_new_window_gives_new_tokens_and_drops_the_old() -> None:
    store = FixedWindows()
    made = rate_limit(MANY, store)
    await passes(made, call(), 1)
    store.now += 60
    assert await passes(made, call(), 1_300) == 1_200


async def test_concurrent_requests_share_one_question_to_the_store() -> None:
    store = FixedWindows()
    store.slow.clear()
    made = rate_limit(Limit("mid", 100, 60), store)
    waiting = [asyncio.create_task(made.acquire(call(), ReplyHeaders())) for _ in range(50)]
    await asyncio.sleep(0)
    assert store.calls == 1
    store.slow.set()
    await asyncio.gather(*waiting)
    assert store.calls <= 3


async def test_concurrent_requests_do_not_pass_a_small_limit() -> None:
    store = FixedWindows()
    outcomes = await asyncio.gather(
        *(
            rate_limit.acquire(call(), ReplyHeaders())
            for rate_limit in [rate_limit(FEW, store)]
            for _ in range(50)
        ),
        return_exceptions=True,
    )
    assert Counter(type(outcome) for outcome in outcomes) == {type(None): 5, TooManyRequests: 45}


async def test_a_cancelled_request_does_not_take_the_others_with_it() -> None:
    store = FixedWindows()
    store.slow.clear()
    made = rate_limit(FEW, store)
    asking, waiting, other = (asyncio.create_task(made.acquire(call(), ReplyHeaders())) for _ in range(3))
    await asyncio.sleep(0)
    asking.cancel()
    waiting.cancel()
    store.slow.set()
    await other
    assert asking.cancelled()
    assert waiting.cancelled()


async def test_clients_are_counted_apart() -> None:
    made = rate_limit(FEW, FixedWindows())
    assert await passes(made, call("203.0.113.1"), 9) == 5
    assert await passes(made, call("203.0.113.2"), 9) == 5


async def test_addresses_of_one_ipv6_network_are_counted_together() -> None:
    made = rate_limit(FEW, FixedWindows())
    assert await passes(made, call("2001:db8:1:2::1"), 3) == 3
    assert await passes(made, call("2001:db8:1:2:ffff::9"), 9) == 2
    assert await passes(made, call("2001:db8:1:3::1"), 9) == 5


async def test_a_limit_per_user_follows_the_user_over_addresses() -> None:
    made = rate_limit(Limit("mine", 5, 60, key=by_user), FixedWindows())
    assert await passes(made, call("203.0.113.1", "ann"), 3) == 3
    assert await passes(made, call("203.0.113.2", "ann"), 9) == 2
    assert await passes(made, call("203.0.113.2", "bob"), 9) == 5
    assert await passes(made, call("203.0.113.2"), 9) == 5


@pytest.mark.parametrize("away", [Unavailable(), RuntimeError("OOM")])
async def test_a_process_counts_by_itself_while_the_store_is_away(away: Exception) -> None:
    store = FixedWindows()
    made = rate_limit(FEW, store)
    store.away = away
    assert await passes(made, call(), 100) == 5
    assert store.calls == 1
    assert await passes(made, call("203.0.113.2"), 100) == 5
    store.now += 60
    assert await passes(made, call(), 100) == 5
    store.away = None
    store.now += 60
    assert await passes(made, call(), 3) == 3
    assert sum(store.used.values()) == 3


async def test_a_store_that_does_not_answer_holds_nobody_up_and_lets_nobody_pass() -> None:
    store = FixedWindows()
    store.slow.clear()
    async with asyncio.timeout(5):
        assert await passes(rate_limit(FEW, store), call(), 100) == 5


async def test_a_store_that_answers_now_and_then_gives_nobody_more_than_the_limit() -> None:
    """As for a caller who keeps the store so busy that some questions come too late."""
    store = FixedWindows()
    made = rate_limit(FEW, store)
    passed = 0
    for away in (None, Unavailable(), None, Unavailable(), Unavailable()):
        store.away = away
        passed += await passes(made, call(), 2)
        store.now += ALONE_FOR
    assert passed == 5


async def test_losing_and_finding_the_store_is_logged_once_each() -> None:
    store = FixedWindows()
    made = rate_limit(FEW, store)
    with capture_logs() as logged:
        for away in (Unavailable(), Unavailable(), None, None):
            store.away = away
            await passes(made, call(), 1)
            await passes(made, call("203.0.113.2"), 1)
            store.now += 60
    assert [line["event"] for line in logged] == [
        "rate limit counted by each process",
        "rate limit counted in the store again",
    ]


async def test_the_memory_for_clients_is_bounded() -> None:
    made = rate_limit(FEW, FixedWindows())
    for number in range(LEASES_KEPT + 100):
        made._lease(str(number))
    assert len(made._leases) == LEASES_KEPT


async def test_answers_tell_what_is_left() -> None:
    store = FixedWindows()
    app = app_with(endpoint(limit=FEW), limiter=store)
    headers = (await ask(app, "GET", "/thing")).headers
    assert headers["ratelimit-policy"] == '"few";q=5;w=60'
    assert (headers["ratelimit-limit"], headers["ratelimit-remaining"]) == ("5", "4")
    assert 0 < int(headers["ratelimit-reset"]) <= 60


async def test_a_refusal_tells_when_to_come_back() -> None:
    app = app_with(endpoint(limit=FEW), limiter=FixedWindows())
    for _ in range(5):
        await ask(app, "GET", "/thing")
    reply = await ask(app, "GET", "/thing")
    assert (reply.status, reply.json["code"]) == (429, "rate_limited")
    assert reply.headers["retry-after"] == reply.headers["ratelimit-reset"] == str(reply.json["retry_after"])
    assert reply.headers["ratelimit-remaining"] == "0"


@pytest.mark.parametrize(
    "settings",
    [Settings(rate_limits="off"), Settings(rate_limit={"few": "off"}), Settings(rate_limit={"few": "9/60"})],
)
async def test_limits_are_settings(settings: Settings) -> None:
    app = app_with(endpoint(limit=FEW), limiter=FixedWindows(), settings=settings)
    statuses = [(await ask(app, "GET", "/thing")).status for _ in range(9)]
    assert statuses == [200] * 9


async def test_refusals_are_counted_in_the_metrics() -> None:
    metrics = Metrics()
    app = app_with(endpoint(limit=FEW), limiter=FixedWindows(), metrics=metrics)
    for _ in range(7):
        await ask(app, "GET", "/thing")
    assert b'townsquare_rate_limited_total{limit="few"} 2.0' in await metrics.text()


def test_a_limit_may_be_changed_or_switched_off() -> None:
    assert FEW.configured("") == FEW
    assert FEW.configured("7/30") == Limit("few", 7, 30)
    assert FEW.configured("off") is None


async def test_a_call_that_asks_for_much_counts_as_many() -> None:
    store, who = FixedWindows(), call()
    made = rate_limit(MANY, store)
    headers = ReplyHeaders()
    await made.acquire(who, headers)
    await made.charge(who, headers, 600)
    assert headers.remaining == 599
    with pytest.raises(TooManyRequests, match="counts as 601 calls"):
        await made.charge(who, headers, 600)
    await made.charge(who, headers, 0)


async def test_a_call_that_asks_for_much_counts_as_many_while_the_store_is_away() -> None:
    store, who = FixedWindows(), call()
    made = rate_limit(MANY, store)
    store.away = Unavailable()
    await made.charge(who, ReplyHeaders(), 1_000)
    with pytest.raises(TooManyRequests):
        await made.charge(who, ReplyHeaders(), 600)

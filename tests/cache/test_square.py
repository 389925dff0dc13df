"""The cache of a square: for async code, for synchronous code, and in the metrics."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import townsquare
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square
from townsquare.blocking import BlockingSquare
from townsquare.cache import text_digest
from townsquare.services.search import keys
from townsquare.services.search.models.understanding import QueryUnderstandingResponse


@pytest.fixture
def blocking(plain_place: Place) -> Iterator[BlockingSquare]:
    with townsquare.connect(settings=plain_place.settings()) as square:
        yield square


async def test_metrics_tell_hits_and_misses(plain_place: Place, clock: PinnedClock) -> None:
    async with open_square(plain_place, clock) as square, browse(square) as http:

        async def ask() -> str:
            return "answer"

        answers = square.cache.namespace("answers", ttl=60)
        await answers.get_or_compute("q", ask)
        await answers.get_or_compute("q", ask)
        text = (await http.get("/metrics")).text
    assert 'townsquare_cache_total{namespace="answers",event="hit"} 1.0' in text
    assert 'townsquare_cache_total{namespace="answers",event="miss"} 1.0' in text


def test_threads_share_a_computation(blocking: BlockingSquare) -> None:
    calls: list[str] = []
    may_end = threading.Event()

    @blocking.cache.cached(ttl=60, name="shout")
    def shout(word: str) -> str:
        calls.append(threading.current_thread().name)
        may_end.wait(10)
        return word.upper()

    with ThreadPoolExecutor(10) as threads:
        answers = [threads.submit(shout, "hello") for _ in range(10)]
        while blocking.cache.counts.total.get("shout", {}).get("wait", 0) < 9:
            threading.Event().wait(0.005)
        may_end.set()
        assert {answer.result() for answer in answers} == {"HELLO"}
    assert calls == ["townsquare-cache"]


def test_a_computation_may_use_the_cache_itself(blocking: BlockingSquare) -> None:
    numbers = blocking.cache.namespace("numbers", ttl=60, type=int)

    def factorial(number: int) -> int:
        if number < 2:
            return 1
        return number * numbers.get_or_compute(str(number - 1), lambda: factorial(number - 1))

    with ThreadPoolExecutor(20) as threads:
        assert set(threads.map(factorial, [20] * 20)) == {2_432_902_008_176_640_000}


def test_declared_keys_in_synchronous_code(blocking: BlockingSquare) -> None:
    key = keys.understanding(1, text_digest("space"))
    meaning = QueryUnderstandingResponse(similar_to=["Alien"])
    assert blocking.cache.get_or_compute(key, lambda: meaning) == meaning
    assert blocking.cache.get(key) == meaning
    blocking.cache.delete(key)
    blocking.cache.set(key, meaning)
    assert blocking.cache.get_or_compute_many([key, key], lambda places: []) == [meaning, meaning]
    words = blocking.cache.namespace("words", ttl=60)
    words.set("a", [1])
    assert words.get("a") == [1]
    words.delete("a")
    assert words.get_or_compute_many(["a", "b"], lambda places: places) == [0, 1]


def test_answers_by_meaning_in_synchronous_code(blocking: BlockingSquare) -> None:
    answers = blocking.cache.semantic(
        "meaning", lambda texts: [[float("sky" in text), 0.1] for text in texts], ttl=60, likeness=0.9
    )
    assert answers.get_or_compute("the sky", lambda: "blue") == "blue"
    assert answers.get_or_compute("sky?", lambda: "grey") == "blue"
    near = answers.nearest("the sea")
    assert near
    assert near.likeness < 0.9


def test_a_failure_is_raised_where_one_waits(blocking: BlockingSquare) -> None:
    @blocking.cache.cached(ttl=60, name="broken")
    def broken() -> str:
        raise LookupError("no answer")

    for _ in range(2):
        with pytest.raises(LookupError):
            broken()


def test_a_computation_that_raises_stop_iteration_leaves_nobody_waiting(blocking: BlockingSquare) -> None:
    numbers = blocking.cache.namespace("numbers", ttl=60, type=int)
    with pytest.raises(RuntimeError, match="StopIteration"):
        numbers.get_or_compute("none", lambda: next(iter([])))

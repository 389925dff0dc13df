"""Namespaces of one's own, and functions that remember."""

import asyncio
from typing import Any

import msgspec
import pytest

from tests.support.waiting import until
from townsquare.cache import Cache, folded, text_digest
from townsquare.cache.keys import entry
from townsquare.problems import Invalid, Unavailable
from townsquare.store.store import Store


class Answer(msgspec.Struct):
    text: str
    tokens: int = 0


async def test_entries_by_any_text(cache: Cache, store: Store) -> None:
    answers = cache.namespace("llm-answers", ttl=3_600, type=Answer)
    asked = 0

    async def ask() -> Answer:
        nonlocal asked
        asked += 1
        return Answer("Paris", 7)

    prompt = "What is the capital of {France}?\n" * 100
    assert await answers.get_or_compute(prompt, ask) == Answer("Paris", 7)
    assert await answers.get_or_compute(prompt, ask) == Answer("Paris", 7)
    assert asked == 1
    await answers.set("other", Answer("Rome"))
    assert await answers.get("other") == Answer("Rome")
    await answers.delete("other")
    assert await answers.get("other") is None
    assert cache.counts.total["llm-answers"] == {"miss": 2, "hit": 2}


async def test_many_entries_at_once(cache: Cache) -> None:
    lengths = cache.namespace("lengths", ttl=60, type=int)
    words = ["one", "three", "one"]
    calls: list[list[int]] = []

    async def measure(places: list[int]) -> list[int]:
        calls.append(places)
        return [len(words[place]) for place in places]

    assert await lengths.get_or_compute_many(words, measure) == [3, 5, 3]
    assert await lengths.get_or_compute_many(words, measure) == [3, 5, 3]
    assert calls == [[0, 1]]


async def test_none_is_a_value_too(cache: Cache) -> None:
    found = cache.namespace("found", ttl=60)
    calls = 0

    async def search() -> None:
        nonlocal calls
        calls += 1

    assert await found.get_or_compute("a", search) is None
    assert await found.get_or_compute("a", search) is None
    assert calls == 1


async def test_stale_values_stand_in_for_a_provider_that_fails(cache: Cache, store: Store) -> None:
    answers = cache.namespace("answers", ttl=60, stale=600)
    failing, calls = False, 0

    async def ask() -> str:
        nonlocal calls
        calls += 1
        if failing:
            raise ConnectionError("no route")
        return f"answer {calls}"

    assert await answers.get_or_compute("q", ask) == "answer 1"
    key = entry("answers", answers._entry("q").params["digest"])
    assert 650 < await store.call("TTL", key) <= 660
    await store.call("EXPIRE", key, 599)  # its hour is over
    failing = True
    assert await answers.get("q") is None
    assert await answers.get_or_compute("q", ask) == "answer 1"
    assert await answers.get_or_compute("q", ask) == "answer 1"
    assert calls == 2  # who has just failed is not asked for each
    assert cache.counts.total["answers"]["stale"] == 2
    with pytest.raises(ConnectionError):
        await answers.get_or_compute("never asked before", ask)
    failing = False
    answers._terms.rests_until = 0
    assert await answers.get_or_compute("q", ask) == "answer 4"


async def test_a_function_remembers_what_it_answered(cache: Cache) -> None:
    calls = []

    @cache.cached(ttl=60)
    async def translate(text: str, *, to: str = "en") -> Answer:
        calls.append((text, to))
        return Answer(f"{text} in {to}")

    assert await translate("hola") == Answer("hola in en")
    assert await translate(text="hola", to="en") == Answer("hola in en")
    assert await translate("hola", to="fr") == Answer("hola in fr")
    assert calls == [("hola", "en"), ("hola", "fr")]


async def test_arguments_of_other_types_are_others(cache: Cache) -> None:
    @cache.cached(ttl=60)
    async def kind(of: Any) -> str:
        return type(of).__name__

    given = [1, 1.0, True, "1", b"abc", "YWJj", None, [1], (1,)]
    assert [await kind(each) for each in given] == [type(each).__name__ for each in given]


async def test_a_remembering_function_is_still_documented(cache: Cache) -> None:
    @cache.cached(ttl=60)
    async def translate() -> str:
        """Into another language."""
        return ""

    assert translate.__doc__ == "Into another language."


async def test_arguments_that_cannot_be_a_key_are_refused(cache: Cache) -> None:
    @cache.cached(ttl=60, name="any")
    async def name(of: object) -> str:
        return str(of)

    for argument in (object(), 2**64):
        with pytest.raises(Invalid, match="arguments"):
            await name(argument)


@pytest.mark.parametrize("value", [float("nan"), {"a": [None, float("inf")]}, object()])
async def test_a_value_that_would_not_come_back_is_refused(cache: Cache, value: Any) -> None:
    answers = cache.namespace("answers", ttl=60)

    async def ask() -> Any:
        return value

    with pytest.raises(Invalid, match="kept as JSON"):
        await answers.get_or_compute("q", ask)
    with pytest.raises(Invalid, match="kept as JSON"):
        await answers.set("q", value)
    assert await answers.get("q") is None


async def test_a_computation_that_was_cancelled_elsewhere_does_not_blame_the_cache(cache: Cache) -> None:
    async def ask() -> str:
        raise asyncio.CancelledError

    with pytest.raises(Unavailable, match="cancelled"):
        await cache.namespace("answers", ttl=60).get_or_compute("q", ask)


async def test_functions_of_one_name_share_a_computation(cache: Cache) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()
    calls = 0

    @cache.cached(ttl=60)
    async def slow(number: int) -> int:
        nonlocal calls
        calls += 1
        begun.set()
        await may_end.wait()
        return number * 2

    tasks = [asyncio.create_task(slow(21)) for _ in range(10)]
    await begun.wait()
    await until(lambda: sum(events.get("wait", 0) for events in cache.counts.total.values()) == 9)
    may_end.set()
    assert await asyncio.gather(*tasks) == [42] * 10
    assert calls == 1


@pytest.mark.parametrize(
    ("name", "ttl", "stale"),
    [
        ("", 60, 0),
        ("a:b", 60, 0),
        ("a b", 60, 0),
        ("a", 0, 0),
        ("a", 60, -1),
        ("a", 1.5, 0),
        ("a", "60", 0),
        ("a", 60, None),
        ("a", True, 0),
    ],
)
async def test_a_namespace_says_what_is_wrong_with_it(cache: Cache, name: str, ttl: Any, stale: Any) -> None:
    with pytest.raises(Invalid):
        cache.namespace(name, ttl=ttl, stale=stale)


def test_white_space_does_not_tell_texts_apart_but_case_does() -> None:
    assert folded("  a \n\t b\u00a0c ") == "a b c"
    assert text_digest(" slow\n burn ") == text_digest("slow burn")
    assert text_digest("It") != text_digest("it")
    assert text_digest("It") == "555c7b8b3856c5f4"

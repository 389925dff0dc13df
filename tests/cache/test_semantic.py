"""Answers by what a question means."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.cache.conftest import KEYS
from tests.support.squares import Place, open_store, raw_names
from townsquare.cache import Cache, SemanticNamespace
from townsquare.cache.keys import entry, meanings
from townsquare.cache.namespaces import key_digest
from townsquare.keyspace import Role
from townsquare.problems import Invalid, Unavailable
from townsquare.store.store import Store

WORDS = ["capital", "france", "italy", "weather", "today"]


class Model:
    """Embeds by which words are there, and answers with a number of its own for each question."""

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.answered = 0
        self.failing = False

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.failing:
            raise ConnectionError("no route")
        self.embedded += texts
        return [[3.0 * (word in text.lower()) + 0.1 for word in WORDS] for text in texts]

    async def answer(self) -> str:
        self.answered += 1
        return f"answer {self.answered}"


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def answers(cache: Cache, model: Model) -> SemanticNamespace[str]:
    return cache.semantic("llm", model.embed, ttl=60, likeness=0.95, most=3, type=str)


async def test_a_question_in_other_words_finds_the_answer(
    answers: SemanticNamespace[str], cache: Cache, model: Model
) -> None:
    first = await answers.get_or_compute("What is the capital of France?", model.answer)
    assert await answers.get_or_compute("  What is the capital of\nFrance?", model.answer) == first
    assert await answers.get_or_compute("France: its capital, please", model.answer) == first
    assert await answers.get_or_compute("What is the capital of Italy?", model.answer) == "answer 2"
    assert model.answered == 2
    assert len(model.embedded) == 3  # what was embedded once is not embedded again
    await answers.get_or_compute("France: its capital, please", model.answer)
    assert len(model.embedded) == 3
    assert cache.counts.total["llm"] == {"miss": 2, "hit": 1, "near": 2}
    near = await answers.nearest("the weather in Italy")
    assert near
    assert 0 < near.likeness < 0.95


@pytest.fixture
async def elsewhere(place: Place) -> AsyncIterator[Cache]:
    async with open_store(place, KEYS) as store:
        made = Cache(store)
        yield made
        await made.close()


async def test_processes_share_what_they_were_asked(
    answers: SemanticNamespace[str], elsewhere: Cache, model: Model
) -> None:
    others = elsewhere.semantic("llm", model.embed, ttl=60, likeness=0.95, type=str)
    assert await others.nearest("the capital of France") is None
    first = await answers.get_or_compute("the capital of France", model.answer)
    assert await others.get_or_compute("capital, France", model.answer) == first
    assert model.answered == 1


async def test_only_the_latest_are_compared_and_only_while_they_live(
    answers: SemanticNamespace[str], store: Store, model: Model
) -> None:
    for text in ("capital", "france", "italy", "weather"):
        await answers.get_or_compute(text, model.answer)
    assert await answers.get_or_compute("the weather", model.answer) == "answer 4"
    assert await answers.get_or_compute("the capital", model.answer) == "answer 5"
    assert 0 < await store.call("TTL", meanings("llm")) <= 60
    layout = store.role_stores[Role.CACHE].layout
    kept = [KEYS.parse(name, layout) for name in await raw_names(store, Role.CACHE)]
    await store.pipeline([("DEL", key) for key in kept if key and key.declared is entry])
    assert await answers.get_or_compute("the weather", model.answer) == "answer 6"


async def test_without_vectors_the_same_words_are_still_found(
    answers: SemanticNamespace[str], model: Model
) -> None:
    model.failing = True
    assert await answers.get_or_compute("the weather", model.answer) == "answer 1"
    assert await answers.get_or_compute("the  weather", model.answer) == "answer 1"
    assert await answers.get_or_compute("weather", model.answer) == "answer 2"
    assert await answers.nearest("weather") is None


async def test_what_redis_does_not_answer_is_not_forgotten(
    answers: SemanticNamespace[str], store: Store, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await answers.get_or_compute("the capital of France", model.answer)

    async def no_answer(_: object) -> list[bytes | None]:
        raise Unavailable("no route")

    with monkeypatch.context() as away:
        away.setattr(store, "read_strings", no_answer)
        assert await answers.nearest("capital, France") is None
    answers._cache.redis._rests_until = 0.0  # it is asked again at once
    near = await answers.nearest("capital, France")
    assert near
    assert near.value == first


async def test_a_near_answer_that_cannot_be_read_is_deleted_and_computed_anew(
    answers: SemanticNamespace[str], cache: Cache, store: Store, model: Model
) -> None:
    await answers.get_or_compute("the capital of France", model.answer)
    numbers = cache.semantic("llm", model.embed, ttl=60, likeness=0.95, type=int)

    async def count() -> int:
        return 7

    assert await numbers.get_or_compute("capital, France", count) == 7
    assert await store.call("EXISTS", entry("llm", key_digest("the capital of France"))) == 0
    assert cache.counts.total["llm"]["error"] == 1


async def test_many_who_ask_at_once_compute_once_and_are_one_meaning(
    answers: SemanticNamespace[str], store: Store, model: Model
) -> None:
    found = await asyncio.gather(*(answers.get_or_compute("the weather", model.answer) for _ in range(50)))
    assert {*found} == {"answer 1"}
    assert model.embedded == ["the weather"]
    assert await store.call("XLEN", meanings("llm")) == 1


async def test_a_meaning_is_kept_though_who_asked_first_has_gone(
    answers: SemanticNamespace[str], model: Model
) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        begun.set()
        await may_end.wait()
        return await model.answer()

    gone = asyncio.create_task(answers.get_or_compute("the weather", slow))
    await begun.wait()
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    may_end.set()
    assert await answers.get_or_compute("the weather", slow) == "answer 1"
    assert await answers.get_or_compute("weather!", slow) == "answer 1"


async def test_a_likeness_is_a_share(cache: Cache, model: Model) -> None:
    for likeness, most in ((0, 10), (1.5, 10), (0.9, 0), (0.9, 1_000_000)):
        with pytest.raises(Invalid):
            cache.semantic("llm", model.embed, ttl=60, likeness=likeness, most=most)

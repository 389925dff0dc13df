"""What a lookup costs as the catalogue grows: our films, those of the CC0 catalogue too, and 200,000."""

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from bench.report import Result
from townsquare.services.search import catalogue
from townsquare.services.search.importing import bokeh
from townsquare.services.search.importing.run import import_films
from townsquare.services.search.models.films import Film, FilmRole
from townsquare.services.search.parts import FilmFilter
from townsquare.services.search.service.lexical import SqlLexicalIndex

SHARE = float(os.environ.get("BENCH_SHARE", "1"))  # of the whole, to try it out
LARGEST = int(200_000 * SHARE)
OF_SYLLABLES = (
    "ba be bo da de do ka ke ko la le lo ma me mo na ne no ra re ro sa se so ta te to va ve vi "
    "shan ber ton mar lin gor wen tal dor fen hal"
)
SYLLABLES = OF_SYLLABLES.split()
ASKED = 300  # lookups of a kind
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

    def records(ids: list[int]) -> Callable[[], Awaitable[Any]]:
        return lambda: index.films(ids)

    return {
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


async def timed(asked: list[Callable[[], Awaitable[Any]]]) -> float:
    """The median in milliseconds."""
    for ask in asked[:20]:
        await ask()
    taken = []
    for ask in asked:
        began = time.perf_counter()
        await ask()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


async def measure(folder: Path) -> list[Result]:
    index = await SqlLexicalIndex.open(folder)
    ours, chance = list(catalogue.load()), random.Random(3)
    sizes: list[int] = []
    filled: list[float] = []
    medians: dict[str, list[float]] = {}

    async def look(began: float) -> None:
        filled.append(time.perf_counter() - began)
        sizes.append(await index.count())
        for name, asked in questions(ours, index).items():
            medians.setdefault(name, []).append(await timed(asked))

    began = time.perf_counter()
    await index.add(ours, "catalogue")
    await look(began)
    began = time.perf_counter()
    await import_films(index, bokeh.SOURCE, bokeh.read())
    await look(began)
    began = time.perf_counter()
    real = [*ours, *(film for film in bokeh.read() if isinstance(film, Film))]
    more = made_up(max(0, LARGEST - sizes[-1]), real, chance)
    await index.add(more, "made-up")
    await look(began)
    size = (folder / "films.sqlite").stat().st_size
    await index.close()
    rows = [
        [name, *(f"{median:.2f} ms" for median in found), f"{found[-1] / found[0]:.2f}"]
        for name, found in medians.items()
    ]
    rows.append(["to fill it", *(f"{seconds:,.1f} s" for seconds in filled), ""])
    return [
        Result(
            "A lookup as the catalogue grows",
            f"Medians over {ASKED} lookups, one after the other; SQLite, {size / 1e6:,.0f} MB in the end. "
            "Films that are made up have words and people of real ones.",
            ["", *(f"{count:,} films" for count in sizes), "largest / smallest"],
            rows,
        )
    ]


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure(Path(folder)))

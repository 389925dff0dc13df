"""The lexical index: SQL in threads of its own, so that the event loop never waits for a disk."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, func, select

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EVERYTHING, EntityMatch, FilmFilter, Hit
from townsquare.services.search.service.lexical import entities, filtering, ranking, writing
from townsquare.services.search.service.lexical.tables import (
    READERS,
    SCHEMA_VERSION,
    facts,
    films,
    metadata,
    open_postgres,
    open_sqlite,
)

P = ParamSpec("P")
T = TypeVar("T")

FILE = "films.sqlite"
BATCH = 1000  # films in one transaction: readers see whole films, and a crash loses at most these
VERSION = "schema"

decode = msgspec.json.Decoder(Film).decode


class SqlLexicalIndex:
    """A `LexicalIndex`. Any number of processes may read one; `add` and `remove` are for one at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="search-lexical")

    @classmethod
    async def open(cls, folder: Path, url: str = "") -> Self:
        """The database behind a URL of Postgres, or SQLite in the folder; made if there is none."""
        engine = open_postgres(url) if url else open_sqlite(folder / FILE)
        index = cls(engine)
        await index._run(prepare)
        return index

    async def close(self) -> None:
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()

    async def entities(
        self, phrase: str, category: EntityCategory | None = None, *, limit: int = 5
    ) -> list[EntityMatch]:
        return await self._run(entities.entities, phrase, category, limit)

    async def entities_of(self, phrases: Sequence[str], *, limit: int = 5) -> list[list[EntityMatch]]:
        """The same for many phrases, in one visit to the database."""

        def all_of_them(connection: Connection) -> list[list[EntityMatch]]:
            return [entities.entities(connection, phrase, None, limit) for phrase in phrases]

        return await self._run(all_of_them)

    async def search(self, words: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        return await self._run(ranking.search, words, limit, where)

    async def matching(self, where: FilmFilter, *, limit: int) -> list[int]:
        return await self._run(filtering.matching, where, limit)

    async def films(self, film_ids: Sequence[int]) -> list[Film]:
        return await self._run(records, film_ids)

    async def count(self) -> int:
        return await self._run(count)

    async def digests(self, source: str) -> dict[int, str]:
        """Of the records of all films from one source, by id."""
        return await self._run(digests, source)

    async def add(self, films: Sequence[Film], source: str = "added") -> None:
        for batch in writing.batches(films, BATCH):
            await self._write(writing.add_films, batch, source)

    async def remove(self, film_ids: Sequence[int]) -> None:
        await self._write(writing.remove_films, film_ids)

    async def ids_after(self, film_id: int, limit: int) -> list[int]:
        """All ids, page by page."""
        return await self._run(ids_after, film_id, limit)

    async def _run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        def in_thread() -> T:
            with self._engine.connect() as connection:
                return work(connection, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, in_thread)

    async def _write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        def in_thread() -> T:
            with self._engine.begin() as connection:
                return work(connection, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, in_thread)


def prepare(connection: Connection) -> None:
    """Make the tables; those of another version are dropped, to be filled anew."""
    facts.create(connection, checkfirst=True)
    known = connection.scalar(select(facts.c.value).where(facts.c.name == VERSION))
    if known == str(SCHEMA_VERSION):
        return
    if known is not None:
        metadata.drop_all(connection)
    metadata.create_all(connection)
    writing.insert_new(connection, facts, [{"name": VERSION, "value": str(SCHEMA_VERSION)}])
    connection.commit()


def records(connection: Connection, film_ids: Sequence[int]) -> list[Film]:
    found: dict[int, bytes] = {}
    for ids in writing.batches(film_ids):
        found.update(
            (id, record)
            for id, record in connection.execute(select(films.c.id, films.c.record).where(films.c.id.in_(ids)))
        )
    return [decode(found[id]) for id in film_ids if id in found]


def count(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(films)) or 0


def digests(connection: Connection, source: str) -> dict[int, str]:
    rows = connection.execute(select(films.c.id, films.c.digest).where(films.c.source == source))
    return {id: digest for id, digest in rows}


def ids_after(connection: Connection, film_id: int, limit: int) -> list[int]:
    return list(
        connection.scalars(select(films.c.id).where(films.c.id > film_id).order_by(films.c.id).limit(limit))
    )

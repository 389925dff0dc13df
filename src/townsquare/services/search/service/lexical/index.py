"""The lexical index: films by names, words and facts in SQL, read and written in threads."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, bindparam, func, select

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EVERYTHING, EntityMatch, FacetKind, FilmFilter, Hit
from townsquare.services.search.service.lexical import (
    batch_lookup,
    entities,
    filtering,
    normal,
    ranking,
    words,
    writing,
)
from townsquare.services.search.service.lexical.names import ALIAS
from townsquare.services.search.service.lexical.tables import (
    READERS,
    SCHEMA_VERSION,
    facts,
    films,
    metadata,
    name_films,
    name_keys,
    names,
    open_postgres,
    open_sqlite,
)
from townsquare.services.search.service.lexical.writing import batches

P = ParamSpec("P")
T = TypeVar("T")

FILE = "films.sqlite"
BATCH = 10_000  # films in one transaction: readers see whole films, and a crash loses at most these
VERSION = "schema"
LOCK = 0x70776E73  # of Postgres: any number that nobody else there uses

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

    async def entities_many(
        self, phrases: Sequence[str], *, misspelt: bool = False, limit: int = 5
    ) -> list[list[EntityMatch]]:
        def all_of_them(connection: Connection) -> list[list[EntityMatch]]:
            if not misspelt:
                return batch_lookup.names_of_many(connection, phrases, limit)
            return [entities.entities(connection, phrase, None, limit) for phrase in phrases]

        return await self._run(all_of_them) if phrases else []

    async def search(self, words: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        return await self._run(ranking.search, words, limit, where)

    async def texts(self, text: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        return await self._run(words.search, text, limit, where)

    async def matching(self, where: FilmFilter, *, limit: int) -> list[int]:
        return await self._run(filtering.matching, where, limit)

    async def sequels(self) -> list[int]:
        return await self._run(filtering.sequels)

    async def facets(self, kind: FacetKind) -> list[str]:
        return await self._run(filtering.facet_values, kind)

    async def titles(self, beginning: str, limit: int) -> list[int]:
        """Films whose title begins so, the best known first."""
        return await self._run(ranking.titles, beginning, limit)

    async def films(self, film_ids: Sequence[int]) -> list[Film]:
        return await self._run(records, film_ids)

    async def count(self) -> int:
        return await self._run(count)

    async def digests(self, source: str) -> dict[int, str]:
        """Of the records of all films from one source, by id."""
        return await self._run(digests, source)

    async def known_elsewhere(self, films: Sequence[Film], source: str) -> set[int]:
        """Ids of those that another source has too."""
        return await self._run(known_elsewhere, films, source)

    async def with_texts(self) -> dict[int, str]:
        """Films that have texts, with the digest of the record, the best known first."""
        return await self._run(with_texts)

    async def vector_count(self) -> int:
        """How many vectors all films have: one for each text, and one for all texts of a film together."""
        return await self._run(vector_count)

    async def fact(self, name: str) -> str | None:
        """Something that is kept beside the films."""
        return await self._run(fact, name)

    async def set_fact(self, name: str, value: str) -> None:
        await self._write(writing.set_fact, name, value)

    async def revision(self) -> str | None:
        """Another one after every change of the films."""
        return await self._run(fact, writing.REVISION)

    async def add(self, films: Sequence[Film], source: str = "added") -> None:
        await self.add_names(films, source)
        await self.add_spellings()
        await self.add_words()

    async def add_names(self, films: Sequence[Film], source: str) -> None:
        """All but what finds them when they are misspelt, which is half of the work."""
        for batch in writing.batches(films, BATCH):
            await self._write(writing.add_films, batch, source)

    async def add_spellings(self) -> None:
        """Let names be found that are misspelt; goes on where it ended."""
        while await self._write(writing.spell_words):
            pass

    async def add_words(self) -> None:
        """Let films be found by the words of their texts; goes on where it ended."""
        while await self._write(writing.add_words):
            pass

    async def remove(self, film_ids: Sequence[int]) -> None:
        await self._write(writing.remove_films, film_ids)

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
                lock(connection)
                return work(connection, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, in_thread)


def prepare(connection: Connection) -> None:
    """Make the tables; those of another version are dropped, to be filled anew."""
    lock(connection)
    facts.create(connection, checkfirst=True)
    version = fact(connection, VERSION)
    if version != str(SCHEMA_VERSION):
        if version is not None:
            metadata.drop_all(connection)
        metadata.create_all(connection)
        writing.insert_new(connection, facts, [(VERSION, str(SCHEMA_VERSION))])
    connection.commit()


def records(connection: Connection, film_ids: Sequence[int]) -> list[Film]:
    found: dict[int, bytes] = {}
    for ids in writing.batches(film_ids):
        found.update(
            (id, record)
            for id, record in connection.execute(
                select(films.c.id, films.c.record).where(films.c.id.in_(ids))
            )
        )
    return [decode(found[id]) for id in film_ids if id in found]


def count(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(films)) or 0


def digests(connection: Connection, source: str) -> dict[int, str]:
    rows = connection.execute(select(films.c.id, films.c.digest).where(films.c.source == source))
    return {row.id: row.digest for row in rows}


def with_texts(connection: Connection) -> dict[int, str]:
    rows = select(films.c.id, films.c.digest).where(films.c.texts > 0).order_by(films.c.standing.desc())
    return {row.id: row.digest for row in connection.execute(rows)}


def vector_count(connection: Connection) -> int:
    return connection.scalar(select(func.sum(films.c.texts + 1)).where(films.c.texts > 0)) or 0


def fact(connection: Connection, name: str) -> str | None:
    return connection.scalar(select(facts.c.value).where(facts.c.name == name))


def lock(connection: Connection) -> None:
    """Let one transaction write at a time, from its first read on."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


YEARS_APART = 1  # the first showing and the release may be in two years

WITH_TITLES = (
    select(name_keys.c.key, films.c.year)
    .join(names, names.c.id == name_keys.c.name_id)
    .join(name_films, name_films.c.name_id == names.c.id)
    .join(films, films.c.id == name_films.c.film_id)
    .where(
        name_keys.c.key.in_(bindparam("keys", expanding=True)),
        name_keys.c.likeness >= ALIAS,
        names.c.category == "movie_title",
        films.c.source != bindparam("source"),
    )
)


def known_elsewhere(connection: Connection, wanted: Sequence[Film], source: str) -> set[int]:
    found: set[int] = set()
    for batch in batches(wanted):
        keys = {film.id: keys_of(film) for film in batch}
        every = {key for own in keys.values() for key in own}
        years: dict[str, set[int]] = {}
        for key, year in connection.execute(WITH_TITLES, {"keys": list(every), "source": source}):
            years.setdefault(key, set()).add(year)
        found.update(
            film.id
            for film in batch
            for key in keys[film.id]
            if any(abs(year - film.year) <= YEARS_APART for year in years.get(key, ()))
        )
    return found


def keys_of(film: Film) -> set[str]:
    return {normal.key_of(title) for title in (film.title, film.original_title) if title} - {""}

"""Films into the tables, and out of them. One writer at a time; running a step twice changes nothing."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from math import log2
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
from sqlalchemy import Connection, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical import spelling
from townsquare.services.search.service.lexical.names import (
    Name,
    keys_of,
    names_of,
    spelled_words,
    tokens_of,
)
from townsquare.services.search.service.lexical.tables import (
    facets,
    facts,
    films,
    name_films,
    name_keys,
    names,
    spellings,
    tokens,
)

T = TypeVar("T")
Row = dict[str, Any]

BATCH = 500  # rows a statement names
REVISION = "revision"  # another one after every change, for those who hold something derived from the films
ITSELF = "="  # before a word, as the key of its own row
WORST_RANK = 10_000  # of a name that is not ranked yet, and has no tokens
POINTS_OF_FAME = 80  # of a rank, for each of a hundred
POINTS_OF_DOUBLING = (
    150  # for each doubling of the number of films: one of a hundred famous parts outweighs it
)

encode = msgspec.json.Encoder().encode


def record_of(film: Film) -> bytes:
    return encode(film)


def digest_of(record: bytes) -> str:
    return sha256(record).hexdigest()[:16]


def standing_of(film: Film) -> int:
    return film.fame * 101 + film.quality


def facets_of(film: Film) -> set[str]:
    decade = film.year // 10 * 10
    return {
        *(f"genre {genre}" for genre in film.genres),
        *(f"language {language}" for language in film.languages),
        *(f"country {country}" for country in film.countries),
        f"decade {decade}",
        *(f"decade {decade} genre {genre}" for genre in film.genres),
        *([f"certification {film.certification}"] if film.certification else []),
    }


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def insert_new(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Rows that are there already stay as they are. Past SQLAlchemy's look at each value: that costs most."""
    if not rows:
        return
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table).on_conflict_do_nothing()
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(rows[0]))
    places = compiled.positiontup
    given = [tuple(row[name] for name in places) for row in rows] if places else list(rows)
    connection.exec_driver_sql(str(compiled), given)


def add_films(connection: Connection, added: Sequence[Film], source: str) -> None:
    """Put films in, in place of those with their ids."""
    newest = {film.id: film for film in added}
    touched = take_out(connection, list(newest))
    film_rows, facet_rows, link_rows, found = [], [], [], dict[int, Name]()
    for film in newest.values():
        record, standing = record_of(film), standing_of(film)
        film_rows.append(
            {
                "id": film.id,
                "standing": standing,
                "year": film.year,
                "runtime": film.runtime,
                "certification": film.certification,
                "source": source,
                "texts": len(film.texts),
                "digest": digest_of(record),
                "record": record,
            }
        )
        facet_rows += [
            {"facet": facet, "standing": standing, "film_id": film.id} for facet in facets_of(film)
        ]
        for name, share in names_of(film).items():
            found[name.id] = name
            weight = round(share * film.fame)
            link_rows.append({"name_id": name.id, "standing": standing, "film_id": film.id, "weight": weight})
    insert_new(connection, films, film_rows)
    insert_new(connection, facets, facet_rows)
    insert_new(connection, name_films, link_rows)
    insert_names(connection, found)
    rank_names(connection, touched | set(found))
    set_fact(connection, REVISION, uuid4().hex)


def remove_films(connection: Connection, film_ids: Sequence[int]) -> None:
    rank_names(connection, take_out(connection, film_ids))
    set_fact(connection, REVISION, uuid4().hex)


def set_fact(connection: Connection, name: str, value: str) -> None:
    connection.execute(delete(facts).where(facts.c.name == name))
    insert_new(connection, facts, [{"name": name, "value": value}])


def take_out(connection: Connection, film_ids: Sequence[int]) -> set[int]:
    """Delete films; answers the names that they had."""
    touched: set[int] = set()
    for ids in batches(film_ids):
        known = connection.scalars(select(films.c.id).where(films.c.id.in_(ids))).all()
        if known:
            touched.update(
                connection.scalars(select(name_films.c.name_id).where(name_films.c.film_id.in_(known)))
            )
            connection.execute(delete(name_films).where(name_films.c.film_id.in_(known)))
            connection.execute(delete(facets).where(facets.c.film_id.in_(known)))
            connection.execute(delete(films).where(films.c.id.in_(known)))
    return touched


def insert_names(connection: Connection, found: dict[int, Name]) -> None:
    for ids in batches(found):
        known = set(connection.scalars(select(names.c.id).where(names.c.id.in_(ids))))
        new = [found[id] for id in ids if id not in known]
        insert_new(
            connection,
            names,
            [
                {"id": name.id, "category": name.category, "name": name.name, "rank": WORST_RANK}
                for name in new
            ],
        )
        insert_new(
            connection,
            name_keys,
            [
                {"key": key, "name_id": name.id, "likeness": likeness}
                for name in new
                for key, likeness in keys_of(name).items()
            ],
        )
        spelled: dict[str, int] = {}
        for name in new:
            spelled |= spelled_words(name)
        insert_spellings(connection, spelled)


def insert_spellings(connection: Connection, wanted: dict[str, int]) -> None:
    """A word has a row under itself too, so that one look tells which words are new."""
    known: set[str] = set()
    for marks in batches([ITSELF + word for word in wanted]):
        known.update(connection.scalars(select(spellings.c.word).where(spellings.c.key.in_(marks))))
    rows = [
        {"key": key, "word": word}
        for word, most in wanted.items()
        if word not in known
        for key in (ITSELF + word, *spelling.neighbourhood(word, most))
    ]
    insert_new(connection, spellings, rows)


def token_rows(found: Iterable[Name], rank: int) -> list[Row]:
    return [{"token": token, "rank": rank, "name_id": name.id} for name in found for token in tokens_of(name)]


def rank_names(connection: Connection, touched: set[int]) -> None:
    """Set how well known names are by their films, and delete those that have none left."""
    for ids in batches(touched):
        ranks = {
            id: rank_of(weight, count)
            for id, weight, count in connection.execute(
                select(name_films.c.name_id, func.max(name_films.c.weight), func.count())
                .where(name_films.c.name_id.in_(ids))
                .group_by(name_films.c.name_id)
            )
        }
        gone, moved = [], []
        for row in connection.execute(select(names).where(names.c.id.in_(ids))):
            if row.id not in ranks:
                gone.append(row)
            elif ranks[row.id] != row.rank:
                moved.append(row)
        delete_tokens(connection, [*gone, *moved])
        if moved:
            connection.execute(
                update(names).where(names.c.id == bindparam("name_id")).values(rank=bindparam("new_rank")),
                [{"name_id": row.id, "new_rank": ranks[row.id]} for row in moved],
            )
            insert_new(
                connection,
                tokens,
                [new for row in moved for new in token_rows([Name(row.category, row.name)], ranks[row.id])],
            )
        delete_names(connection, gone)


def rank_of(weight: int, count: int) -> int:
    """A name with one famous film is known; with many it is better known."""
    return max(0, WORST_RANK - 1 - POINTS_OF_FAME * weight - round(POINTS_OF_DOUBLING * log2(count)))


def delete_names(connection: Connection, gone: Sequence[Any]) -> None:
    if gone:
        delete_rows(
            connection,
            name_keys,
            [
                {"key": key, "name_id": row.id}
                for row in gone
                for key in keys_of(Name(row.category, row.name))
            ],
        )
        connection.execute(delete(names).where(names.c.id.in_([row.id for row in gone])))


def delete_tokens(connection: Connection, rows: Sequence[Any]) -> None:
    old = [row for row in rows if row.rank != WORST_RANK]
    delete_rows(
        connection,
        tokens,
        [new for row in old for new in token_rows([Name(row.category, row.name)], row.rank)],
    )


def delete_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """By their primary keys."""
    if rows:
        same = [table.c[column] == bindparam(f"old_{column}") for column in rows[0]]
        old = [{f"old_{column}": value for column, value in row.items()} for row in rows]
        connection.execute(delete(table).where(*same), old)

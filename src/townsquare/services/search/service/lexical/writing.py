"""Films into the tables, and out of them. One writer at a time; running a step twice changes nothing."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
from sqlalchemy import Column, Connection, Table, bindparam, delete, func, select, update

from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical.names import Name, keys_of
from townsquare.services.search.service.lexical.rows import (
    ITSELF,
    WAITING,
    NamedIn,
    Row,
    facet_rows,
    film_row,
    key_rows,
    link_rows,
    note_words,
    rank_of,
    spelling_rows,
    token_rows,
    waiting_key,
    word_rows,
)
from townsquare.services.search.service.lexical.tables import (
    facets,
    facts,
    films,
    name_films,
    name_keys,
    names,
    sign_of,
    spellings,
    tokens,
    words,
)

T = TypeVar("T")

BATCH = 500  # rows a statement names
PARAMETERS = 900  # of a statement that inserts: SQLite may be built to take no more than 999
WORDS_AT_ONCE = 5_000  # whose spellings are written in one transaction: 29 rows each
FILMS_AT_ONCE = 200  # whose words are written in one transaction: 150 rows each
REVISION = "revision"  # another one after every change, for those who hold something derived from the films

NAMES = select(names).where(names.c.id.in_(bindparam("ids", expanding=True)))
SAID_OF_NAMES = (
    select(name_films.c.name_id, func.max(name_films.c.weight), func.count())
    .where(name_films.c.name_id.in_(bindparam("ids", expanding=True)))
    .group_by(name_films.c.name_id)
)
WAITING_WORDS = (
    select(spellings.c.key, spellings.c.word)
    .where(spellings.c.key >= WAITING, spellings.c.key < chr(ord(WAITING) + 1))
    .order_by(spellings.c.key)
    .limit(WORDS_AT_ONCE)
)


WITHOUT_WORDS = (
    select(films.c.record)
    .where(films.c.texts > 0, ~select(1).where(words.c.film_id == films.c.id).correlate(films).exists())
    .limit(FILMS_AT_ONCE)
)
decode = msgspec.json.Decoder(Film).decode


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def insert_new(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Insert rows in the order of the index; those that are there already stay as they are.

    Many to a statement, and past SQLAlchemy's look at each value: both cost more than the insertion.
    """
    sign = sign_of(connection)
    for batch in batches(sorted(rows), PARAMETERS // len(table.columns)):
        connection.exec_driver_sql(insertion(table, len(batch), sign), tuple(chain.from_iterable(batch)))


@cache
def insertion(table: Table, rows: int, sign: str) -> str:
    columns = ", ".join(column.name for column in table.columns)
    row = f"({', '.join(sign for _ in table.columns)})"
    values = ", ".join([row] * rows)
    return f"INSERT INTO {table.name} ({columns}) VALUES {values} ON CONFLICT DO NOTHING"


def present(connection: Connection, column: Column[T], wanted: Iterable[T]) -> set[T]:
    """Which of these values a column has; past SQLAlchemy too, for thousands of them."""
    sign = sign_of(connection)
    found: set[T] = set()
    for batch in batches(wanted):
        signs = ", ".join(sign for _ in batch)
        statement = f"SELECT {column.name} FROM {column.table.name} WHERE {column.name} IN ({signs})"
        found.update(connection.exec_driver_sql(statement, tuple(batch)).scalars())
    return found


def add_films(connection: Connection, added: Sequence[Film], source: str) -> None:
    """Put films in, in place of those with their ids."""
    newest = list({film.id: film for film in added}.values())
    touched = take_out(connection, [film.id for film in newest])
    found: dict[int, NamedIn] = {}
    insert_new(connection, films, (film_row(film, source) for film in newest))
    insert_new(connection, facets, (row for film in newest for row in facet_rows(film)))
    insert_new(connection, name_films, (row for film in newest for row in link_rows(film, found)))
    known = present(connection, names.c.id, found)
    insert_names(connection, {id: name for id, name in found.items() if id not in known})
    rank_names(connection, touched | known)
    set_fact(connection, REVISION, uuid4().hex)


def remove_films(connection: Connection, film_ids: Sequence[int]) -> None:
    rank_names(connection, take_out(connection, film_ids))
    set_fact(connection, REVISION, uuid4().hex)


def set_fact(connection: Connection, name: str, value: str) -> None:
    connection.execute(delete(facts).where(facts.c.name == name))
    insert_new(connection, facts, [(name, value)])


def take_out(connection: Connection, film_ids: Sequence[int]) -> set[int]:
    """Delete films; answers the names that they had."""
    touched: set[int] = set()
    for ids in batches(present(connection, films.c.id, film_ids)):
        touched.update(connection.scalars(select(name_films.c.name_id).where(name_films.c.film_id.in_(ids))))
        connection.execute(delete(name_films).where(name_films.c.film_id.in_(ids)))
        connection.execute(delete(facets).where(facets.c.film_id.in_(ids)))
        connection.execute(delete(words).where(words.c.film_id.in_(ids)))
        connection.execute(delete(films).where(films.c.id.in_(ids)))
    return touched


def insert_names(connection: Connection, new: dict[int, NamedIn]) -> None:
    """Names that nobody had: all that is known of them is known of these films."""
    name_rows: list[Row] = []
    of_keys: list[Row] = []
    of_tokens: list[Row] = []
    wanted: dict[str, int] = {}
    for id, found in new.items():
        name, rank = found.name, found.rank
        name_rows.append((id, name.category, name.name, rank))
        of_keys += key_rows(id, name)
        of_tokens += token_rows(id, name, rank)
        note_words(name, wanted)
    insert_new(connection, names, name_rows)
    insert_new(connection, name_keys, of_keys)
    insert_new(connection, tokens, of_tokens)
    insert_words(connection, wanted)


def insert_words(connection: Connection, wanted: dict[str, int]) -> None:
    """Words that nobody had wait for `spell_words`: names are found before their misspellings are."""
    keys = {word: (ITSELF + word, waiting_key(word, 1), waiting_key(word, 2)) for word in wanted}
    known = present(connection, spellings.c.key, (key for own in keys.values() for key in own))
    new = (word for word in wanted if known.isdisjoint(keys[word]))
    insert_new(connection, spellings, ((waiting_key(word, wanted[word]), word) for word in new))


def spell_words(connection: Connection) -> int:
    """Write the misspellings of some words that wait for it; how many words those were.

    They come sorted: what begins alike has keys that lie together.
    """
    waiting = [(key, word) for key, word in connection.execute(WAITING_WORDS)]
    insert_new(connection, spellings, (row for key, word in waiting for row in spelling_rows(key, word)))
    delete_rows(connection, spellings, waiting)
    return len(waiting)


def add_words(connection: Connection) -> int:
    """Write the words of some films whose texts have none yet; how many films those were."""
    rows = connection.execute(WITHOUT_WORDS).all()
    insert_new(connection, words, (row for (record,) in rows for row in word_rows(decode(record))))
    return len(rows)


def rank_names(connection: Connection, touched: set[int]) -> None:
    """Set how well known names are by their films, and delete those that have none left."""
    for ids in batches(touched):
        ranks = {
            id: rank_of(weight, count)
            for id, weight, count in connection.execute(SAID_OF_NAMES, {"ids": ids})
        }
        gone, moved = [], []
        for row in connection.execute(NAMES, {"ids": ids}):
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
                (new for row in moved for new in token_rows(row.id, name_in(row), ranks[row.id])),
            )
        delete_names(connection, gone)


def name_in(row: Any) -> Name:
    return Name(row.category, row.name)


def delete_names(connection: Connection, gone: Sequence[Any]) -> None:
    if gone:
        rows = [(key, row.id) for row in gone for key in keys_of(name_in(row))]
        delete_rows(connection, name_keys, rows)
        connection.execute(delete(names).where(names.c.id.in_([row.id for row in gone])))


def delete_tokens(connection: Connection, old: Sequence[Any]) -> None:
    rows = [new[:3] for row in old for new in token_rows(row.id, name_in(row), row.rank)]
    delete_rows(connection, tokens, rows)


def delete_rows(connection: Connection, table: Table, keys: Sequence[Row]) -> None:
    """By their primary keys."""
    if keys:
        same = " AND ".join(f"{column.name} = {sign_of(connection)}" for column in table.primary_key)
        connection.exec_driver_sql(f"DELETE FROM {table.name} WHERE {same}", list(keys))

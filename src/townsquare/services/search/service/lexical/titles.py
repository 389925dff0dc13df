"""Titles that begin as somebody types."""

from sqlalchemy import Connection, Select, func, select

from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.names import BEGINS, LONGEST_BEGINNING
from townsquare.services.search.service.lexical.tables import name_films, name_keys, names, tokens

AFTER_ALL = "\U0010ffff"  # sorts behind whatever may follow
MOST_TITLES = 40  # with a short beginning, the best known first
MOST_KEYS = 200  # with a longer one, of names of every kind


def titles(connection: Connection, beginning: str, limit: int) -> list[int]:
    """Ids of films, the best known first."""
    typed = {normal.key_of(beginning), normal.compact(normal.words(beginning))} - {""}
    standings: dict[int, int] = {}
    for key in sorted(typed):
        near = (short_beginning if len(key) <= LONGEST_BEGINNING else long_beginning)(key).subquery()
        best = func.max(name_films.c.standing)
        found = connection.execute(
            select(name_films.c.film_id, best)
            .where(name_films.c.name_id.in_(select(near.c.name_id)))
            .group_by(name_films.c.film_id)
            .order_by(best.desc(), name_films.c.film_id)
            .limit(limit)
        )
        standings.update((film_id, standing) for film_id, standing in found)
    return sorted(standings, key=lambda film_id: (-standings[film_id], film_id))[:limit]


def short_beginning(key: str) -> Select[int]:
    return (
        select(tokens.c.name_id)
        .where(tokens.c.token == BEGINS + key)
        .order_by(tokens.c.rank)
        .limit(MOST_TITLES)
    )


def long_beginning(key: str) -> Select[int]:
    near = (
        select(name_keys.c.name_id)
        .where(name_keys.c.key >= key, name_keys.c.key < key + AFTER_ALL)
        .order_by(name_keys.c.key)
        .limit(MOST_KEYS)
        .subquery()
    )
    return (
        select(names.c.id.label("name_id"))
        .join(near, near.c.name_id == names.c.id)
        .where(names.c.category == "movie_title")
    )

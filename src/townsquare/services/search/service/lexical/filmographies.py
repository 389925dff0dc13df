"""The films of names, the best known first: a bounded number of each, some names in one statement."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import CompoundSelect, Connection, bindparam, select, union_all

from townsquare.services.search.service.lexical.tables import name_films
from townsquare.services.search.service.lexical.writing import batches

AT_ONCE = 10  # names
PLACES = [f"name_{number}" for number in range(AT_ONCE)]


@cache
def films_of_each(most: int) -> CompoundSelect[Any]:
    return union_all(
        *(
            select(
                select(name_films.c.name_id, name_films.c.film_id)
                .where(name_films.c.name_id == bindparam(place))
                .order_by(name_films.c.standing.desc(), name_films.c.film_id.desc())
                .limit(most)
                .subquery()
            )
            for place in PLACES
        )
    )


def films_of(connection: Connection, name_ids: Iterable[int], most: int) -> dict[int, list[int]]:
    """By name; a name without films is missing."""
    films: dict[int, list[int]] = {}
    for some in batches(name_ids, AT_ONCE):
        places = dict.fromkeys(PLACES) | dict(zip(PLACES, some, strict=False))
        for name_id, film_id in connection.execute(films_of_each(most), places).all():
            films.setdefault(name_id, []).append(film_id)
    return films

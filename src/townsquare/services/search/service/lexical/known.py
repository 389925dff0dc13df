"""Which films of one source another one has: by title and year, so that an import brings no film twice."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.names import ALIAS
from townsquare.services.search.service.lexical.tables import films, name_films, name_keys, names
from townsquare.services.search.service.lexical.writing import batches

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

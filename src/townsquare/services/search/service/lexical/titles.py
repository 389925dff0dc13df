"""Titles that begin as somebody types."""

from sqlalchemy import Connection, func, select

from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.tables import name_films, name_keys, names

AFTER_ALL = "\U0010ffff"  # sorts behind whatever may follow
LOOKED_AT = 2_000  # keys of names: of two letters there may be many


def titles(connection: Connection, beginning: str, limit: int) -> list[int]:
    """Ids of films, the best known first."""
    typed = {normal.key_of(beginning), normal.compact(normal.words(beginning))} - {""}
    ranks: dict[int, int] = {}
    for key in sorted(typed):
        near = (
            select(name_keys.c.name_id)
            .where(name_keys.c.key >= key, name_keys.c.key < key + AFTER_ALL)
            .order_by(name_keys.c.key)
            .limit(LOOKED_AT)
            .subquery()
        )
        found = connection.execute(
            select(name_films.c.film_id, func.max(name_films.c.standing))
            .join(names, names.c.id == name_films.c.name_id)
            .where(names.c.category == "movie_title", names.c.id.in_(select(near.c.name_id)))
            .group_by(name_films.c.film_id)
            .order_by(func.max(name_films.c.standing).desc(), name_films.c.film_id)
            .limit(limit)
        )
        ranks.update((film_id, standing) for film_id, standing in found)
    return sorted(ranks, key=lambda film_id: (-ranks[film_id], film_id))[:limit]

"""Scores of films that were found by other means: a search among them alone."""

from collections.abc import Sequence

from townsquare.services.search.models.films import VectorName
from townsquare.services.search.parts import FilmFilter, Vector, VectorIndex


async def scores_among(
    index: VectorIndex, name: VectorName, vector: Vector, film_ids: Sequence[int]
) -> dict[int, float]:
    if not film_ids:
        return {}
    where = FilmFilter(ids=tuple(film_ids))
    return {
        hit.film_id: hit.score for hit in await index.search(name, vector, limit=len(film_ids), where=where)
    }

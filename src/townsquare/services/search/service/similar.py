"""Films that are like one: by its own vectors, or by its facts where nobody has written about it."""

from msgspec.structs import replace

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import FoundFilm, MatchReason, SearchFilters
from townsquare.services.search.parts import FilmFilter
from townsquare.services.search.service.limits import narrowed, of_request
from townsquare.services.search.service.names import LikeFilm, QueryNames
from townsquare.services.search.service.pipeline import Parts
from townsquare.services.search.service.presentation import plain_card
from townsquare.services.search.service.rerank import kinship, like_score
from townsquare.services.search.service.vector_search import MOST_CANDIDATES, like_queries, search_vectors


async def similar(parts: Parts, film: Film, filters: SearchFilters, limit: int) -> list[FoundFilm]:
    where = narrowed(of_request(filters), FilmFilter(without_ids=(film.id,)))
    own = await parts.vectors.vectors([film.id])
    names = QueryNames(like=[LikeFilm(film.title, film.id, (film.id,))])
    queries = list(like_queries(names, own))
    if not queries:
        return await alike_by_facts(parts, film, where, limit)
    cosines = await search_vectors(parts.vectors, queries, where)
    nearest = cosines.best_first()[:MOST_CANDIDATES]
    await cosines.complete(parts.vectors, nearest)
    others = await parts.lexical.films(nearest)
    scores = {other.id: like_score(cosines.like(other.id), kinship(other, film)) for other in others}
    found = []
    for other in sorted(others, key=lambda other: -scores[other.id][0])[:limit]:
        score, channel = scores[other.id]
        why = [MatchReason("channel", other.texts[channel], channel)] if channel in other.texts else []
        found.append(replace(plain_card(other), score=round(score, 4), why=why))
    return found


async def alike_by_facts(parts: Parts, film: Film, where: FilmFilter, limit: int) -> list[FoundFilm]:
    """Of the same genres, the best known first."""
    same = narrowed(where, FilmFilter(genres=film.genres[:2]))
    others = await parts.lexical.films(await parts.lexical.matching(same, limit=limit))
    why = [MatchReason("fact", ", ".join(film.genres[:2]))] if film.genres else []
    return [replace(plain_card(other), why=why) for other in others]

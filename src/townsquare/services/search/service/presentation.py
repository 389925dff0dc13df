"""A film as a result shows it, the keywords that results share, and notices beside the films."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import (
    FoundFilm,
    IndexProgress,
    KeywordFacet,
    SearchNotice,
    poster_of,
)
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.service.limits import StatedLimit
from townsquare.services.search.service.names import QueryNames
from townsquare.services.search.service.rerank import Scored, fitted, weights_of

SHOWN_CAST = 3
FACET_FILMS = 50  # the best ones, whose keywords become facets
MOST_FACETS = 12


def plain_card(film: Film) -> FoundFilm:
    """A film without a query."""
    return FoundFilm(
        id=film.id,
        title=film.title,
        year=film.year,
        original_title=film.original_title,
        runtime=film.runtime,
        certification=film.certification,
        genres=film.genres,
        countries=film.countries,
        languages=film.languages,
        directors=film.directors,
        cast=tuple(role.actor for role in film.cast[:SHOWN_CAST]),
        poster=poster_of(film),
    )


def keyword_facets(films: Sequence[Film], chosen: Collection[str]) -> list[KeywordFacet]:
    """The keywords that most of these films share, without those that all of them have."""
    counts = Counter(keyword for film in films for keyword in film.keywords if keyword not in chosen)
    shared = [(keyword, count) for keyword, count in counts.most_common() if 1 < count < len(films)]
    return [KeywordFacet(keyword, count) for keyword, count in shared[:MOST_FACETS]]


NOTHING_FITS = SearchNotice("nothing_fits", "Nothing fits well: these films are only the nearest")
LOOKED_AT = 10


def indexing_notice(progress: IndexProgress) -> SearchNotice:
    if progress.fault:
        return SearchNotice(
            "vectors_degraded", "Moods and plots cannot be compared: their index was not made"
        )
    share = f"{progress.texts_done:,} of {progress.texts_total:,} texts"
    return SearchNotice("indexing", f"Moods and plots are still being read: {share} so far")


def relaxed_notice(given_up: Sequence[StatedLimit], fitting: int) -> SearchNotice:
    labels = ", ".join(limit.label for limit in given_up)
    if not fitting:
        return SearchNotice("relaxed", f"No film has all of this: shown without “{labels}”")
    films = "one film has" if fitting == 1 else f"{fitting} films have"
    return SearchNotice("relaxed", f"Only {films} all of this: the others are shown without “{labels}”")


def not_held_notices(understanding: QueryUnderstandingResponse) -> Iterator[SearchNotice]:
    for said in understanding.not_held:
        yield SearchNotice("not_held", f"“{said}” may not hold for every film: the catalogue does not tell")
    if topics := ", ".join(understanding.unwanted_topics):
        detail = f"The catalogue does not tell which films have “{topics}”: those whose texts do come last"
        yield SearchNotice("not_held", detail)


def nothing_fits(
    scored: Sequence[Scored], understanding: QueryUnderstandingResponse, names: QueryNames
) -> bool:
    """Whether the description finds no more than random text does, and nothing else was understood."""
    weights = weights_of(understanding)
    if names.titles or names.limits or names.like or weights.metadata or not weights.vector:
        return False
    best = [one for one in scored[:LOOKED_AT] if one.candidate.texts]
    return bool(best) and max(one.vector for one in best) < fitted().random_text

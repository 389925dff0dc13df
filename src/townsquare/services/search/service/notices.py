"""What a response says beside its films: relaxed limits, texts that are still being indexed."""

from collections.abc import Iterator, Sequence

from townsquare.services.search.models.results import IndexProgress, SearchNotice
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.service.limits import StatedLimit
from townsquare.services.search.service.names import QueryNames
from townsquare.services.search.service.rerank import Scored, weights_of
from townsquare.services.search.service.weights import fitted

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

"""Which of the films that the searches found become candidates."""

from collections.abc import Mapping, Sequence

from townsquare.services.search.service.names import QueryNames
from townsquare.services.search.service.vector_search import Cosines

# whose records are fetched: four pages, so that preferences have something to choose from
MOST_CANDIDATES = 200


def merged(
    names: QueryNames,
    words: Mapping[int, float],
    texts: Mapping[int, float],
    matching: Sequence[int],
    cosines: Cosines,
    trending: frozenset[int],
) -> list[int]:
    """Ids of all that was found, each once, named films first; as many as are worth fetching."""
    by_vector = cosines.best_first()
    named = [
        *names.titles,
        *names.maybe_titles,
        *(id for one in names.entities for id in sorted(one.film_ids)),
    ]
    everything = [*named, *interleaved(by_vector, list(texts), matching, list(words), sorted(trending))]
    return list(dict.fromkeys(everything))[:MOST_CANDIDATES]


def interleaved(*lists: Sequence[int]) -> list[int]:
    """The first of each, then the second of each: no search crowds out another."""
    longest = max(map(len, lists), default=0)
    return [some[place] for place in range(longest) for some in lists if place < len(some)]

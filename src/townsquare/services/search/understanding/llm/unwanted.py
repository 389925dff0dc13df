"""What of a query is not wanted, by the rules: nothing that a model would have to be asked for once more."""

from collections.abc import Sequence

from msgspec.structs import replace

from townsquare.services.search.models.understanding import EntityCandidate, QueryUnderstandingResponse
from townsquare.services.search.understanding.local.constraints import find_wishes
from townsquare.services.search.understanding.local.exclusions import is_unwanted_at, opposites
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.tokens import forms
from townsquare.services.search.understanding.local.topics import drop_unwanted_words
from townsquare.services.search.understanding.local.unheld import find_not_held
from townsquare.services.search.understanding.local.wanted import wanted_text

ANY_YEAR = 2000  # dates are the model's to read: here they only take their words away


def without_unwanted(query: str, meaning: QueryUnderstandingResponse) -> QueryUnderstandingResponse:
    """The same meaning, with what texts are to be compared with and what cannot be held."""
    reading = QueryReading(" ".join(query.split()))
    claim_names(reading, meaning.lexical_entities.entity_candidates)
    not_held = find_not_held(reading)
    find_wishes(reading, ANY_YEAR)
    topics = [*opposites(reading).topics, *drop_unwanted_words(reading)]
    return replace(
        meaning,
        wanted_text=wanted_text(reading, ()),
        unwanted_topics=topics,
        without_sequels=bool(not_held.sequels),
        not_held=not_held.said,
    )


def claim_names(reading: QueryReading, candidates: Sequence[EntityCandidate]) -> None:
    """Before anything else is read: "No Country for Old Men" excludes nothing."""
    written = [token.form for token in reading.tokens]
    for candidate in candidates:
        name = [*forms(candidate.candidate_entity_phrase)]
        for start in range(len(written) - len(name) + 1):
            if name and written[start : start + len(name)] == name:
                end = start + len(name)
                unwanted = candidate.exclude_from_results
                if unwanted:
                    is_unwanted_at(reading, start, end)  # claims the words that say so
                reading.claim(start, end, "unwanted" if unwanted else "name")

"""The answers of a model as the response that a search works with."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from townsquare.services.search.models.films import CHANNELS
from townsquare.services.search.models.understanding import (
    ChannelWeights,
    EntityCandidate,
    LexicalEntities,
    MetadataPreferences,
    QueryUnderstandingResponse,
    VectorSubqueries,
    VectorWeights,
)
from townsquare.services.search.understanding.llm.questions import (
    CATEGORIES,
    EntitiesAnswer,
    ModelAnswer,
    TitlesAnswer,
)
from townsquare.services.search.understanding.local.exclusions import (
    drop_unwanted_words,
    excluding_words,
    find_unless,
    opposites,
)
from townsquare.services.search.understanding.local.limits import find_wishes
from townsquare.services.search.understanding.local.meaning import keywords_of, no_sequels, not_held
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.texts import wanted_text
from townsquare.services.search.understanding.local.tokens import forms

T = TypeVar("T")


def compose(query: str, answers: Mapping[str, ModelAnswer]) -> QueryUnderstandingResponse:
    """Of all answers; names that do not stand in the query were made up and are left out."""

    def part(name: str, of: type[T]) -> T:
        return msgspec.convert(msgspec.to_builtins(answers[name]), of)

    facts = {name.removesuffix("_preference"): name for name in MetadataPreferences.__struct_fields__}
    given = {field: msgspec.to_builtins(answers[name]) for name, field in facts.items() if name in answers}
    subqueries = {f"{one}_data": msgspec.to_builtins(answers[f"subquery_{one}"]) for one in CHANNELS}
    similar_to = answers["similar_to"]
    assert isinstance(similar_to, TitlesAnswer)
    meaning = QueryUnderstandingResponse(
        channel_weights=part("channel_weights", ChannelWeights),
        lexical_entities=LexicalEntities(entity_candidates=_candidates(query, answers)),
        metadata_preferences=msgspec.convert(given, MetadataPreferences),
        vector_subqueries=msgspec.convert(subqueries, VectorSubqueries),
        vector_weights=part("vector_weights", VectorWeights),
        similar_to=list(dict.fromkeys(similar_to.titles)),
    )
    return without_unwanted(query, meaning)


def _candidates(query: str, answers: Mapping[str, ModelAnswer]) -> list[EntityCandidate]:
    written = query.casefold()
    candidates: list[EntityCandidate] = []
    for category in CATEGORIES:
        answer = answers[f"entities_{category}"]
        assert isinstance(answer, EntitiesAnswer)
        candidates += [
            EntityCandidate(
                candidate_entity_phrase=entity.phrase,
                most_likely_category=category,
                exclude_from_results=entity.exclude,
                corrected_and_normalized_entity=entity.corrected_name,
            )
            for entity in answer.entities
            if entity.phrase.casefold() in written
        ]
    return candidates


ANY_YEAR = 2000  # dates are the model's to read: here they only take their words away


def without_unwanted(query: str, meaning: QueryUnderstandingResponse) -> QueryUnderstandingResponse:
    """The same meaning, with the text to compare, what keywords tell and what cannot be held."""
    reading = with_names(QueryReading.of(" ".join(query.split())), meaning.lexical_entities.entity_candidates)
    unless, reading = find_unless(reading)
    wishes, reading = find_wishes(reading, ANY_YEAR)
    instead, reading = opposites(reading)
    topics, reading = drop_unwanted_words(reading)
    return replace(
        meaning,
        metadata_preferences=replace(meaning.metadata_preferences, keywords_preference=keywords_of(wishes)),
        wanted_text=wanted_text(reading, ()),
        unwanted_topics=[*instead.topics, *topics],
        without_sequels=no_sequels(wishes),
        not_held=[*not_held(reading, wishes), *unless],
    )


def with_names(reading: QueryReading, candidates: Sequence[EntityCandidate]) -> QueryReading:
    """Before anything else is read: "No Country for Old Men" excludes nothing."""
    written = [token.form for token in reading.tokens]
    for candidate in candidates:
        name = [*forms(candidate.candidate_entity_phrase)]
        for start in range(len(written) - len(name) + 1):
            if name and written[start : start + len(name)] == name:
                end = start + len(name)
                unwanted = candidate.exclude_from_results
                said = excluding_words(reading, start, end) if unwanted else None
                reading = reading.claimed(
                    "unwanted" if unwanted else "name", (start, end), *([said] if said else [])
                )
    return reading

"""The answers of a model as the response that a search works with."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from townsquare.services.search.models.films import CHANNELS
from townsquare.services.search.models.understanding import (
    ChannelWeights,
    ChoicePreference,
    DurationPreference,
    EntityCandidate,
    LexicalEntities,
    MetadataPreferences,
    PopularTrendingPreference,
    QueryUnderstandingResponse,
    ReceptionPreference,
    ReleaseDatePreference,
    VectorSubqueries,
    VectorWeights,
)
from townsquare.services.search.understanding.llm.answers import (
    EntitiesAnswer,
    ModelAnswer,
    TitlesAnswer,
)
from townsquare.services.search.understanding.llm.questions import CATEGORIES
from townsquare.services.search.understanding.llm.unwanted import without_unwanted

T = TypeVar("T")


def compose(query: str, answers: Mapping[str, ModelAnswer]) -> QueryUnderstandingResponse:
    """Of all answers; names that do not stand in the query were made up and are left out."""

    def part(name: str, of: type[T]) -> T:
        return msgspec.convert(msgspec.to_builtins(answers[name]), of)

    meaning = QueryUnderstandingResponse(
        channel_weights=part("channel_weights", ChannelWeights),
        lexical_entities=LexicalEntities(entity_candidates=_candidates(query, answers)),
        metadata_preferences=MetadataPreferences(
            release_date_preference=part("release_date", ReleaseDatePreference),
            duration_preference=part("duration", DurationPreference),
            genres_preference=part("genres", ChoicePreference),
            audio_languages_preference=part("audio_languages", ChoicePreference),
            countries_preference=part("countries", ChoicePreference),
            watch_providers_preference=part("watch_providers", ChoicePreference),
            maturity_rating_preference=part("maturity_rating", ChoicePreference),
            popular_trending_preference=part("popular_trending", PopularTrendingPreference),
            reception_preference=part("reception", ReceptionPreference),
        ),
        vector_subqueries=msgspec.convert(
            {f"{channel}_data": _builtins(answers[f"subquery_{channel}"]) for channel in CHANNELS},
            VectorSubqueries,
        ),
        vector_weights=part("vector_weights", VectorWeights),
        similar_to=_similar_to(answers["similar_to"]),
    )
    return without_unwanted(query, meaning)


def _builtins(answer: ModelAnswer) -> Any:
    return msgspec.to_builtins(answer)


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


def _similar_to(answer: ModelAnswer) -> list[str]:
    assert isinstance(answer, TitlesAnswer)
    return list(dict.fromkeys(answer.titles))

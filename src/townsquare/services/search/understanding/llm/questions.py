"""The questions to a language model, and what it may answer: bounded, nothing optional, nothing unknown."""

import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from townsquare.services.search.models.films import CHANNELS
from townsquare.services.search.models.understanding import (
    DateOperation,
    EntityCategory,
    NumberOperation,
    Relevance,
)
from townsquare.services.search.service.genres import GenreName

Phrase = Annotated[str, Meta(min_length=1, max_length=200)]
Justification = Annotated[str, Meta(max_length=500)]
Day = Annotated[str, Meta(pattern=r"^[12][0-9]{3}-[01][0-9]-[0-3][0-9]$")]
Minutes = Annotated[int, Meta(ge=1, le=1000)]
Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}$")]
Country = Annotated[str, Meta(pattern=r"^[A-Z]{2}$")]
Certificate = Literal["G", "PG", "PG-13", "R", "NC-17", "Approved", "Passed", "Not Rated"]
MOST_NAMES = 10
UNSUPPORTED = frozenset(  # by strict schemas; the answer is validated against them all the same
    {"title", "default", "minLength", "maxLength", "maxItems", "minItems", "pattern", "minimum", "maximum"}
)


class ModelAnswer(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One answer of a model."""


class WeightsAnswer(ModelAnswer):
    lexical_relevance: Relevance
    metadata_relevance: Relevance
    vector_relevance: Relevance


class NamedEntity(ModelAnswer):
    phrase: Phrase
    corrected_name: Phrase
    exclude: bool


class EntitiesAnswer(ModelAnswer):
    entities: Annotated[list[NamedEntity], Meta(max_length=MOST_NAMES)]


class TitlesAnswer(ModelAnswer):
    titles: Annotated[list[Phrase], Meta(max_length=MOST_NAMES)]


class DateResult(ModelAnswer):
    first_date: Day
    match_operation: DateOperation
    second_date: Day | None
    stated: bool

    def __post_init__(self) -> None:
        date.fromisoformat(self.first_date)  # a ValueError is an answer that does not fit
        if self.second_date:
            date.fromisoformat(self.second_date)


class DateAnswer(ModelAnswer):
    result: DateResult | None
    without: Annotated[list[DateResult], Meta(max_length=MOST_NAMES)]


class DurationResult(ModelAnswer):
    first_value: Minutes
    match_operation: NumberOperation
    second_value: Minutes | None
    stated: bool


class DurationAnswer(ModelAnswer):
    result: DurationResult | None


def model_answer(name: str, fields: Sequence[tuple[str, Any]]) -> type[ModelAnswer]:
    made: type[ModelAnswer] = msgspec.defstruct(name, fields, bases=(ModelAnswer,))  # type: ignore[assignment]
    return made


def choice_answer(name: str, item: Any) -> type[ModelAnswer]:
    """An answer whose result lists what to include and what to exclude, or is null."""
    listed = Annotated[list[item], Meta(max_length=MOST_NAMES)]
    fields = [("should_include", listed), ("should_exclude", listed), ("stated", bool)]
    return model_answer(f"{name}Answer", [("result", model_answer(f"{name}Result", fields) | None)])


class PopularAnswer(ModelAnswer):
    prefers_trending_movies: bool
    prefers_popular_movies: bool


class ReceptionAnswer(ModelAnswer):
    reception_type: Literal["no_preference", "critically_acclaimed", "poorly_received"]


class SubqueryAnswer(ModelAnswer):
    justification: Justification
    relevant_subquery_text: Phrase | None


class ChannelWeight(ModelAnswer):
    relevance: Relevance
    justification: Justification


PROMPTS = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))
CATEGORIES: tuple[EntityCategory, ...] = get_args(EntityCategory)
ANSWERS: dict[str, type[ModelAnswer]] = {
    "channel_weights": WeightsAnswer,
    "similar_to": TitlesAnswer,
    "release_date": DateAnswer,
    "duration": DurationAnswer,
    "genres": choice_answer("Genres", GenreName),
    "audio_languages": choice_answer("Languages", Language),
    "countries": choice_answer("Countries", Country),
    "watch_providers": choice_answer("Providers", Phrase),
    "maturity_rating": choice_answer("Certificates", Certificate),
    "popular_trending": PopularAnswer,
    "reception": ReceptionAnswer,
    "vector_weights": model_answer(
        "ChannelWeightsAnswer", [(f"{channel}_data", ChannelWeight) for channel in CHANNELS]
    ),
}


class Question(NamedTuple):
    name: str  # of the schema as well
    prompt: str
    answer: type[ModelAnswer]


def questions() -> Iterator[Question]:
    """About two dozen, independent of each other: asked all at once."""
    for name, answer in ANSWERS.items():
        yield Question(name, PROMPTS["questions"][name], answer)
    for kind, answer in (("entities", EntitiesAnswer), ("subquery", SubqueryAnswer)):
        for of, what in PROMPTS[kind].items():
            yield Question(f"{kind}_{of}", PROMPTS["questions"][kind].format(what=what), answer)


QUESTIONS = tuple(questions())


def strict_schema(answer: type[ModelAnswer]) -> dict[str, Any]:
    """The JSON schema of an answer as `strict` wants it: an object at the root, every property required."""
    whole = msgspec.json.schema(answer)
    definitions: dict[str, Any] = whole["$defs"]
    root: dict[str, Any] = _strict(definitions.pop(answer.__name__))
    if definitions:
        root["$defs"] = {name: _strict(one) for name, one in definitions.items()}
    return root


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") != "object":
        kept = {key: _strict(value) for key, value in schema.items() if key not in UNSUPPORTED}
        return {"type": "string", **kept} if "enum" in kept else kept
    properties = {name: _strict(one) for name, one in schema["properties"].items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

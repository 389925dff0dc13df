"""What a model may answer to each question: bounded, nothing optional, nothing unknown."""

from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from townsquare.services.search.models.understanding import DateOperation, NumberOperation, Relevance
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


class GenresResult(ModelAnswer):
    should_include: Annotated[list[GenreName], Meta(max_length=MOST_NAMES)]
    should_exclude: Annotated[list[GenreName], Meta(max_length=MOST_NAMES)]
    stated: bool


class GenresAnswer(ModelAnswer):
    result: GenresResult | None


class LanguagesResult(ModelAnswer):
    should_include: Annotated[list[Language], Meta(max_length=MOST_NAMES)]
    should_exclude: Annotated[list[Language], Meta(max_length=MOST_NAMES)]
    stated: bool


class LanguagesAnswer(ModelAnswer):
    result: LanguagesResult | None


class CountriesResult(ModelAnswer):
    should_include: Annotated[list[Country], Meta(max_length=MOST_NAMES)]
    should_exclude: Annotated[list[Country], Meta(max_length=MOST_NAMES)]
    stated: bool


class CountriesAnswer(ModelAnswer):
    result: CountriesResult | None


class ProvidersResult(ModelAnswer):
    should_include: Annotated[list[Phrase], Meta(max_length=MOST_NAMES)]
    should_exclude: Annotated[list[Phrase], Meta(max_length=MOST_NAMES)]
    stated: bool


class ProvidersAnswer(ModelAnswer):
    result: ProvidersResult | None


class CertificatesResult(ModelAnswer):
    should_include: Annotated[list[Certificate], Meta(max_length=MOST_NAMES)]
    should_exclude: Annotated[list[Certificate], Meta(max_length=MOST_NAMES)]
    stated: bool


class CertificatesAnswer(ModelAnswer):
    result: CertificatesResult | None


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


class ChannelWeightsAnswer(ModelAnswer):
    plot_events_data: ChannelWeight
    plot_analysis_data: ChannelWeight
    viewer_experience_data: ChannelWeight
    watch_context_data: ChannelWeight
    narrative_techniques_data: ChannelWeight
    production_data: ChannelWeight
    reception_data: ChannelWeight


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

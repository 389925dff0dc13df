"""What a query means: the blob that is cached as `qu:v{N}:{hash}`, and nothing of who asks or when.

A change of these structs changes the version of the cache (`understanding/version.py`).
"""

from datetime import date, timedelta
from typing import Literal

import msgspec

Relevance = Literal["not_relevant", "small", "medium", "large"]
EntityCategory = Literal["movie_title", "person", "character", "studio", "franchise"]
DateOperation = Literal["exact", "before", "after", "between"]
NumberOperation = Literal["exact", "at_most", "at_least", "between"]


class ChannelWeights(msgspec.Struct, kw_only=True):
    lexical_relevance: Relevance = "not_relevant"
    metadata_relevance: Relevance = "not_relevant"
    vector_relevance: Relevance = "not_relevant"


class EntityCandidate(msgspec.Struct, kw_only=True):
    candidate_entity_phrase: str  # as the person wrote it
    most_likely_category: EntityCategory
    exclude_from_results: bool = False
    corrected_and_normalized_entity: str
    stated: bool = True  # every result must have the name; else it is evidence among others


class LexicalEntities(msgspec.Struct, kw_only=True):
    entity_candidates: list[EntityCandidate] = []


class DateRange(msgspec.Struct, kw_only=True):
    first_date: str  # YYYY-MM-DD
    match_operation: DateOperation
    second_date: str | None = None
    stated: bool = False  # the person said it: a limit, not a preference

    def years(self) -> tuple[int | None, int | None]:
        """The first and the last year, both inside; a date that nobody can read is no limit."""
        first, second = day(self.first_date), day(self.second_date)
        if first is None:
            return None, None
        match self.match_operation:
            case "exact":
                return first.year, first.year
            case "before":
                return None, (first - timedelta(days=1)).year if first > date.min else first.year
            case "after":
                return (first + timedelta(days=1)).year if first < date.max else first.year, None
        if second is None:
            return first.year, None
        return min(first.year, second.year), max(first.year, second.year)


def day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


class NumberRange(msgspec.Struct, kw_only=True):
    first_value: int
    match_operation: NumberOperation
    second_value: int | None = None
    stated: bool = False

    def bounds(self) -> tuple[int | None, int | None]:
        """The least and the most that it allows, both included."""
        match self.match_operation:
            case "exact":
                return self.first_value, self.first_value
            case "at_most":
                return None, self.first_value
            case "at_least":
                return self.first_value, None
        if self.second_value is None:
            return self.first_value, None
        return min(self.first_value, self.second_value), max(self.first_value, self.second_value)


class Choice(msgspec.Struct, kw_only=True):
    should_include: list[str] = []
    should_exclude: list[str] = []
    stated: bool = False  # of what to include; what is excluded always is


class ReleaseDatePreference(msgspec.Struct, kw_only=True):
    result: DateRange | None = None
    without: list[DateRange] = []  # stretches that are not wanted: "not from the 80s"


class DurationPreference(msgspec.Struct, kw_only=True):
    result: NumberRange | None = None  # minutes
    without: list[NumberRange] = []  # "less than 90 or more than 180 minutes": what is between


class ChoicePreference(msgspec.Struct, kw_only=True):
    result: Choice | None = None


class PopularTrendingPreference(msgspec.Struct, kw_only=True):
    prefers_trending_movies: bool = False
    prefers_popular_movies: bool = False


class ReceptionPreference(msgspec.Struct, kw_only=True):
    reception_type: Literal["no_preference", "critically_acclaimed", "poorly_received"] = "no_preference"


class MetadataPreferences(msgspec.Struct, kw_only=True):
    release_date_preference: ReleaseDatePreference = msgspec.field(default_factory=ReleaseDatePreference)
    duration_preference: DurationPreference = msgspec.field(default_factory=DurationPreference)
    genres_preference: ChoicePreference = msgspec.field(default_factory=ChoicePreference)
    audio_languages_preference: ChoicePreference = msgspec.field(default_factory=ChoicePreference)
    countries_preference: ChoicePreference = msgspec.field(default_factory=ChoicePreference)
    watch_providers_preference: ChoicePreference = msgspec.field(default_factory=ChoicePreference)
    keywords_preference: ChoicePreference = msgspec.field(default_factory=ChoicePreference)
    maturity_rating_preference: ChoicePreference = msgspec.field(default_factory=ChoicePreference)
    popular_trending_preference: PopularTrendingPreference = msgspec.field(
        default_factory=PopularTrendingPreference
    )
    reception_preference: ReceptionPreference = msgspec.field(default_factory=ReceptionPreference)


class Subquery(msgspec.Struct, kw_only=True):
    justification: str = ""
    relevant_subquery_text: str | None = None


class SubqueryWeight(msgspec.Struct, kw_only=True):
    relevance: Relevance = "not_relevant"
    justification: str = ""


class VectorSubqueries(msgspec.Struct, kw_only=True):
    plot_events_data: Subquery = msgspec.field(default_factory=Subquery)
    plot_analysis_data: Subquery = msgspec.field(default_factory=Subquery)
    viewer_experience_data: Subquery = msgspec.field(default_factory=Subquery)
    watch_context_data: Subquery = msgspec.field(default_factory=Subquery)
    narrative_techniques_data: Subquery = msgspec.field(default_factory=Subquery)
    production_data: Subquery = msgspec.field(default_factory=Subquery)
    reception_data: Subquery = msgspec.field(default_factory=Subquery)


class VectorWeights(msgspec.Struct, kw_only=True):
    plot_events_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)
    plot_analysis_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)
    viewer_experience_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)
    watch_context_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)
    narrative_techniques_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)
    production_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)
    reception_data: SubqueryWeight = msgspec.field(default_factory=SubqueryWeight)


class QueryUnderstandingResponse(msgspec.Struct, kw_only=True):
    channel_weights: ChannelWeights = msgspec.field(default_factory=ChannelWeights)
    lexical_entities: LexicalEntities = msgspec.field(default_factory=LexicalEntities)
    metadata_preferences: MetadataPreferences = msgspec.field(default_factory=MetadataPreferences)
    vector_subqueries: VectorSubqueries = msgspec.field(default_factory=VectorSubqueries)
    vector_weights: VectorWeights = msgspec.field(default_factory=VectorWeights)
    similar_to: list[
        str
    ] = []  # titles in "like X but Y": their own vectors are searched, and they are left out
    # the query without what is not wanted, to compare texts with; None: all of it, "": nothing is left
    wanted_text: str | None = None
    unwanted_topics: list[str] = []  # "no aliens": no fact says so, films whose texts tell of it come last
    without_sequels: bool = False
    not_held: list[str] = []  # what was said and no fact of the catalogue tells: "no remakes"

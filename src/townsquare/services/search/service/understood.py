"""What was understood, part by part: to show, to take away again, and to say why a film matched."""

from collections.abc import Collection, Iterator

import msgspec

from townsquare.services.search.models.films import CHANNEL_WORDS, CHANNELS, Film
from townsquare.services.search.models.results import MatchReason, UnderstoodPart
from townsquare.services.search.models.understanding import (
    Choice,
    ChoicePreference,
    DateRange,
    EntityCandidate,
    MetadataPreferences,
    NumberRange,
    PopularTrendingPreference,
    QueryUnderstandingResponse,
    ReceptionPreference,
    Subquery,
    SubqueryWeight,
)
from townsquare.services.search.service.genres import known_genres
from townsquare.services.search.service.limits import minutes_label, minutes_of, years_label
from townsquare.services.search.service.names import NamedFilms
from townsquare.services.search.service.preferences import preference_scores
from townsquare.services.search.service.rerank import Scored, relevance_of
from townsquare.services.search.service.vector_search import subquery

CHOICES = {
    "genres": "genres_preference",
    "audio_languages": "audio_languages_preference",
    "countries": "countries_preference",
    "watch_providers": "watch_providers_preference",
    "keywords": "keywords_preference",
    "maturity_rating": "maturity_rating_preference",
}
NAME_WORDS = {
    "movie_title": "“{}”",
    "person": "with {}",
    "character": "character {}",
    "studio": "by {}",
    "franchise": "{} series",
}
MOST_CHANNEL_CHIPS = 3
ALMOST = 0.99  # of a preference: the film has it


def name_part(entity: EntityCandidate) -> str:
    return f"name:{entity.most_likely_category}:{entity.corrected_and_normalized_entity}"


def stretch_part(stretch: DateRange) -> str:
    return f"without_release_date:{released_label(stretch)}"


def length_part(length: NumberRange) -> str:
    return f"without_duration:{duration_label(length)}"


def understood_parts(understanding: QueryUnderstandingResponse) -> list[UnderstoodPart]:
    """What to show as chips."""
    return [
        *name_parts(understanding),
        *fact_parts(understanding.metadata_preferences),
        *topic_parts(understanding),
        *channel_parts(understanding),
    ]


def name_parts(understanding: QueryUnderstandingResponse) -> Iterator[UnderstoodPart]:
    for title in understanding.similar_to:
        yield UnderstoodPart(part=f"similar_to:{title}", label=f"like {title}", stated=True)
    for entity in understanding.lexical_entities.entity_candidates:
        name = entity.corrected_and_normalized_entity
        words = NAME_WORDS[entity.most_likely_category].format(name)
        excluded = entity.exclude_from_results
        yield UnderstoodPart(
            part=name_part(entity),
            label=f"not {words}" if excluded else words,
            excluded=excluded,
            stated=excluded or entity.stated,
        )


def topic_parts(understanding: QueryUnderstandingResponse) -> Iterator[UnderstoodPart]:
    if understanding.without_sequels:
        yield UnderstoodPart(part="without_sequels", label="no sequels", excluded=True, stated=True)
    for topic in understanding.unwanted_topics:
        yield UnderstoodPart(part=f"without_topic:{topic}", label=f"no {topic}", excluded=True)


def fact_parts(preferences: MetadataPreferences) -> Iterator[UnderstoodPart]:
    if released := preferences.release_date_preference.result:
        yield UnderstoodPart(part="release_date", label=released_label(released), stated=released.stated)
    for stretch in preferences.release_date_preference.without:
        yield UnderstoodPart(
            part=stretch_part(stretch), label=f"not {released_label(stretch)}", excluded=True, stated=True
        )
    if duration := preferences.duration_preference.result:
        yield UnderstoodPart(part="duration", label=duration_label(duration), stated=duration.stated)
    for length in preferences.duration_preference.without:
        yield UnderstoodPart(
            part=length_part(length), label=f"not {duration_label(length)}", excluded=True, stated=True
        )
    for name, field in CHOICES.items():
        choice: Choice = getattr(preferences, field).result or Choice()
        for value in spelled(name, choice.should_include):
            yield UnderstoodPart(part=f"{name}:{value}", label=value, stated=choice.stated)
        for value in spelled(name, choice.should_exclude):
            yield UnderstoodPart(
                part=f"without_{name}:{value}", label=f"no {value}", excluded=True, stated=True
            )
    if preferences.popular_trending_preference.prefers_trending_movies:
        yield UnderstoodPart(part="trending", label="trending")
    if preferences.popular_trending_preference.prefers_popular_movies:
        yield UnderstoodPart(part="popular", label="well known")
    if (reception := preferences.reception_preference.reception_type) != "no_preference":
        yield UnderstoodPart(part="reception", label=reception.replace("_", " "))


def channel_parts(understanding: QueryUnderstandingResponse) -> Iterator[UnderstoodPart]:
    """The channels that a query is about, the surest first; a text that stands in several is shown once."""
    order = ("large", "medium", "small")
    asked = [(channel, subquery(understanding, channel)) for channel in CHANNELS]
    relevance = {channel: relevance_of(understanding.vector_weights, channel) for channel in CHANNELS}
    seen: set[str] = set()
    for channel, text in sorted(asked, key=lambda one: (*order, "not_relevant").index(relevance[one[0]])):
        new = text and text not in seen and len(seen) < MOST_CHANNEL_CHIPS
        if text and new and relevance[channel] != "not_relevant":
            seen.add(text)
            yield UnderstoodPart(part=f"channel:{channel}", label=f"{CHANNEL_WORDS[channel]}: {text}")


def released_label(released: DateRange) -> str:
    return years_label(*released.years())


def duration_label(duration: NumberRange) -> str:
    return minutes_label(*minutes_of(duration))


def without_parts(
    understanding: QueryUnderstandingResponse, ignored: Collection[str]
) -> QueryUnderstandingResponse:
    """A copy in which these parts count for nothing."""
    if not ignored:
        return understanding
    left = msgspec.convert(msgspec.to_builtins(understanding), QueryUnderstandingResponse)
    entities = left.lexical_entities.entity_candidates
    left.lexical_entities.entity_candidates = [one for one in entities if name_part(one) not in ignored]
    left.without_sequels = left.without_sequels and "without_sequels" not in ignored
    topics = left.unwanted_topics
    left.unwanted_topics = [one for one in topics if f"without_topic:{one}" not in ignored]
    left.similar_to = [title for title in left.similar_to if f"similar_to:{title}" not in ignored]
    preferences = left.metadata_preferences
    if "release_date" in ignored:
        preferences.release_date_preference.result = None
    released = preferences.release_date_preference
    released.without = [one for one in released.without if stretch_part(one) not in ignored]
    if "duration" in ignored:
        preferences.duration_preference.result = None
    lengths = preferences.duration_preference
    lengths.without = [one for one in lengths.without if length_part(one) not in ignored]
    for name, field in CHOICES.items():
        setattr(preferences, field, choice_without(name, getattr(preferences, field), ignored))
    popular = preferences.popular_trending_preference
    preferences.popular_trending_preference = PopularTrendingPreference(
        prefers_trending_movies=popular.prefers_trending_movies and "trending" not in ignored,
        prefers_popular_movies=popular.prefers_popular_movies and "popular" not in ignored,
    )
    if "reception" in ignored:
        preferences.reception_preference = ReceptionPreference()
    for channel in CHANNELS:
        if f"channel:{channel}" in ignored:
            setattr(left.vector_subqueries, f"{channel}_data", Subquery())
            setattr(left.vector_weights, f"{channel}_data", SubqueryWeight())
    return left


def as_preferences(
    understanding: QueryUnderstandingResponse, preferred: Collection[str]
) -> QueryUnderstandingResponse:
    """A copy in which these limits are preferences; exclusions stay as they are."""
    if not preferred:
        return understanding
    softened = msgspec.convert(msgspec.to_builtins(understanding), QueryUnderstandingResponse)
    for entity in softened.lexical_entities.entity_candidates:
        entity.stated = entity.stated and name_part(entity) not in preferred
    preferences = softened.metadata_preferences
    released, duration = preferences.release_date_preference.result, preferences.duration_preference.result
    if released and "release_date" in preferred:
        released.stated = False
    if duration and "duration" in preferred:
        duration.stated = False
    for name, field in CHOICES.items():
        choice: Choice | None = getattr(preferences, field).result
        if choice and any(f"{name}:{value}" in preferred for value in spelled(name, choice.should_include)):
            choice.stated = False
    return softened


def spelled(name: str, values: Collection[str]) -> Collection[str]:
    return known_genres(values) if name == "genres" else values


def choice_without(name: str, preference: ChoicePreference, ignored: Collection[str]) -> ChoicePreference:
    if preference.result is None:
        return preference
    choice = preference.result
    wanted, unwanted = spelled(name, choice.should_include), spelled(name, choice.should_exclude)
    included = [value for value in wanted if f"{name}:{value}" not in ignored]
    excluded = [value for value in unwanted if f"without_{name}:{value}" not in ignored]
    if not included and not excluded:
        return ChoicePreference()
    return ChoicePreference(
        result=Choice(should_include=included, should_exclude=excluded, stated=choice.stated)
    )


def reasons(
    scored: Scored, preferences: MetadataPreferences, names: Collection[NamedFilms], like: Collection[str]
) -> list[MatchReason]:
    """Why a film is in the answer, the most telling first."""
    film, candidate = scored.film, scored.candidate
    found: list[MatchReason] = []
    if likeness := candidate.title_likeness or candidate.maybe_title:
        exact = likeness >= ALMOST
        found.append(MatchReason("title", "its title" if exact else "nearly its title"))
    found += [MatchReason("name", name_reason(film, one)) for one in names if film.id in one.film_ids]
    if candidate.like and scored.vector:
        found.append(MatchReason("like", f"like {', '.join(like)}"))
    if scored.best_channel and scored.vector and (text := film.texts.get(scored.best_channel)):
        found.append(MatchReason("channel", text, scored.best_channel))
    facts = {
        "release_date": str(film.year),
        "duration": f"{film.runtime} minutes",
        "genres": ", ".join(film.genres),
        "audio_languages": ", ".join(film.languages),
        "countries": ", ".join(film.countries),
        "maturity_rating": film.certification,
    }
    fits = {name for name, score in preference_scores(film, preferences).items() if score >= ALMOST}
    found += [MatchReason("fact", text) for name, text in facts.items() if name in fits]
    if scored.trending:
        found.append(MatchReason("trending", "trending now"))
    if preferences.reception_preference.reception_type != "no_preference":
        found.append(MatchReason("standing", f"rated {film.quality} of 100"))
    if not found and (candidate.words or candidate.name_words):
        found.append(MatchReason("words", "words of the query in its texts or names"))
    return found


def name_reason(film: Film, entity: NamedFilms) -> str:
    if entity.category == "person" and entity.name in film.directors:
        return f"directed by {entity.name}"
    return NAME_WORDS[entity.category].format(entity.name)

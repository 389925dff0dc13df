"""How well a film suits what somebody would like: its facts, from 0 to 1, and unwanted topics in its texts.

A stated fact is a limit already and true of every film; where it was relaxed, films near it come first."""

import re
from collections.abc import Collection, Sequence

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import Choice, MetadataPreferences
from townsquare.services.search.service.genres import known_genres
from townsquare.services.search.service.lexical.words import IGNORED, stem
from townsquare.services.search.service.limits import minutes_of, stated_limits
from townsquare.services.search.understanding.local.tokens import forms

GRACE_YEARS = (
    10  # a film of 1978 is half as good as one of 1983 to who likes the eighties; one of 1969 is none
)
GRACE_MINUTES = 30  # 135 minutes are half as good as 120 to who would like two hours


def limited_facts(preferences: MetadataPreferences) -> frozenset[str]:
    """What is a limit: it holds for all films and orders none."""
    return frozenset(limit.part.partition(":")[0] for limit in stated_limits(preferences))


def metadata_score(
    film: Film, preferences: MetadataPreferences, limited: Collection[str] = frozenset()
) -> float:
    """The mean over the preferences that are no limits; 0 where there is none."""
    found = preference_scores(film, preferences)
    scores = {name: score for name, score in found.items() if name not in limited}
    return sum(scores.values()) / len(scores) if scores else 0.0


def preference_scores(film: Film, preferences: MetadataPreferences) -> dict[str, float]:
    found: dict[str, float] = {}
    if released := preferences.release_date_preference.result:
        found["release_date"] = nearness(film.year, *released.years(), grace=GRACE_YEARS)
    if duration := preferences.duration_preference.result:
        found["duration"] = (
            nearness(film.runtime, *minutes_of(duration), grace=GRACE_MINUTES) if film.runtime else 0.0
        )
    if genres := wanted(preferences.genres_preference.result):
        known = known_genres(genres)
        found["genres"] = len({*known} & {*film.genres}) / len(known)
    if languages := wanted(preferences.audio_languages_preference.result):
        found["audio_languages"] = main_one([code.lower() for code in languages], film.languages)
    if countries := wanted(preferences.countries_preference.result):
        found["countries"] = main_one([code.upper() for code in countries], film.countries)
    if keywords := wanted(preferences.keywords_preference.result):
        found["keywords"] = len({*keywords} & {*film.keywords}) / len(keywords)
    if ratings := wanted(preferences.maturity_rating_preference.result):
        found["maturity_rating"] = float(film.certification in ratings)
    if preferences.popular_trending_preference.prefers_popular_movies:
        found["popular"] = film.fame / 100
    match preferences.reception_preference.reception_type:
        case "critically_acclaimed":
            found["reception"] = film.quality / 100
        case "poorly_received":
            found["reception"] = 1 - film.quality / 100
    return found


def wanted(choice: Choice | None) -> Sequence[str]:
    return choice.should_include if choice else ()


def nearness(value: int, lowest: int | None, highest: int | None, *, grace: int) -> float:
    """1 inside the range, less and less outside of it, 0 where the grace ends."""
    beyond = max(
        lowest - value if lowest is not None else 0, value - highest if highest is not None else 0, 0
    )
    return max(0.0, 1 - beyond / grace)


def main_one(wanted: Sequence[str], film: Sequence[str]) -> float:
    """1 for a film mainly in one of them, half for one in which it is spoken too."""
    if not {*wanted} & {*film}:
        return 0.0
    return 1.0 if film[0] in wanted else 0.5


SHORTEST_WORD = 3
WITHOUT = ("no", "not", "never", "without", "little", "hardly", "few", "less", "minus", "nor")


def tell_of(topics: Sequence[str], films: Sequence[Film]) -> list[bool]:
    """For each film whether its texts tell of one of these; "without gore" tells of none."""
    topic_words = [
        words
        for topic in topics
        if (
            words := [
                stem(word) for word in forms(topic) if len(word) >= SHORTEST_WORD and word not in IGNORED
            ]
        )
    ]
    if not topic_words:
        return [False] * len(films)
    told = [
        re.sub(r"[-\s]+", " ", f" {' '.join((*film.texts.values(), *film.keywords))}".casefold())
        for film in films
    ]
    return [any(all(_is_told(word, text) for word in words) for words in topic_words) for text in told]


def _is_told(word: str, text: str) -> bool:
    at = text.find(f" {word}")
    while at >= 0:
        before = text[:at].rpartition(" ")[2]
        if before not in WITHOUT:
            return True
        at = text.find(f" {word}", at + 1)
    return False

"""How well the facts of a film suit what somebody would like: from 0 to 1, with grace around every range.

What was stated is a limit already and true of every film; where it was given up, films near it come first.
"""

from collections.abc import Collection, Sequence

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import Choice, MetadataPreferences
from townsquare.services.search.service.genres import known_genres
from townsquare.services.search.service.limits import minutes_of, stated_limits, years_of

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
        found["release_date"] = nearness(film.year, *years_of(released), grace=GRACE_YEARS)
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

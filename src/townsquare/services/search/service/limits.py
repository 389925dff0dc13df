"""Limits: what must hold for every film of an answer, and what is given up when it holds for none.

Filters of the request and exclusions are never given up. What a person stated in the query is, one thing at a
time and the least telling first, only when no film of the catalogue has all of it; the answer says so.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import SearchFilters
from townsquare.services.search.models.understanding import (
    Choice,
    DateRange,
    MetadataPreferences,
    NumberRange,
)
from townsquare.services.search.parts import EVERYTHING, FilmFilter
from townsquare.services.search.service.certifications import certification_of
from townsquare.services.search.service.genres import known_genres

EXACT_MINUTES = 10  # "a 90-minute film" is one of 80 to 100


class StatedLimit(NamedTuple):
    """One thing that a person stated."""

    part: str  # as in `UnderstoodPart`
    label: str
    where: FilmFilter


# the first is given up first: a rating or a length is rarely what somebody is after, a name nearly always is
GIVEN_UP_FIRST = (
    "maturity_rating",
    "duration",
    "audio_languages",
    "countries",
    "release_date",
    "genres",
    "name",
)


def years_of(range: DateRange) -> tuple[int | None, int | None]:
    """The first and the last year, both inside; a date that nobody can read is no limit."""
    first, second = day(range.first_date), day(range.second_date)
    if first is None:
        return None, None
    match range.match_operation:
        case "exact":
            return first.year, first.year
        case "before":
            return None, (first - timedelta(days=1)).year if first > date.min else first.year
        case "after":
            return (first + timedelta(days=1)).year if first < date.max else first.year, None
    if second is None:
        return first.year, None
    return min(first.year, second.year), max(first.year, second.year)


def stretches_of(ranges: Iterable[DateRange]) -> tuple[tuple[int, int], ...]:
    """Those of them that have a beginning and an end."""
    years = (years_of(one) for one in ranges)
    return tuple((first, last) for first, last in years if first is not None and last is not None)


def minutes_of(range: NumberRange) -> tuple[int | None, int | None]:
    """The shortest and the longest runtime, both inside."""
    first, second = range.first_value, range.second_value
    match range.match_operation:
        case "exact":
            return max(0, first - EXACT_MINUTES), first + EXACT_MINUTES
        case "at_most":
            return None, first
        case "at_least":
            return first, None
    return (first, None) if second is None else (min(first, second), max(first, second))


def day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def of_request(filters: SearchFilters) -> FilmFilter:
    """The filters of a request, in the catalogue's spelling."""
    return FilmFilter(
        first_year=filters.first_year,
        last_year=filters.last_year,
        shortest=filters.shortest,
        longest=filters.longest,
        genres=known_genres(filters.genres),
        without_genres=known_genres(filters.without_genres),
        languages=tuple(code.lower() for code in filters.languages),
        without_languages=tuple(code.lower() for code in filters.without_languages),
        countries=tuple(code.upper() for code in filters.countries),
        without_countries=tuple(code.upper() for code in filters.without_countries),
        certifications=tuple(map(certification_of, filters.certifications)),
    )


def exclusions(preferences: MetadataPreferences, without_ids: Iterable[int] = ()) -> FilmFilter:
    """What a person does not want to see: it always holds."""
    genres = preferences.genres_preference.result or Choice()
    languages = preferences.audio_languages_preference.result or Choice()
    countries = preferences.countries_preference.result or Choice()
    return FilmFilter(
        without_years=stretches_of(preferences.release_date_preference.without),
        without_minutes=tuple(
            (least, most)
            for least, most in map(minutes_of, preferences.duration_preference.without)
            if least is not None and most is not None
        ),
        without_genres=known_genres(genres.should_exclude),
        without_languages=tuple(code.lower() for code in languages.should_exclude),
        without_countries=tuple(code.upper() for code in countries.should_exclude),
        without_ids=tuple(sorted({*without_ids})),
    )


def stated_limits(preferences: MetadataPreferences) -> list[StatedLimit]:
    """What a person stated of the facts of a film; names are added by who has looked them up."""
    found: list[StatedLimit] = []
    released = preferences.release_date_preference.result
    if released and released.stated:
        first, last = years_of(released)
        label = years_label(first, last)
        found.append(StatedLimit("release_date", label, FilmFilter(first_year=first, last_year=last)))
    duration = preferences.duration_preference.result
    if duration and duration.stated:
        shortest, longest = minutes_of(duration)
        label = minutes_label(shortest, longest)
        found.append(StatedLimit("duration", label, FilmFilter(shortest=shortest, longest=longest)))
    if genres := stated(preferences.genres_preference.result):
        found += [
            StatedLimit(f"genres:{genre}", genre, FilmFilter(genres=(genre,)))
            for genre in known_genres(genres)
        ]
    if languages := stated(preferences.audio_languages_preference.result):
        codes = tuple(code.lower() for code in languages)
        found.append(StatedLimit("audio_languages", f"in {', '.join(codes)}", FilmFilter(languages=codes)))
    if countries := stated(preferences.countries_preference.result):
        codes = tuple(code.upper() for code in countries)
        found.append(StatedLimit("countries", f"from {', '.join(codes)}", FilmFilter(countries=codes)))
    if ratings := stated(preferences.maturity_rating_preference.result):
        found.append(
            StatedLimit(
                "maturity_rating", f"rated {', '.join(ratings)}", FilmFilter(certifications=tuple(ratings))
            )
        )
    return found


def stated(choice: Choice | None) -> list[str]:
    return choice.should_include if choice and choice.stated else []


def years_label(first: int | None, last: int | None) -> str:
    if first is not None and last is not None:
        if first == last:
            return str(first)
        return f"{first}s" if first % 10 == 0 and last == first + 9 else f"{first}–{last}"
    return f"from {first} on" if first is not None else f"until {last}" if last is not None else "any year"


def minutes_label(shortest: int | None, longest: int | None) -> str:
    if shortest is not None and longest is not None:
        return f"{shortest} minutes" if shortest == longest else f"{shortest}–{longest} minutes"
    return f"at least {shortest} minutes" if shortest is not None else f"at most {longest} minutes"


def narrowed(one: FilmFilter, other: FilmFilter) -> FilmFilter:
    """What holds if both do."""
    both = FilmFilter(
        first_year=most(one.first_year, other.first_year),
        last_year=least(one.last_year, other.last_year),
        without_years=tuple(dict.fromkeys((*one.without_years, *other.without_years))),
        shortest=most(one.shortest, other.shortest),
        longest=least(one.longest, other.longest),
        without_minutes=tuple(dict.fromkeys((*one.without_minutes, *other.without_minutes))),
        genres=tuple(dict.fromkeys((*one.genres, *other.genres))),
        without_genres=tuple(dict.fromkeys((*one.without_genres, *other.without_genres))),
        without_languages=tuple(dict.fromkeys((*one.without_languages, *other.without_languages))),
        without_countries=tuple(dict.fromkeys((*one.without_countries, *other.without_countries))),
        without_ids=tuple(dict.fromkeys((*one.without_ids, *other.without_ids))),
        ids=one.ids if other.ids is None else other.ids if one.ids is None else common(one.ids, other.ids),
    )
    for name in ("languages", "countries", "certifications"):
        mine, theirs = getattr(one, name), getattr(other, name)
        together = common(mine, theirs) if mine and theirs else mine or theirs
        if mine and theirs and not together:
            return replace(both, ids=())  # no film is one of these and one of those
        both = replace(both, **{name: together})
    return both


def all_of(limits: Iterable[FilmFilter]) -> FilmFilter:
    both = EVERYTHING
    for limit in limits:
        both = narrowed(both, limit)
    return both


def most(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def least(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def common(mine: Sequence[int], theirs: Sequence[int]) -> tuple[int, ...]:
    return tuple(one for one in mine if one in set(theirs))


def holds(where: FilmFilter, film: Film) -> bool:
    """Whether a film is within the limits; what nobody knows of a film is not."""
    return (
        within(film.year, where.first_year, where.last_year)
        and not any(first <= film.year <= last for first, last in where.without_years)
        and (
            (where.shortest is None and where.longest is None and not where.without_minutes)
            or (film.runtime is not None and within(film.runtime, where.shortest, where.longest))
        )
        and not any(least <= (film.runtime or 0) <= most for least, most in where.without_minutes)
        and set(where.genres) <= set(film.genres)
        and not set(where.without_genres) & set(film.genres)
        and (not where.languages or bool(set(where.languages) & set(film.languages)))
        and not set(where.without_languages) & set(film.languages)
        and (not where.countries or bool(set(where.countries) & set(film.countries)))
        and not set(where.without_countries) & set(film.countries)
        and (not where.certifications or film.certification in where.certifications)
        and (where.ids is None or film.id in where.ids)
        and film.id not in where.without_ids
    )


def within(value: int, lowest: int | None, highest: int | None) -> bool:
    return (lowest is None or value >= lowest) and (highest is None or value <= highest)


def given_up(limits: Sequence[StatedLimit]) -> list[list[StatedLimit]]:
    """What may be given up, the smallest loss first: each alone, then more and more of them."""
    order = sorted(limits, key=lambda limit: GIVEN_UP_FIRST.index(limit.part.partition(":")[0]))
    alone = [[one] for one in order]
    return alone + [order[:count] for count in range(2, len(order) + 1)]

"""Limits: what must hold for every film of a response.

Filters of the request and exclusions are never relaxed. What a person stated in the query is, one limit at a
time and the least telling first, when too few films have all of it; the response says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import SearchFilters
from townsquare.services.search.models.understanding import (
    Choice,
    DateRange,
    MetadataPreferences,
    NumberRange,
)
from townsquare.services.search.parts import EVERYTHING, FACETS, RULES, FilmFilter, LexicalIndex
from townsquare.services.search.problems import UnknownFilter
from townsquare.services.search.service.genres import GENRES, SPELLINGS, certification_of, known_genres

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
    "keywords",
    "name",
)


def stretches_of(ranges: Iterable[DateRange]) -> tuple[tuple[int, int], ...]:
    """Those of them that have a beginning and an end."""
    years = (one.years() for one in ranges)
    return tuple((first, last) for first, last in years if first is not None and last is not None)


def minutes_of(range: NumberRange) -> tuple[int | None, int | None]:
    """The shortest and the longest runtime, both inside."""
    shortest, longest = range.bounds()
    if range.match_operation == "exact":
        return max(0, range.first_value - EXACT_MINUTES), range.first_value + EXACT_MINUTES
    return shortest, longest


SPELLING: Mapping[str, Callable[[Iterable[str]], tuple[str, ...]]] = {
    "genres": known_genres,
    "languages": lambda codes: tuple(code.lower() for code in codes),
    "countries": lambda codes: tuple(code.upper() for code in codes),
    "certification": lambda names: tuple(map(certification_of, names)),
    "keywords": lambda names: tuple(name.lower() for name in names),
}


def of_request(filters: SearchFilters) -> FilmFilter:
    """The filters of a request, in the catalogue's spelling."""
    spelled: dict[str, Any] = {}
    for name, value in asdict(filters).items():
        spelling = SPELLING.get(RULES[name].property)
        spelled[name] = spelling(value) if spelling else value
    return FilmFilter(**spelled)


def exclusions(preferences: MetadataPreferences, without_ids: Iterable[int] = ()) -> FilmFilter:
    """What a person does not want to see: it always holds."""
    genres = preferences.genres_preference.result or Choice()
    languages = preferences.audio_languages_preference.result or Choice()
    countries = preferences.countries_preference.result or Choice()
    keywords = preferences.keywords_preference.result or Choice()
    ratings = preferences.maturity_rating_preference.result or Choice()
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
        without_keywords=tuple(keywords.should_exclude),
        without_certifications=tuple(ratings.should_exclude),
        without_ids=tuple(sorted({*without_ids})),
    )


def stated_limits(preferences: MetadataPreferences) -> list[StatedLimit]:
    """What a person stated of the facts of a film; names are added by who has looked them up."""
    found: list[StatedLimit] = []
    released = preferences.release_date_preference.result
    if released and released.stated:
        first, last = released.years()
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
    for keyword in stated(preferences.keywords_preference.result):
        found.append(StatedLimit(f"keywords:{keyword}", keyword, FilmFilter(keywords=(keyword,))))
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
    both: dict[str, Any] = {}
    possible = True
    for name, (_, kind) in RULES.items():
        mine, theirs, unset = getattr(one, name), getattr(other, name), getattr(EVERYTHING, name)
        if mine == unset or theirs == unset:
            both[name] = theirs if mine == unset else mine
        elif kind == "at_least":
            both[name] = max(mine, theirs)
        elif kind == "at_most":
            both[name] = min(mine, theirs)
        elif kind == "one_of":
            both[name] = tuple(each for each in mine if each in set(theirs))
            possible = possible and bool(both[name])  # else no film is one of these and one of those
        else:
            both[name] = tuple(dict.fromkeys((*mine, *theirs)))
    return FilmFilter(**both) if possible else FilmFilter(**{**both, "ids": ()})


def all_of(limits: Iterable[FilmFilter]) -> FilmFilter:
    both = EVERYTHING
    for limit in limits:
        both = narrowed(both, limit)
    return both


def holds(where: FilmFilter, film: Film) -> bool:
    """Whether a film is within the limits; an unknown value is not."""
    return all(_allows(rule.kind, wanted, getattr(film, rule.property)) for rule, wanted in where.rules())


def _allows(kind: str, wanted: Any, value: Any) -> bool:
    if kind == "at_least":
        return value is not None and value >= wanted
    if kind == "at_most":
        return value is not None and value <= wanted
    if kind == "outside":
        return value is not None and not any(first <= value <= last for first, last in wanted)
    values = value if isinstance(value, tuple) else (value,)
    if kind == "all_of":
        return all(each in values for each in wanted)
    return any(each in wanted for each in values) is (kind == "one_of")


def given_up(limits: Sequence[StatedLimit]) -> list[list[StatedLimit]]:
    """What may be given up, the smallest loss first: each alone, then more and more of them."""
    order = sorted(limits, key=lambda limit: GIVEN_UP_FIRST.index(limit.part.partition(":")[0]))
    alone = [[one] for one in order]
    return alone + [order[:count] for count in range(2, len(order) + 1)]


MOST_LISTED = 80


async def check_filters(index: LexicalIndex, filters: SearchFilters) -> None:
    """An empty answer would hide a misspelt filter, and one that excludes would silently not."""
    where = of_request(filters)
    having = {rule.property: name for name, rule in RULES.items() if rule.kind in ("all_of", "one_of")}
    asked = [
        (rule.property, one) for rule, values in where.rules() if rule.property in FACETS for one in values
    ]
    for property, value in asked:
        if value in GENRES or value in SPELLINGS:
            continue
        wanted: dict[str, Any] = {having[property]: (value,)}
        if await index.matching(FilmFilter(**wanted), limit=1):
            continue
        kind = FACETS[property]
        if there := await index.facets(kind):  # else there are no films yet
            known = ", ".join(there[:MOST_LISTED])
            raise UnknownFilter(f"No film has the {kind} {value[:40]!r}. There are: {known}")

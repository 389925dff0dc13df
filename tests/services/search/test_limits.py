"""What must hold for every film of an answer."""

import pytest
from msgspec.structs import asdict

from tests.services.search.memory_parts import film
from townsquare.services.search.models.results import SearchFilters
from townsquare.services.search.models.understanding import (
    Choice,
    ChoicePreference,
    DateOperation,
    DateRange,
    DurationPreference,
    MetadataPreferences,
    NumberOperation,
    NumberRange,
    ReleaseDatePreference,
)
from townsquare.services.search.parts import EVERYTHING, FilmFilter
from townsquare.services.search.service.limits import (
    StatedLimit,
    exclusions,
    given_up,
    holds,
    minutes_of,
    narrowed,
    of_request,
    stated_limits,
)


@pytest.mark.parametrize(
    ("operation", "first", "second", "years"),
    [
        ("exact", "1982-06-25", None, (1982, 1982)),
        ("before", "1990-01-01", None, (None, 1989)),
        ("after", "1999-12-31", None, (2000, None)),
        ("between", "1980-01-01", "1989-12-31", (1980, 1989)),
        ("between", "1989-12-31", "1980-01-01", (1980, 1989)),
        ("between", "1980-01-01", None, (1980, None)),
        ("exact", "the eighties", None, (None, None)),
        ("before", "0001-01-01", None, (None, 1)),
    ],
)
def test_dates_as_years(
    operation: DateOperation, first: str, second: str | None, years: tuple[int | None, int | None]
) -> None:
    assert DateRange(first_date=first, match_operation=operation, second_date=second).years() == years


@pytest.mark.parametrize(
    ("operation", "first", "second", "minutes"),
    [
        ("exact", 90, None, (80, 100)),
        ("at_most", 120, None, (None, 120)),
        ("at_least", 150, None, (150, None)),
        ("between", 120, 90, (90, 120)),
    ],
)
def test_durations_as_minutes(
    operation: NumberOperation, first: int, second: int | None, minutes: tuple[int | None, int | None]
) -> None:
    assert (
        minutes_of(NumberRange(first_value=first, match_operation=operation, second_value=second)) == minutes
    )


SOME = film(
    1,
    "Some",
    1982,
    runtime=110,
    genres=("crime", "drama"),
    languages=("en",),
    countries=("US",),
    certification="R",
)


@pytest.mark.parametrize(
    ("within", "outside"),
    [
        (FilmFilter(first_year=1982, last_year=1982), FilmFilter(first_year=1983)),
        (FilmFilter(without_years=((1970, 1979),)), FilmFilter(without_years=((1960, 1969), (1980, 1989)))),
        (FilmFilter(longest=110), FilmFilter(longest=109)),
        (FilmFilter(shortest=110), FilmFilter(shortest=111)),
        (FilmFilter(genres=("crime", "drama")), FilmFilter(genres=("crime", "comedy"))),
        (FilmFilter(without_genres=("comedy",)), FilmFilter(without_genres=("drama",))),
        (FilmFilter(languages=("en", "fr")), FilmFilter(languages=("fr",))),
        (FilmFilter(without_languages=("fr",)), FilmFilter(without_languages=("en",))),
        (FilmFilter(countries=("US",)), FilmFilter(countries=("FR",))),
        (FilmFilter(without_countries=("FR",)), FilmFilter(without_countries=("US",))),
        (FilmFilter(certifications=("R",)), FilmFilter(certifications=("PG",))),
        (FilmFilter(ids=(1,)), FilmFilter(ids=())),
        (FilmFilter(without_ids=(2,)), FilmFilter(without_ids=(1,))),
    ],
)
def test_every_limit_holds_or_does_not(within: FilmFilter, outside: FilmFilter) -> None:
    assert holds(EVERYTHING, SOME)
    assert holds(within, SOME)
    assert not holds(outside, SOME)
    assert not holds(narrowed(within, outside), SOME)
    assert not holds(narrowed(outside, within), SOME)


def test_what_nobody_knows_of_a_film_is_not_within_a_limit() -> None:
    assert not holds(FilmFilter(longest=120), film(2, "Unknown"))


def test_filters_of_a_request_ignore_case() -> None:
    asked = SearchFilters(
        genres=("Crime",), languages=("EN",), countries=("us",), certifications=("r", "not rated")
    )
    found = of_request(asked)
    assert (found.genres, found.languages, found.countries) == (("crime",), ("en",), ("US",))
    assert found.certifications == ("R", "Not Rated")


def test_limits_that_exclude_each_other_leave_nothing() -> None:
    both = narrowed(FilmFilter(languages=("ja",)), FilmFilter(languages=("fr",)))
    assert both.ids == ()
    assert narrowed(FilmFilter(ids=(1, 2)), FilmFilter(ids=(2, 3))).ids == (2,)


def test_only_what_was_stated_is_a_limit_but_every_exclusion_is() -> None:
    preferences = MetadataPreferences(
        release_date_preference=ReleaseDatePreference(
            result=DateRange(first_date="1990-01-01", match_operation="before", stated=True)
        ),
        duration_preference=DurationPreference(result=NumberRange(first_value=90, match_operation="at_most")),
        genres_preference=ChoicePreference(
            result=Choice(should_include=["drama"], should_exclude=["Sci-Fi"], stated=False)
        ),
    )
    assert [limit.part for limit in stated_limits(preferences)] == ["release_date"]
    always = asdict(exclusions(preferences, {7}))
    assert always["without_genres"] == ("science fiction",)
    assert always["without_ids"] == (7,)


def test_a_name_is_given_up_last() -> None:
    parts = ["name:person:Tom Hanks", "release_date", "genres:crime", "duration"]
    tries = given_up([StatedLimit(part, part, EVERYTHING) for part in parts])
    assert [[one.part for one in some] for some in tries][:4] == [
        ["duration"],
        ["release_date"],
        ["genres:crime"],
        ["name:person:Tom Hanks"],
    ]
    assert len(tries[-1]) == len(parts)


def test_keywords_are_limits_and_exclusions() -> None:
    keywords = Choice(should_include=["silent"], should_exclude=["remake"], stated=True)
    preferences = MetadataPreferences(keywords_preference=ChoicePreference(result=keywords))
    (limit,) = stated_limits(preferences)
    where = narrowed(limit.where, exclusions(preferences))
    films = {
        name: film(number, name, keywords=tuple(name.split()))
        for number, name in enumerate(("silent", "silent remake", ""), 1)
    }
    assert [name for name, one in films.items() if holds(where, one)] == ["silent"]

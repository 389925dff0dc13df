"""Which names of a query are meant, wanted, unwanted or compared with, before anything else is read."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.dates import find_dates
from townsquare.services.search.understanding.local.exclusions import inside_a_marker, is_unwanted_at
from townsquare.services.search.understanding.local.lengths import find_lengths
from townsquare.services.search.understanding.local.lookup import QueryName
from townsquare.services.search.understanding.local.names import Meant, is_strong_title, meant_names
from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.ranges import Years
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.similar_to import find_likes
from townsquare.services.search.understanding.local.spelling import is_misspelling
from townsquare.services.search.understanding.local.unwanted import find_unwanted

WORDS_OF_PROSE = 6  # that are no limits: so much is said of a film only when its story is told
LONGEST_BEFORE_A_PLACE = 3  # words: "takes place in"
EXACT_YEAR = 0.99  # a bare year is a title only if it is all of it


class NameInQuery(NamedTuple):
    meant: Meant
    unwanted: bool = False


class Settled(NamedTuple):
    likes: list[QueryName]
    names: list[NameInQuery]
    unknown_likes: list[tuple[int, int]]

    def doubtful(self) -> list[Meant]:
        return [name.meant for name in self.names if name.meant.doubtful]


def settle_names(reading: QueryReading, names: Sequence[QueryName], this_year: int) -> Settled:
    names = [name for name in names if not _is_united_states(reading, name)]
    dates = find_dates(reading.tokens, this_year, lambda start, end: False)
    words = _words_with_meaning(reading) | {
        at for found in dates if not found.value.bare for at in range(found.start, found.end)
    }
    known: Callable[[int], bool] = words.__contains__
    reading.is_prose = _content_besides_limits(reading, dates) >= WORDS_OF_PROSE
    strong = _strong_titles(reading, names, known)
    _claim_request(reading, strong)
    likes = find_likes(reading, names, known, protected=strong)
    unwanted = find_unwanted(reading, names, known, protected=strong)
    origins = tables.ORIGINS.find(reading.tokens)
    said: list[FoundPhrase[Any]] = [*dates, *origins]
    light = frozenset(at for found in said for at in range(found.start, found.end))
    claimed = frozenset(at for at, claim in enumerate(reading.claims) if claim)
    markers = inside_a_marker(reading) - strong
    others = [
        name
        for name in names
        if not claimed & set(range(name.start, name.end))
        and not _is_date(name, dates)
        and not _is_place(reading, name)
        and not markers.issuperset(range(name.start, name.end))
    ]
    meant = meant_names(reading, others, light=light | claimed, known=known)
    bare_years = {found.start for found in dates if found.value.bare}
    meant += [
        Meant(name.start, name.end, "movie_title", title.name, doubtful=True)
        for name in others
        if name.start in bare_years
        and name.end == name.start + 1
        and (title := name.of("movie_title"))
        and title.likeness >= EXACT_YEAR
        and not any(one.start <= name.start < one.end for one in meant)
    ]
    meant = [_with_first_name(reading, one) for one in _of_named_films(others, meant)]
    left_out = [NameInQuery(one, unwanted=True) for one in unwanted]
    settled = Settled(likes.names, [*left_out, *_with_exclusions(reading, meant)], likes.unknown)
    _claim_beside_titles(reading, meant)
    return settled


def _claim_beside_titles(reading: QueryReading, meant: Sequence[Meant]) -> None:
    """ "The original scarface" says nothing of the film but its title."""
    left = [at for at, claim in enumerate(reading.claims) if claim is None and not reading.is_light(at)]
    if any(one.category == "movie_title" and not one.doubtful for one in meant) and all(
        reading.form(at) in tables.BESIDE_A_TITLE for at in left
    ):
        for at in left:
            reading.claim(at, at + 1, "request")


def _of_named_films(names: Sequence[QueryName], meant: Sequence[Meant]) -> list[Meant]:
    """ "The Shape of Water del Toro": of several people with one surname, who made the film that is named."""
    matches = {(name.start, name.end): name.matches for name in names}
    films = {
        id
        for one in meant
        if one.category == "movie_title" and not one.doubtful
        for match in matches.get((one.start, one.end), ())
        if match.category == "movie_title"
        for id in match.film_ids
    }
    found = []
    for one in meant:
        makers = [
            match.name
            for match in matches.get((one.start, one.end), ())
            if one.category == match.category == "person" and films.intersection(match.film_ids)
        ]
        found.append(one._replace(name=makers[0]) if makers else one)
    return found


def _with_first_name(reading: QueryReading, meant: Meant) -> Meant:
    """ "alferd hitchcock": only the first name is misspelt."""
    before = meant.start - 1
    if meant.category != "person" or " " not in meant.name or before < 0 or reading.claims[before]:
        return meant
    written, first = reading.form(before), meant.name.split()[0]
    return meant._replace(start=before) if is_misspelling(written, first) else meant


def _is_date(name: QueryName, dates: Sequence[FoundPhrase[Years]]) -> bool:
    """ "1917" in "films from 1917"."""
    return any(
        not found.value.bare and found.start <= name.start and name.end <= found.end for found in dates
    )


def _is_place(reading: QueryReading, name: QueryName) -> bool:
    """ "Films from Brazil", "set in Casablanca"; but "the girl from Fargo" may be one of that film."""
    if name.end - name.start > 1 or reading.is_quoted(name.start, name.end):
        return False
    country = tables.COUNTRY_NAMES.at(reading.tokens, name.start)
    return any(
        (said := tables.BEFORE_A_PLACE.at(reading.tokens, at)) is not None
        and said.end == name.start
        and (country is not None or name.start - at > 1)
        for at in range(max(0, name.start - LONGEST_BEFORE_A_PLACE), name.start)
    )


def _is_united_states(reading: QueryReading, name: QueryName) -> bool:
    """ "Not from the US": in capitals among small letters it is the country, not the film "Us"."""
    return (
        name.end - name.start == 1
        and reading.tokens[name.start].text == "US"
        and not reading.is_quoted(name.start, name.end)
        and (name.start == 0 or reading.is_light(name.start - 1))  # "jordan peele US" is the film
        and any(token.text.islower() for token in reading.tokens)
    )


def _content_besides_limits(reading: QueryReading, dates: Sequence[FoundPhrase[Years]]) -> int:
    subjects: tuple[Phrases[Any], ...] = (tables.GENRES, tables.ORIGINS, tables.RATINGS, tables.STANDINGS)
    said: list[FoundPhrase[Any]] = [
        *dates,
        *(found for table in subjects for found in table.find(reading.tokens)),
    ]
    said += find_lengths(reading.tokens, lambda start, end: False)
    limits = {at for found in said for at in range(found.start, found.end)}
    return reading.content(at for at in range(len(reading)) if at not in limits)


def _words_with_meaning(reading: QueryReading) -> set[int]:
    subjects: tuple[Phrases[Any], ...] = (
        tables.GENRES,
        tables.ORIGINS,
        tables.LANGUAGES,
        tables.RATINGS,
        tables.STANDINGS,
        tables.CHANNEL_CUES,
    )
    return {
        at
        for table in subjects
        for found in table.find(reading.tokens)
        for at in range(found.start, found.end)
    }


def _strong_titles(
    reading: QueryReading, names: Sequence[QueryName], known: Callable[[int], bool]
) -> set[int]:
    return {
        at for name in names if is_strong_title(reading, name, known) for at in range(name.start, name.end)
    }


def _claim_request(reading: QueryReading, strong: set[int]) -> None:
    request = tables.REQUESTS.at(reading.tokens, 0)
    if request and request.end < len(reading) and not strong & set(range(request.end)):
        reading.claim(0, request.end, "request")


def _with_exclusions(reading: QueryReading, meant: list[Meant]) -> list[NameInQuery]:
    settled: list[NameInQuery] = []
    for one in meant:
        joined = settled and settled[-1].unwanted and _is_joined(reading, settled[-1].meant.end, one.start)
        unwanted = bool(joined) or is_unwanted_at(reading, one.start, one.end)
        settled.append(NameInQuery(one, unwanted))
        if not one.doubtful:
            reading.claim(one.start, one.end, "unwanted" if unwanted else "name")
    return settled


def _is_joined(reading: QueryReading, end: int, start: int) -> bool:
    return all(reading.form(at) in tables.LIST_WORDS for at in range(end, start)) and start - end <= 1

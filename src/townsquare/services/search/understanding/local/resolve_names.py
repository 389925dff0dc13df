"""Which names of a query are wanted, unwanted or compared with, before anything else is read."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.dates import find_dates
from townsquare.services.search.understanding.local.exclusions import inside_a_marker, is_unwanted_at
from townsquare.services.search.understanding.local.lengths import find_lengths
from townsquare.services.search.understanding.local.names import (
    EXACT,
    Meant,
    QueryName,
    meant_names,
    of_named_films,
    strong_titles,
)
from townsquare.services.search.understanding.local.phrases import Phrases, covered
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.spelling import is_misspelling, is_ordinary
from townsquare.services.search.understanding.local.tables import words
from townsquare.services.search.understanding.local.vocabulary import KNOWN

WORDS_OF_PROSE = 6  # that are no limits: so much is said of a film only when its story is told
EXACT_YEAR = 0.99  # a bare year is a title only if it is all of it
MOST_SKIPPED = 3  # words between "like" or "without" and the name
REST_OF_A_TITLE = 0.93  # likeness of what stands behind its colon: "The Phantom Menace"
LONGEST_UNKNOWN = 6  # words after "like" that may be a misspelt title
SKIPPED, AFTER_A_TITLE = words("skipped", "similar"), words("after_a_title", "similar")
BUT = words("but", "similar")  # "John Wick but Korean"
LIMITS: tuple[Phrases[Any], ...] = (tables.GENRES, tables.ORIGINS, tables.RATINGS, tables.STANDINGS)
KINDS: tuple[Phrases[Any], ...] = (*LIMITS, tables.CHANNEL_CUES, tables.OPPOSITES)
LEFT_OUT: tuple[EntityCategory, ...] = ("movie_title", "franchise", "character")


class Settled(NamedTuple):
    likes: list[QueryName]  # films that the wanted one resembles
    names: list[Meant]
    unknown_likes: list[tuple[int, int]]  # words after "like" that are no name as they stand

    def doubtful(self) -> list[Meant]:
        return [name for name in self.names if name.doubtful]


def settle_names(reading: QueryReading, names: Sequence[QueryName], this_year: int) -> Settled:
    names = [name for name in names if not _is_united_states(reading, name)]
    dates = find_dates(reading.tokens, this_year, lambda start, end: False)
    dated = covered(found for found in dates if not found.value.bare)
    reading.known = dated | reading.covered(*LIMITS, tables.LANGUAGES, tables.CHANNEL_CUES)
    limits = covered(dates) | covered(find_lengths(reading.tokens, lambda start, end: False))
    limits |= reading.covered(*LIMITS)
    reading.is_prose = reading.content({*range(len(reading))} - limits) >= WORDS_OF_PROSE
    strong = strong_titles(reading, names)
    request = tables.REQUESTS.at(reading.tokens, 0)
    if request and request.end < len(reading) and strong.isdisjoint(range(request.end)):
        reading.claim(0, request.end, "request")
    markers = inside_a_marker(reading)
    settled = Settled([], [], [])
    _find_likes(reading, names, strong | markers, settled)  # "don't like" compares nothing
    _find_unwanted(reading, names, strong, settled)
    claimed = {at for at, claim in enumerate(reading.claims) if claim}
    others = [
        name
        for name in names
        if claimed.isdisjoint(range(name.start, name.end))
        and not dated.issuperset(range(name.start, name.end))  # "1917" in "films from 1917"
        and not _is_place(reading, name)
        and not (markers - strong).issuperset(range(name.start, name.end))
    ]
    meant = meant_names(reading, others, covered(dates) | reading.covered(tables.ORIGINS) | claimed)
    years = {found.start for found in dates if found.value.bare} - covered(meant)
    meant += [
        Meant(name.start, name.end, "movie_title", title.name, doubtful=True)
        for name in others
        if name.start in years and name.end == name.start + 1 and (title := name.of("movie_title"))
        if title.likeness >= EXACT_YEAR
    ]
    for one in of_named_films(others, meant):
        _take(reading, settled, _with_first_name(reading, one))
    _claim_beside_titles(reading, meant)
    return settled


def _take(reading: QueryReading, settled: Settled, one: Meant) -> None:
    """With the names of an unwanted list: "without Tom Cruise or Brad Pitt"."""
    last = settled.names[-1] if settled.names else None
    joined = (
        last is not None
        and last.unwanted
        and 0 <= one.start - last.end <= 1
        and all(reading.form(at) in tables.LIST_WORDS for at in range(last.end, one.start))
    )
    one = one._replace(unwanted=joined or is_unwanted_at(reading, one.start, one.end))
    settled.names.append(one)
    if not one.doubtful:
        reading.claim(one.start, one.end, "unwanted" if one.unwanted else "name")


def _claim_beside_titles(reading: QueryReading, meant: Sequence[Meant]) -> None:
    """ "The original scarface" says nothing of the film but its title."""
    left = [at for at, claim in enumerate(reading.claims) if claim is None and not reading.is_light(at)]
    titled = any(one.category == "movie_title" and not one.doubtful for one in meant)
    if titled and all(reading.form(at) in tables.BESIDE_A_TITLE for at in left):
        for at in left:
            reading.claim(at, at + 1, "request")


def _with_first_name(reading: QueryReading, meant: Meant) -> Meant:
    """ "alferd hitchcock": only the first name is misspelt."""
    before = meant.start - 1
    if meant.category != "person" or " " not in meant.name or before < 0 or reading.claims[before]:
        return meant
    near = is_misspelling(reading.form(before), meant.name.split()[0])
    return meant._replace(start=before) if near else meant


def _is_place(reading: QueryReading, name: QueryName) -> bool:
    """ "Films from Brazil", "set in Casablanca"; but "the girl from Fargo" may be one of that film."""
    if name.end - name.start > 1 or reading.is_quoted(name.start, name.end):
        return False
    said = tables.BEFORE_A_PLACE.ending(reading.tokens, name.start)
    country = tables.COUNTRY_NAMES.at(reading.tokens, name.start)
    return said is not None and (country is not None or said.end - said.start > 1)


def _is_united_states(reading: QueryReading, name: QueryName) -> bool:
    """ "Not from the US": in capitals among small letters it is the country, not the film "Us"."""
    return (
        name.end - name.start == 1
        and reading.tokens[name.start].text == "US"
        and not reading.is_quoted(name.start, name.end)
        and (name.start == 0 or reading.is_light(name.start - 1))  # "jordan peele US" is the film
        and any(token.text.islower() for token in reading.tokens)
    )


def _find_unwanted(
    reading: QueryReading, names: Sequence[QueryName], protected: set[int], settled: Settled
) -> None:
    """Films, series and characters: "but not Titanic"; in a story "without" is part of what happens."""

    def choose(start: int) -> Meant | None:
        here = [name for name in names if name.start == start]
        if any(name.of("person") and name.end - start > 1 for name in here):
            return None  # "not starring Bruce Lee", whatever film has a Bruce
        found = [
            Meant(start, name.end, match.category, match.name, unwanted=True)
            for name in here
            if (match := name.of(*LEFT_OUT))
            and not _are_words(reading, name, match.category)
            and (match.likeness >= EXACT or _is_rest_of_a_title(reading, name))
        ]
        return max(found, key=lambda one: one.end, default=None)

    for marker in (tables.SURELY_EXCLUDING if reading.is_prose else tables.EXCLUDING).find(reading.tokens):
        free = reading.is_free(marker.start, marker.end)
        if free and protected.isdisjoint(range(marker.start, marker.end)):
            found = _names_behind(reading, marker.end, tables.BETWEEN_MARKER_AND_TARGET, choose)
            settled.names.extend(found)
            if found:
                reading.claim(marker.start, found[-1].end, "unwanted")


def _is_rest_of_a_title(reading: QueryReading, name: QueryName) -> bool:
    title = name.of("movie_title")
    several = reading.content(range(name.start, name.end)) > 1
    return title is not None and title.likeness >= REST_OF_A_TITLE and several


def _are_words(reading: QueryReading, name: QueryName, category: EntityCategory) -> bool:
    """Small and with a meaning of their own; characters have the names of anything ("longer")."""
    span = range(name.start, name.end)
    if category == "movie_title" and reading.content(span) > 1:  # "but not home alone", but "no love story"
        return any((kind := table.at(reading.tokens, name.start)) and kind.end == name.end for table in KINDS)
    plain = KNOWN if category == "character" else tables.STOP | tables.ROLE_WORDS
    return all(
        not reading.tokens[at].capital and (at in reading.known or reading.form(at) in plain) for at in span
    )


def _names_behind(
    reading: QueryReading, at: int, skipped: Collection[str], choose: Callable[[int], Any]
) -> list[Any]:
    """The name behind a marker, with some small words between, and the names of a list that goes on."""
    start = at
    while (one := choose(start)) is None and start < at + MOST_SKIPPED and reading.form(start) in skipped:
        start += 1
    found = []
    while one is not None:
        found.append(one)
        following = one.end + (reading.form(one.end) in tables.LIST_WORDS)
        listed = following > one.end or (following < len(reading) and reading.tokens[following].after_break)
        one = choose(following) if listed else None
    return found


def _find_likes(
    reading: QueryReading, names: Sequence[QueryName], protected: set[int], settled: Settled
) -> None:
    """Films after "like", with the words that say so claimed; `protected` words are part of a title."""
    candidates = [name for name in names if _may_be_compared(reading, name)]

    def take(start: int, end: int, *found: QueryName) -> None:
        settled.likes.extend(found)
        reading.claim(start, end, "like")

    def beginning(at: int) -> QueryName | None:
        """The longest one; a small "it" is none, nor a word like "horror"."""
        found = [one for one in candidates if one.start == at and not _is_a_word(reading, one)]
        return max(found, key=lambda name: name.end, default=None)

    def ending(at: int) -> QueryName | None:
        found = [one for one in candidates if one.end == at and reading.form(one.start) != "i"]  # "I like"
        return min(found, key=lambda name: name.start, default=None)

    for marker in tables.LIKE.find(reading.tokens):
        span = range(marker.start, marker.end)
        hyphenated = reading.tokens[marker.start].gap == "-"  # "insect-like"
        if hyphenated or not protected.isdisjoint(span) or not reading.is_free(marker.start, marker.end):
            continue
        if found := _names_behind(reading, marker.end, SKIPPED, beginning):
            take(marker.start, found[-1].end, *found)
        elif unknown := _unknown_title(reading, marker.end):
            settled.unknown_likes.append(unknown)
    for marker in tables.LIKE_BEFORE.find(reading.tokens):
        if (name := ending(marker.start)) and reading.is_free(name.start, marker.end):
            take(name.start, marker.end, name)
    for at in range(1, len(reading) - 1):
        left, right = ending(at), beginning(at + 1)
        if left is None:
            continue
        if reading.form(at) in BUT and not tables.EXCLUDING.at(reading.tokens, at + 1):
            first = all(reading.is_light(one) for one in range(left.start))
            if left.is_exact("movie_title") and first and not left.of("person"):
                take(left.start, at, left)
        if reading.form(at) in tables.MEETS and reading.is_free(at, at + 1) and right:
            take(left.start, right.end, left, right)


def _unknown_title(reading: QueryReading, at: int) -> tuple[int, int] | None:
    for _ in range(MOST_SKIPPED):
        at += reading.form(at) in SKIPPED
    last = at
    while last < min(len(reading), at + LONGEST_UNKNOWN):
        form = reading.form(last)
        ends = form in tables.CONTRAST or form in AFTER_A_TITLE
        if ends or (last > at and reading.tokens[last].after_break):
            break
        last += 1
    plain = all(one in reading.known or reading.is_light(one) for one in range(at, last))
    return None if plain else (at, last)


def _may_be_compared(reading: QueryReading, name: QueryName) -> bool:
    """A film or a series; the "summer" of "summer vibes" is none, whatever series has it in its name."""
    part = name.end - name.start == 1 and is_ordinary(reading.form(name.start))
    series = name.of("franchise")
    return name.of("movie_title") is not None or (
        series is not None and (series.likeness >= EXACT or not part)
    )


def _is_a_word(reading: QueryReading, name: QueryName) -> bool:
    if name.end - name.start > 1 or reading.tokens[name.start].capital:
        return False
    return reading.form(name.start) in tables.STOP or name.start in reading.known

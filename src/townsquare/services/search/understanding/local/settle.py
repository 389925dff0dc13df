"""Which names of a query are wanted, unwanted or compared with, before anything else is read."""

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.dates import find_dates
from townsquare.services.search.understanding.local.exclusions import excluding_words
from townsquare.services.search.understanding.local.lengths import find_lengths
from townsquare.services.search.understanding.local.names import (
    EXACT,
    Meant,
    QueryName,
    meant_names,
    strong_titles,
)
from townsquare.services.search.understanding.local.phrases import Phrases, covered
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.spelling import is_misspelling

WORDS_OF_PROSE = 6  # that are no limits: so much is said of a film only when its story is told
EXACT_YEAR = 0.99  # a bare year is a title only if it is all of it
MOST_SKIPPED = 3  # words between "like" or "without" and the name
REST_OF_A_TITLE = 0.93  # likeness of what stands behind its colon: "The Phantom Menace"
LIMITS: tuple[Phrases[Any], ...] = (tables.GENRES, tables.ORIGINS, tables.RATINGS, tables.STANDINGS)
KINDS: tuple[Phrases[Any], ...] = (*LIMITS, tables.CHANNEL_CUES, tables.OPPOSITES)
LEFT_OUT: tuple[EntityCategory, ...] = ("movie_title", "franchise", "character")


class Settled(NamedTuple):
    likes: tuple[QueryName, ...] = ()  # films that the wanted one resembles
    names: tuple[Meant, ...] = ()

    def doubtful(self) -> list[Meant]:
        return [name for name in self.names if name.doubtful]


def settle_names(
    reading: QueryReading, names: Sequence[QueryName], this_year: int
) -> tuple[Settled, QueryReading]:
    names = [name for name in names if not _is_united_states(reading, name)]
    dates = find_dates(reading.tokens, this_year, lambda start, end: False)
    dated = covered(found for found in dates if not found.value.bare)
    known = dated | reading.covered(*LIMITS, tables.LANGUAGES, tables.CHANNEL_CUES)
    limits = covered(dates) | covered(find_lengths(reading.tokens, lambda start, end: False))
    limits |= reading.covered(*LIMITS)
    told = reading.content({*range(len(reading))} - limits)
    reading = replace(reading, known=frozenset(known), is_prose=len(told) >= WORDS_OF_PROSE)
    strong = strong_titles(reading, names)
    request = tables.REQUESTS.at(reading.tokens, 0)
    if request and request.end < len(reading) and strong.isdisjoint(range(request.end)):
        reading = reading.claimed("request", (0, request.end))
    # the "fan" of "not a fan of" is no name, and its "like" compares nothing
    markers = covered(one for one in tables.EXCLUDING.find(reading.tokens) if one.end - one.start > 1)
    likes, reading = _find_likes(reading, names, strong | markers)
    unwanted, reading = _find_unwanted(reading, names, strong)
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
        if name.start in years and (title := name.of("movie_title")) and title.likeness >= EXACT_YEAR
    ]
    wanted, reading = _wanted_or_not(reading, meant)
    return Settled(likes, (*unwanted, *wanted)), _claim_beside_titles(reading, meant)


def _wanted_or_not(reading: QueryReading, meant: Sequence[Meant]) -> tuple[list[Meant], QueryReading]:
    """Which of the names are unwanted, also in a list: "without Tom Cruise or Brad Pitt"."""
    found: list[Meant] = []
    for one in meant:
        one = _with_first_name(reading, one)
        last = found[-1] if found and found[-1].unwanted else None
        between = range(last.end, one.start) if last else range(0)
        joined = last and len(between) <= 1 and all(reading.form(at) in tables.LIST_WORDS for at in between)
        said = excluding_words(reading, one.start, one.end)
        one = one._replace(unwanted=bool(joined or said))
        found.append(one)
        if said:
            reading = reading.claimed("unwanted", said)
        if not one.doubtful:
            reading = reading.claimed("unwanted" if one.unwanted else "name", (one.start, one.end))
    return found, reading


def _claim_beside_titles(reading: QueryReading, meant: Sequence[Meant]) -> QueryReading:
    """ "The original scarface" says nothing of the film but its title."""
    left = reading.content(reading.left())
    titled = any(one.category == "movie_title" and not one.doubtful for one in meant)
    if not titled or any(reading.form(at) not in tables.BESIDE_A_TITLE for at in left):
        return reading
    return reading.claimed("request", *((at, at + 1) for at in left))


def _with_first_name(reading: QueryReading, meant: Meant) -> Meant:
    """ "alferd hitchcock": only the first name is misspelt."""
    before = meant.start - 1
    if meant.category != "person" or " " not in meant.name or before < 0 or reading.claims[before]:
        return meant
    near = is_misspelling(reading.form(before), meant.name.split()[0])
    return meant._replace(start=before) if near else meant


def _is_place(reading: QueryReading, name: QueryName) -> bool:
    """ "Films from Brazil", "set in Casablanca"; but "the girl from Fargo" may be one of that film."""
    said = tables.BEFORE_A_PLACE.ending(reading.tokens, name.start)
    country = tables.COUNTRY_NAMES.at(reading.tokens, name.start)
    if said is None or name.end - name.start > 1:
        return False
    return country is not None or said.end - said.start > 1


def _is_united_states(reading: QueryReading, name: QueryName) -> bool:
    """ "Not from the US": in capitals among small letters it is the country, not the film "Us"."""
    return (
        reading.text(name.start, name.end) == "US"
        and (name.start == 0 or reading.is_light(name.start - 1))  # "jordan peele US" is the film
        and any(token.text.islower() for token in reading.tokens)
    )


def _find_unwanted(
    reading: QueryReading, names: Sequence[QueryName], protected: Set[int]
) -> tuple[list[Meant], QueryReading]:
    """Films, series and characters: "but not Titanic"; in a story "without" is part of what happens."""

    def choose(start: int) -> Meant | None:
        here = [name for name in names if name.start == start]
        if any(name.of("person") and name.end - start > 1 for name in here):
            return None  # "not starring Bruce Lee", whatever film has a Bruce
        found = [
            Meant(start, name.end, match.category, match.name, unwanted=True)
            for name in here
            if (match := name.of(*LEFT_OUT)) and not _are_words(reading, name, match.category)
            if match.likeness >= EXACT or (name.end - start > 1 and _is_rest_of_a_title(name))
        ]
        return max(found, key=lambda one: one.end, default=None)

    unwanted: list[Meant] = []
    for marker in (tables.SURELY_EXCLUDING if reading.is_prose else tables.EXCLUDING).find(reading.tokens):
        if reading.is_free(marker.start, marker.end) and protected.isdisjoint(
            range(marker.start, marker.end)
        ):
            found = _names_behind(reading, marker.end, tables.BETWEEN_MARKER_AND_TARGET, choose)
            unwanted += found
            if found:
                reading = reading.claimed("unwanted", (marker.start, found[-1].end))
    return unwanted, reading


def _is_rest_of_a_title(name: QueryName) -> bool:
    title = name.of("movie_title")
    return title is not None and title.likeness >= REST_OF_A_TITLE


def _are_words(reading: QueryReading, name: QueryName, category: EntityCategory) -> bool:
    """Small and with a meaning of their own; characters have the names of anything ("longer")."""
    span = range(name.start, name.end)
    if category == "movie_title" and len(reading.content(span)) > 1:  # "but not home alone", "no love story"
        return any((kind := table.at(reading.tokens, name.start)) and kind.end == name.end for table in KINDS)
    plain = tables.KNOWN if category == "character" else tables.STOP | tables.ROLE_WORDS
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
    reading: QueryReading, names: Sequence[QueryName], protected: Set[int]
) -> tuple[tuple[QueryName, ...], QueryReading]:
    """Films after "like", with the words that say so claimed; `protected` words are part of a title."""
    candidates = [name for name in names if name.of("movie_title") or name.is_exact("franchise")]
    likes: list[QueryName] = []
    spans: list[tuple[int, int]] = []

    def beginning(at: int) -> QueryName | None:
        return max((one for one in candidates if one.start == at), key=lambda name: name.end, default=None)

    def ending(at: int) -> QueryName | None:
        return min((one for one in candidates if one.end == at), key=lambda name: name.start, default=None)

    for marker in tables.LIKE.find(reading.tokens):
        hyphenated = reading.tokens[marker.start].gap == "-"  # "insect-like"
        if hyphenated or not protected.isdisjoint(range(marker.start, marker.end)):
            continue
        if found := _names_behind(reading, marker.end, tables.SKIPPED, beginning):
            likes += found
            spans.append((marker.start, found[-1].end))
    for marker in tables.LIKE_BEFORE.find(reading.tokens):
        name = ending(marker.start)
        if name and not any(start < marker.end and name.start < end for start, end in spans):
            likes.append(name)
            spans.append((name.start, marker.end))
    for at in range(1, len(reading) - 1):
        left, right = ending(at), beginning(at + 1)
        but = reading.form(at) in tables.BUT and not tables.EXCLUDING.at(reading.tokens, at + 1)
        title = left and left.is_exact("movie_title") and not left.of("person")
        if but and left and title and reading.are_light(range(left.start)):
            likes.append(left)
            spans.append((left.start, at))
        if left and right and reading.form(at) in tables.MEETS:
            likes += [left, right]
            spans.append((left.start, right.end))
    return tuple(likes), reading.claimed("like", *spans)

""" "Like X but Y": films that the wanted one resembles."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.exclusions import inside_a_marker
from townsquare.services.search.understanding.local.lookup import QueryName
from townsquare.services.search.understanding.local.names import EXACT
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.spelling import is_ordinary
from townsquare.services.search.understanding.local.tables import words

SKIPPED = words("skipped", "similar")  # between the marker and the title
MOST_SKIPPED = 3
LONGEST_UNKNOWN = 6  # words after "like" that may be a misspelt title
AFTER_A_TITLE = words("after_a_title", "similar")


BUT = words("but", "similar")  # "John Wick but Korean"


class ComparedFilms(NamedTuple):
    names: list[QueryName]
    unknown: list[tuple[int, int]]  # words after "like" that are no name as they stand


def find_likes(
    reading: QueryReading, names: Sequence[QueryName], known: Callable[[int], bool], *, protected: set[int]
) -> ComparedFilms:
    """Films after "like", with the words that say so claimed; `protected` words are part of a title."""
    likes = ComparedFilms([], [])
    protected = protected | inside_a_marker(reading)  # "don't like"
    for marker in tables.LIKE.find(reading.tokens):
        if reading.tokens[marker.start].gap == "-":  # "insect-like"
            continue
        inside = protected.intersection(range(marker.start, marker.end))
        if not inside and reading.is_free(marker.start, marker.end):
            _after(reading, names, known, marker.start, marker.end, likes)
    for marker in tables.LIKE_BEFORE.find(reading.tokens):
        name = _ending(reading, names, marker.start)
        if name and reading.is_free(name.start, marker.end):
            _take(reading, likes, name, name.start, marker.end)
    for at in range(1, len(reading) - 1):
        if reading.form(at) in BUT and not tables.EXCLUDING.at(reading.tokens, at + 1):
            name = _ending(reading, names, at)
            title = name and name.of("movie_title")
            first = name and all(reading.is_light(one) for one in range(name.start))
            if name and title and title.likeness >= EXACT and first and not name.of("person"):
                _take(reading, likes, name, name.start, at)
        if reading.form(at) in tables.MEETS and reading.is_free(at, at + 1):
            left, right = _ending(reading, names, at), _beginning(reading, names, at + 1, known)
            if left and right:
                _take(reading, likes, left, left.start, at + 1)
                _take(reading, likes, right, right.start, right.end)
    return likes


def _after(
    reading: QueryReading,
    names: Sequence[QueryName],
    known: Callable[[int], bool],
    start: int,
    end: int,
    likes: ComparedFilms,
) -> None:
    at = end
    for _ in range(MOST_SKIPPED + 1):
        if name := _beginning(reading, names, at, known):
            _take(reading, likes, name, start, name.end)
            _take_others(reading, names, known, name.end, likes)
            return
        if reading.form(at) not in SKIPPED:
            break
        at += 1
    last = at
    while last < min(len(reading), at + LONGEST_UNKNOWN):
        form = reading.form(last)
        if (
            (last > at and reading.tokens[last].after_break)
            or form in tables.CONTRAST
            or form in AFTER_A_TITLE
        ):
            break
        last += 1
    if last > at and not all(known(one) or reading.is_light(one) for one in range(at, last)):
        likes.unknown.append((at, last))


def _take_others(
    reading: QueryReading,
    names: Sequence[QueryName],
    known: Callable[[int], bool],
    at: int,
    likes: ComparedFilms,
) -> None:
    """ "like Alien, Arrival and The Thing"."""
    while at < len(reading):
        start = at + 1 if reading.form(at) in tables.LIST_WORDS else at
        if start == at and not reading.tokens[at].after_break:
            return
        name = _beginning(reading, names, start, known)
        if name is None:
            return
        _take(reading, likes, name, at, name.end)
        at = name.end


def _take(reading: QueryReading, likes: ComparedFilms, name: QueryName, start: int, end: int) -> None:
    likes.names.append(name)
    reading.claim(start, end, "like")


def _beginning(
    reading: QueryReading, names: Sequence[QueryName], at: int, known: Callable[[int], bool]
) -> QueryName | None:
    """The longest title or series that begins there; a small "it" is none, nor a word like "horror"."""
    found = [
        name
        for name in names
        if name.start == at and _may_be_compared(reading, name) and not _is_a_word(reading, name, known)
    ]
    return max(found, key=lambda name: name.end, default=None)


def _ending(reading: QueryReading, names: Sequence[QueryName], at: int) -> QueryName | None:
    found = [
        name
        for name in names
        if name.end == at
        and _may_be_compared(reading, name)
        and not (name.start == at - 1 and reading.form(name.start) == "i")  # "I like"
    ]
    return min(found, key=lambda name: name.start, default=None)


def _may_be_compared(reading: QueryReading, name: QueryName) -> bool:
    """A film or a series; the "summer" of "summer vibes" is none, whatever series has it in its name."""
    if name.of("movie_title"):
        return True
    series = name.of("franchise")
    part = name.end - name.start == 1 and is_ordinary(reading.form(name.start))
    return series is not None and (series.likeness >= EXACT or not part)


def _is_a_word(reading: QueryReading, name: QueryName, known: Callable[[int], bool]) -> bool:
    if name.end - name.start > 1 or reading.tokens[name.start].capital:
        return False
    return reading.form(name.start) in tables.STOP or known(name.start)

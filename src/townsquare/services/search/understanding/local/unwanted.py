"""Films, series and characters that are left out by name: "but not Titanic", "except Psycho and Vertigo"."""

from collections.abc import Callable, Sequence
from typing import Any

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.lookup import QueryName
from townsquare.services.search.understanding.local.names import EXACT, Meant
from townsquare.services.search.understanding.local.phrases import Phrases
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.vocabulary import KNOWN

CATEGORIES: tuple[EntityCategory, ...] = ("movie_title", "franchise", "character")
TABLES: tuple[Phrases[Any], ...] = (
    tables.GENRES,
    tables.ORIGINS,
    tables.STANDINGS,
    tables.RATINGS,
    tables.CHANNEL_CUES,
    tables.OPPOSITES,
)
MOST_SKIPPED = 3  # words between "without" and the name
REST_OF_A_TITLE = 0.93  # likeness of what stands behind its colon: "The Phantom Menace"


def find_unwanted(
    reading: QueryReading, names: Sequence[QueryName], known: Callable[[int], bool], *, protected: set[int]
) -> list[Meant]:
    """With the words that say so claimed; in a story "without" is part of what happens."""
    found: list[Meant] = []
    for marker in (tables.SURELY_EXCLUDING if reading.is_prose else tables.EXCLUDING).find(reading.tokens):
        if protected.intersection(range(marker.start, marker.end)):
            continue
        if not reading.is_free(marker.start, marker.end):
            continue
        start, at = marker.start, marker.end
        while name := _name_at(reading, names, known, at):
            found.append(name)
            reading.claim(start, name.end, "unwanted")
            start = name.end
            at = start + (reading.form(start) in tables.LIST_WORDS)
            if at == start and not (at < len(reading) and reading.tokens[at].after_break):
                break
    return found


def _name_at(
    reading: QueryReading, names: Sequence[QueryName], known: Callable[[int], bool], at: int
) -> Meant | None:
    """The longest whole name from there, or behind an article; "no horror" names no film."""
    for start in range(at, at + MOST_SKIPPED + 1):
        matches = [
            (name, match)
            for name in names
            if name.start == start
            and (match := name.of(*CATEGORIES))
            and (match.likeness >= EXACT or _is_rest_of_a_title(reading, name, match))
            and not _are_words(reading, known, name, match.category)
        ]
        if any(name.start == start and name.of("person") and name.end - start > 1 for name in names):
            return None  # "not starring Bruce Lee", whatever film has a Bruce
        if matches:
            name, match = max(matches, key=lambda one: one[0].end)
            return Meant(start, name.end, match.category, match.name)
        if reading.form(start) not in tables.BETWEEN_MARKER_AND_TARGET:
            return None
    return None


def _is_rest_of_a_title(reading: QueryReading, name: QueryName, match: EntityMatch) -> bool:
    return (
        match.category == "movie_title"
        and match.likeness >= REST_OF_A_TITLE
        and reading.content(range(name.start, name.end)) > 1
    )


def _are_words(
    reading: QueryReading, known: Callable[[int], bool], name: QueryName, category: EntityCategory
) -> bool:
    """Small and with a meaning of their own; characters have the names of anything ("longer")."""
    words = KNOWN if category == "character" else tables.STOP | tables.ROLE_WORDS
    if category == "movie_title" and reading.content(range(name.start, name.end)) > 1:
        return any(
            (phrase := table.at(reading.tokens, name.start)) and phrase.end == name.end for table in TABLES
        )  # "but not home alone"; "no love story" says a kind
    return all(
        not reading.tokens[at].capital and (known(at) or reading.form(at) in words)
        for at in range(name.start, name.end)
    )

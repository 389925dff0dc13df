""" "Like X but funnier": what is said of the wanted film beside the one that it is like."""

from typing import NamedTuple

from townsquare.services.search.models.films import Channel, Film
from townsquare.services.search.understanding.local.exclusions import marker_before
from townsquare.services.search.understanding.local.ranges import Minutes, Years
from townsquare.services.search.understanding.local.reading import QueryReading, Wish
from townsquare.services.search.understanding.local.resolve_names import BUT
from townsquare.services.search.understanding.local.tables import (
    COMPARATIVES,
    Genre,
    Measure,
)


class Compared(NamedTuple):
    wishes: list[Wish]
    moods: list[tuple[Channel, str]]


def find_compared(reading: QueryReading, film: Film) -> Compared:
    """Behind "but" to the end of the clause; of what follows ("older brother") nothing is compared."""
    compared = Compared([], [])
    behind = next((at for at in range(len(reading)) if reading.form(at) in BUT), len(reading))
    for found in COMPARATIVES.find(reading.tokens):
        start, end, value = found
        if start <= behind or not reading.is_free(start, end) or marker_before(reading, start) is not None:
            continue
        if not reading.ends_clause_or_joins(end):
            continue
        reading.claim(start, end, "compared")
        if value.text:
            compared.moods.append((value.channel, value.text))
        if value.genres:
            compared.wishes.append(Wish("genre", start, end, Genre(names=value.genres)))
        if value.likely:
            compared.wishes.append(Wish("genre", start, end, Genre(names=value.likely), stated=False))
        if value.without:
            compared.wishes.append(Wish("genre", start, end, Genre(names=value.without), unwanted=True))
        if value.measure:
            compared.wishes.extend(_measured(value.measure, film, start, end))
    return compared


def _measured(measure: Measure, film: Film, start: int, end: int) -> list[Wish]:
    if measure == "older":
        return [Wish("date", start, end, Years(None, film.year - 1))]
    if measure == "newer":
        return [Wish("date", start, end, Years(film.year + 1, None))]
    if film.runtime is None:
        return []
    shorter = measure == "shorter"
    minutes = Minutes(None, film.runtime - 1) if shorter else Minutes(film.runtime + 1, None)
    return [Wish("length", start, end, minutes)]

"""Characters who are named by one small word, once no title and no person explains it: "ripley"."""

from collections.abc import Sequence

from townsquare.services.search.understanding.local.lookup import QueryName
from townsquare.services.search.understanding.local.names import meant_as
from townsquare.services.search.understanding.local.ordinary import is_ordinary
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.settle import NameInQuery, Settled
from townsquare.services.search.understanding.local.tables import (
    LIST_WORDS,
    ORDINARY_SURNAMES,
    ROLE_WORDS,
)
from townsquare.services.search.understanding.local.vocabulary import KNOWN

SHORTEST = 4  # letters
WORDS = ORDINARY_SURNAMES | ROLE_WORDS | KNOWN


def find_small_characters(reading: QueryReading, names: Sequence[QueryName], settled: Settled) -> Settled:
    """In a short query without any other name; the films of such a character are lifted, none is left out."""
    if reading.is_prose or settled.likes or settled.unknown_likes or settled.names:
        return settled
    for name in _together(reading, names):
        settled.names.append(NameInQuery(meant_as(reading, name, "character")))
        reading.claim(name.start, name.end, "name")
    for name in names:
        if name.of("character") and reading.is_free(name.start, name.end) and _is_a_name(reading, name):
            meant = meant_as(reading, name, "character")
            if reading.form(name.start - 1) in ROLE_WORDS and reading.is_free(name.start - 1, name.start):
                meant = meant._replace(start=name.start - 1)  # "captain sparrow"
            settled.names.append(NameInQuery(meant))
            reading.claim(meant.start, meant.end, "name")
    return settled


def _together(reading: QueryReading, names: Sequence[QueryName]) -> list[QueryName]:
    """ "neo and trinity": whatever else the words mean, two of these names are in one film."""
    small = {
        name.start: name
        for name in names
        if name.end - name.start == 1
        and name.of("character")
        and reading.is_free(name.start, name.end)
        and not reading.is_light(name.start)
        and reading.form(name.start) not in ROLE_WORDS
    }
    pairs = [
        (one, small[start + 2])
        for start, one in small.items()
        if start + 2 in small and reading.form(start + 1) in LIST_WORDS
    ]
    met = [pair for pair in pairs if _films(pair[0]) & _films(pair[1])]
    return list(dict.fromkeys(name for pair in met for name in pair))


def _films(name: QueryName) -> set[int]:
    return {id for match in name.matches if match.category == "character" for id in match.film_ids}


def _is_a_name(reading: QueryReading, name: QueryName) -> bool:
    form = reading.form(name.start)
    alone = name.end - name.start == 1
    return alone and len(form) >= SHORTEST and form not in WORDS and not is_ordinary(form)

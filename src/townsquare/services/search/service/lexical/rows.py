"""What is written of a film: rows of the tables, as tuples in the order of their columns."""

from collections.abc import Iterator
from hashlib import sha256
from math import log2
from typing import Any, NamedTuple

import msgspec

from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical import spelling
from townsquare.services.search.service.lexical.names import (
    ALONE,
    BEGINS,
    Name,
    beginnings,
    keys_of,
    names_of,
    spelled_words,
    tokens_of,
    words_alone,
)
from townsquare.services.search.service.lexical.words import words_of

Row = tuple[Any, ...]

ITSELF, WAITING = "=", "+"  # before a word, as the key of its own row; WAITING until it has its others
WORST_RANK = 10_000
POINTS_OF_FAME = 80  # of a rank, for each of a hundred
POINTS_OF_DOUBLING = (
    150  # for each doubling of the number of films: one of a hundred famous parts outweighs it
)

encode = msgspec.json.Encoder().encode


def record_of(film: Film) -> bytes:
    return encode(film)


def digest_of(record: bytes) -> str:
    return sha256(record).hexdigest()[:16]


def standing_of(film: Film) -> int:
    return film.fame * 101 + film.quality


def facets_of(film: Film) -> set[str]:
    decade = film.year // 10 * 10
    return {
        *(f"genre {genre}" for genre in film.genres),
        *(f"language {language}" for language in film.languages),
        *(f"country {country}" for country in film.countries),
        f"decade {decade}",
        *(f"decade {decade} genre {genre}" for genre in film.genres),
        *([f"certification {film.certification}"] if film.certification else []),
        *(f"keyword {keyword}" for keyword in film.keywords),
    }


def film_row(film: Film, source: str) -> Row:
    record = record_of(film)
    standing = standing_of(film)
    digest = digest_of(record)
    return (
        film.id,
        standing,
        film.year,
        film.runtime,
        film.certification,
        source,
        len(film.texts),
        digest,
        record,
    )


def facet_rows(film: Film) -> Iterator[Row]:
    standing = standing_of(film)
    return ((facet, standing, film.id) for facet in facets_of(film))


class NamedIn(NamedTuple):
    """A name, and what films say about it."""

    name: Name
    weights: list[int]

    @property
    def rank(self) -> int:
        return rank_of(max(self.weights), len(self.weights))


def rank_of(weight: int, count: int) -> int:
    """A name with one famous film is known; with many it is better known."""
    return max(0, WORST_RANK - 1 - POINTS_OF_FAME * weight - round(POINTS_OF_DOUBLING * log2(count)))


def link_rows(film: Film, found: dict[int, NamedIn]) -> Iterator[Row]:
    """A film's rows under its names, which are noted in `found`."""
    standing = standing_of(film)
    for name, share in names_of(film).items():
        id, weight = name.id, round(share * film.fame)
        known = found.get(id)
        if known is None:
            found[id] = NamedIn(name, [weight])
        else:
            known.weights.append(weight)
        yield id, standing, film.id, weight


def word_rows(film: Film) -> Iterator[Row]:
    return ((word, -weight, film.id) for word, weight in words_of(film).items())


def key_rows(id: int, name: Name) -> Iterator[Row]:
    return ((key, id, likeness) for key, likeness in keys_of(name).items())


def token_rows(id: int, name: Name, rank: int) -> Iterator[Row]:
    tokens = [
        *tokens_of(name),
        *(ALONE + word for word in words_alone(name)),
        *(BEGINS + start for start in beginnings(name)),
    ]
    return ((token, rank, id, name.category) for token in tokens)


def note_words(name: Name, wanted: dict[str, int]) -> None:
    """Add the words whose misspellings find a name to `wanted`, with how many mistakes they may have."""
    for word, most in spelled_words(name).items():
        if wanted.get(word, 0) < most:
            wanted[word] = most


def waiting_key(word: str, most: int) -> str:
    return f"{WAITING}{most}{word}"


def spelling_rows(waiting: str, word: str) -> Iterator[Row]:
    """All rows of a word that waits under this key; one is its own, which tells that the word is known."""
    most = int(waiting.removeprefix(WAITING)[0])
    yield ITSELF + word, word
    for key in spelling.neighbourhood(word, most):
        yield key, word

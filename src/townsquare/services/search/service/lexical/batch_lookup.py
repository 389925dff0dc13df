"""Which of many phrases are names, spelled right: a few statements for all runs of words of a query."""

from collections.abc import Sequence
from itertools import zip_longest

from sqlalchemy import Connection, bindparam, select, union_all

from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.entities import (
    CANONICAL,
    SAME,
    Candidate,
    Match,
    films_of,
    likeness_in_part,
    with_word,
)
from townsquare.services.search.service.lexical.names import ALONE, Name
from townsquare.services.search.service.lexical.tables import name_keys, names
from townsquare.services.search.service.lexical.writing import batches

MOST_KEYED = 600  # names that are one of the phrases, the best known first
MOST_WITH_WORD = 8  # names that one word means, the best known first; five of them are answered
MOST_FILMS = 24  # of a name: enough to know which is the best known, and by how much
AT_ONCE = 16  # words that one statement asks for
LEAST_LIKENESS = 0.82  # a surname, also of a character, a studio without "Pictures", a title before its colon

KEYED = (
    select(name_keys.c.key, names.c.id, names.c.category, names.c.name, names.c.rank, name_keys.c.likeness)
    .join(names, names.c.id == name_keys.c.name_id)
    .where(name_keys.c.key.in_(bindparam("keys", expanding=True)))
    .order_by(names.c.rank)
    .limit(MOST_KEYED)
)
PLACES = [f"place_{number}" for number in range(AT_ONCE)]
WORDS = union_all(*(select(with_word(place, MOST_WITH_WORD).subquery()) for place in PLACES)).subquery()
WITH_WORD = select(WORDS.c.token, names.c.id, names.c.category, names.c.name, names.c.rank).join(
    names, names.c.id == WORDS.c.name_id
)


def names_of_many(connection: Connection, phrases: Sequence[str], limit: int) -> list[list[EntityMatch]]:
    """For each phrase the names that it is, the likeliest first."""
    found: list[dict[int, Match]] = [{} for _ in phrases]
    _by_key(connection, phrases, found)
    _by_word(connection, phrases, found)
    best = [sorted(matches.values(), key=lambda match: match.order)[:limit] for matches in found]
    films = films_of(connection, {match.candidate.id for matches in best for match in matches}, MOST_FILMS)
    return [[_entity(match, films) for match in matches if match.candidate.id in films] for matches in best]


def _by_key(connection: Connection, phrases: Sequence[str], found: list[dict[int, Match]]) -> None:
    asked: dict[str, list[int]] = {}
    plain = [normal.compact(normal.words(phrase)) for phrase in phrases]
    for number, phrase in enumerate(phrases):
        for key in {plain[number], normal.key_of(phrase), *normal.with_letters(phrase)} - {""}:
            asked.setdefault(key, []).append(number)
    for key, id, kind, text, rank, likeness in connection.execute(KEYED, {"keys": list(asked)}).all():
        candidate = Candidate(id, Name(kind, text), rank)
        own = normal.compact(normal.words(text))
        for number in asked[key]:
            like = SAME if plain[number] == own else min(CANONICAL, likeness / 100)
            _note(found[number], Match(candidate, like))


def _by_word(connection: Connection, phrases: Sequence[str], found: list[dict[int, Match]]) -> None:
    asked: dict[str, list[int]] = {}
    for number, phrase in enumerate(phrases):
        words = normal.canonical(phrase)
        if len(words) == 1 and words[0] not in normal.STOP_WORDS:
            asked.setdefault(words[0], []).append(number)
    for some in batches([ALONE + word for word in asked], AT_ONCE):
        places = dict(zip_longest(PLACES, some, fillvalue=""))
        for token, id, kind, text, rank in connection.execute(WITH_WORD, places).all():
            candidate, word = Candidate(id, Name(kind, text), rank), token.removeprefix(ALONE)
            likeness = likeness_in_part([word], candidate.name)
            for number in asked[word]:
                _note(found[number], Match(candidate, likeness))


def _note(found: dict[int, Match], match: Match) -> None:
    known = found.get(match.candidate.id)
    if match.likeness >= LEAST_LIKENESS and (known is None or known.likeness < match.likeness):
        found[match.candidate.id] = match


def _entity(match: Match, films: dict[int, list[int]]) -> EntityMatch:
    name = match.candidate.name
    return EntityMatch(name.name, name.category, round(match.likeness, 3), tuple(films[match.candidate.id]))

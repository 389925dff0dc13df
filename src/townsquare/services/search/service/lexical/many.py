"""Which of many phrases are names, spelled right: three statements for all runs of words of a query."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.entities import (
    CANONICAL,
    SAME,
    Candidate,
    Match,
    likeness_in_part,
)
from townsquare.services.search.service.lexical.names import Name
from townsquare.services.search.service.lexical.tables import name_films, name_keys, names, tokens

MOST_KEYED = 600  # names that are one of the phrases, the best known first
MOST_WITH_WORD = 600
MOST_FILM_ROWS = 5000
LEAST_LIKENESS = 0.82  # a surname, also of a character, a studio without "Pictures", a title before its colon
BY_ONE_WORD: tuple[EntityCategory, ...] = ("person", "studio", "franchise", "character")

KEYED = (
    select(name_keys.c.key, names.c.id, names.c.category, names.c.name, names.c.rank, name_keys.c.likeness)
    .join(names, names.c.id == name_keys.c.name_id)
    .where(name_keys.c.key.in_(bindparam("keys", expanding=True)))
    .order_by(names.c.rank)
    .limit(MOST_KEYED)
)
WITH_WORD = (
    select(tokens.c.token, names.c.id, names.c.category, names.c.name, names.c.rank)
    .join(names, names.c.id == tokens.c.name_id)
    .where(tokens.c.token.in_(bindparam("words", expanding=True)), names.c.category.in_(BY_ONE_WORD))
    .order_by(tokens.c.rank)
    .limit(MOST_WITH_WORD)
)
FILMS = (
    select(name_films.c.name_id, name_films.c.film_id)
    .where(name_films.c.name_id.in_(bindparam("ids", expanding=True)))
    .order_by(name_films.c.standing.desc(), name_films.c.film_id)
    .limit(MOST_FILM_ROWS)
)


def names_of_many(connection: Connection, phrases: Sequence[str], limit: int) -> list[list[EntityMatch]]:
    """For each phrase the names that it is, the likeliest first."""
    found: list[dict[int, Match]] = [{} for _ in phrases]
    _by_key(connection, phrases, found)
    _by_word(connection, phrases, found)
    best = [sorted(matches.values(), key=lambda match: match.order)[:limit] for matches in found]
    films = _films(connection, {match.candidate.id for matches in best for match in matches})
    return [[_entity(match, films) for match in matches if match.candidate.id in films] for matches in best]


def _by_key(connection: Connection, phrases: Sequence[str], found: list[dict[int, Match]]) -> None:
    asked: dict[str, list[int]] = {}
    for number, phrase in enumerate(phrases):
        plain = normal.compact(normal.words(phrase))
        for key in {plain, normal.key_of(phrase), *normal.with_letters(phrase)} - {""}:
            asked.setdefault(key, []).append(number)
    for key, id, kind, text, rank, likeness in connection.execute(KEYED, {"keys": list(asked)}):
        candidate = Candidate(id, Name(kind, text), rank)
        own = normal.compact(normal.words(text))
        for number in asked[key]:
            same = normal.compact(normal.words(phrases[number])) == own
            _note(found[number], Match(candidate, SAME if same else min(CANONICAL, likeness / 100)))


def _by_word(connection: Connection, phrases: Sequence[str], found: list[dict[int, Match]]) -> None:
    asked: dict[str, list[int]] = {}
    for number, phrase in enumerate(phrases):
        words = normal.canonical(phrase)
        if len(words) == 1 and words[0] not in normal.STOP_WORDS:
            asked.setdefault(words[0], []).append(number)
    if not asked:
        return
    for word, id, kind, text, rank in connection.execute(WITH_WORD, {"words": list(asked)}):
        candidate = Candidate(id, Name(kind, text), rank)
        likeness = likeness_in_part([word], candidate.name)
        for number in asked[word]:
            _note(found[number], Match(candidate, likeness))


def _note(found: dict[int, Match], match: Match) -> None:
    known = found.get(match.candidate.id)
    if match.likeness >= LEAST_LIKENESS and (known is None or known.likeness < match.likeness):
        found[match.candidate.id] = match


def _films(connection: Connection, ids: set[int]) -> dict[int, list[int]]:
    films: dict[int, list[int]] = {}
    if ids:
        for name_id, film_id in connection.execute(FILMS, {"ids": list(ids)}):
            films.setdefault(name_id, []).append(film_id)
    return films


def _entity(match: Match, films: dict[int, list[int]]) -> EntityMatch:
    name = match.candidate.name
    return EntityMatch(name.name, name.category, round(match.likeness, 3), tuple(films[match.candidate.id]))

"""Films by words of their names, and titles that begin as somebody types."""

from collections import defaultdict
from math import log

from sqlalchemy import Connection, Select, bindparam, func, select

from townsquare.services.search.parts import FilmFilter, Hit
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.filtering import conditions
from townsquare.services.search.service.lexical.names import BEGINS, LONGEST_BEGINNING
from townsquare.services.search.service.lexical.tables import films, name_films, name_keys, names, tokens

MOST_WORDS = 12
MOST_ROWS = 100  # films a word is looked up in, those with the best known names first
COMMON_FROM = 200  # films with a word from which it says little; one that is in more than are read has them
WEIGHTS = {"movie_title": 1.0, "person": 0.9, "franchise": 0.8, "character": 0.7, "studio": 0.5}
COMMON = 0.2  # of a rare word's weight, for a common one


WITH_WORD = (
    select(name_films.c.film_id, tokens.c.category)
    .select_from(tokens)
    .join(name_films, name_films.c.name_id == tokens.c.name_id)
    .where(tokens.c.token == bindparam("word"))
    .order_by(tokens.c.rank)
    .limit(MOST_ROWS)
)


def search(connection: Connection, words: str, limit: int, where: FilmFilter) -> list[Hit]:
    """Scores are 0 to 1: the share of the words that a film has, by how rare they are and where they are."""
    wanted = list(dict.fromkeys(normal.search_tokens(words)))[:MOST_WORDS]
    with_word = films_with_word(where)
    scores: defaultdict[int, float] = defaultdict(float)
    total = 0.0
    for word in wanted:
        found: dict[int, float] = {}
        rows = connection.execute(with_word, {"word": word}).all()
        for film_id, category in rows:
            weight = WEIGHTS[category]
            if weight > found.get(film_id, 0.0):
                found[film_id] = weight
        count = max(1, len(found)) if len(rows) < MOST_ROWS else COMMON_FROM
        rarity = 1 - (1 - COMMON) * log(count) / log(COMMON_FROM)
        total += rarity
        for film_id, weight in found.items():
            scores[film_id] += rarity * weight
    best = sorted(scores.items(), key=lambda found: (-found[1], found[0]))[:limit]
    return [Hit(film_id, score / total) for film_id, score in best]


def films_with_word(where: FilmFilter) -> Select[int, str]:
    wanted = conditions(where)
    if not wanted:
        return WITH_WORD
    return WITH_WORD.join(films, films.c.id == name_films.c.film_id).where(*wanted)


AFTER_ALL = "\U0010ffff"  # sorts behind whatever may follow
MOST_TITLES = 40  # with a short beginning, the best known first
MOST_KEYS = 200  # with a longer one, of names of every kind


def titles(connection: Connection, beginning: str, limit: int) -> list[int]:
    """Ids of films, the best known first."""
    typed = {normal.key_of(beginning), normal.compact(normal.words(beginning))} - {""}
    standings: dict[int, int] = {}
    for key in sorted(typed):
        near = (short_beginning if len(key) <= LONGEST_BEGINNING else long_beginning)(key).subquery()
        best = func.max(name_films.c.standing)
        found = connection.execute(
            select(name_films.c.film_id, best)
            .where(name_films.c.name_id.in_(select(near.c.name_id)))
            .group_by(name_films.c.film_id)
            .order_by(best.desc(), name_films.c.film_id)
            .limit(limit)
        )
        standings.update((film_id, standing) for film_id, standing in found)
    return sorted(standings, key=lambda film_id: (-standings[film_id], film_id))[:limit]


def short_beginning(key: str) -> Select[int]:
    return (
        select(tokens.c.name_id)
        .where(tokens.c.token == BEGINS + key)
        .order_by(tokens.c.rank)
        .limit(MOST_TITLES)
    )


def long_beginning(key: str) -> Select[int]:
    near = (
        select(name_keys.c.name_id)
        .where(name_keys.c.key >= key, name_keys.c.key < key + AFTER_ALL)
        .order_by(name_keys.c.key)
        .limit(MOST_KEYS)
        .subquery()
    )
    return (
        select(names.c.id.label("name_id"))
        .join(near, near.c.name_id == names.c.id)
        .where(names.c.category == "movie_title")
    )

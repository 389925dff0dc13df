"""Films by words of their names: which have the most telling ones."""

from collections import defaultdict
from math import log

from sqlalchemy import Connection, select

from townsquare.services.search.parts import FilmFilter, Hit
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.filtering import conditions
from townsquare.services.search.service.lexical.tables import films, name_films, tokens

MOST_WORDS = 12
MOST_ROWS = 200  # films a word is looked up in, those with the best known names first
WEIGHTS = {"movie_title": 1.0, "person": 0.9, "franchise": 0.8, "character": 0.7, "studio": 0.5}
COMMON = 0.2  # of a rare word's weight, for one that is in more films than are looked at


def search(connection: Connection, words: str, limit: int, where: FilmFilter) -> list[Hit]:
    """Scores are 0 to 1: the share of the words that a film has, by how rare they are and where they are."""
    wanted = list(dict.fromkeys(normal.search_tokens(words)))[:MOST_WORDS]
    scores: defaultdict[int, float] = defaultdict(float)
    total = 0.0
    for word in wanted:
        found = films_with(connection, word, where)
        rarity = 1 - (1 - COMMON) * log(max(1, len(found))) / log(MOST_ROWS)
        total += rarity
        for film_id, weight in found.items():
            scores[film_id] += rarity * weight
    best = sorted(scores.items(), key=lambda found: (-found[1], found[0]))[:limit]
    return [Hit(film_id, score / total) for film_id, score in best]


def films_with(connection: Connection, word: str, where: FilmFilter) -> dict[int, float]:
    statement = (
        select(name_films.c.film_id, tokens.c.category)
        .select_from(tokens)
        .join(name_films, name_films.c.name_id == tokens.c.name_id)
        .where(tokens.c.token == word)
        .order_by(tokens.c.rank)
        .limit(MOST_ROWS)
    )
    wanted = conditions(where)
    if wanted:
        statement = statement.join(films, films.c.id == name_films.c.film_id).where(*wanted)
    found: dict[int, float] = {}
    for film_id, category in connection.execute(statement):
        weight = WEIGHTS[category]
        if weight > found.get(film_id, 0.0):
            found[film_id] = weight
    return found

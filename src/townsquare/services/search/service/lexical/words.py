"""Films by the words of their texts, keywords, genres and titles: BM25 over one inverted table.

The part of BM25 that depends on the film alone is computed when a film is written, so that the best films of
a word are its first rows; the rarity of a word is known from the number of rows that are read.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from math import log

from sqlalchemy import Connection, func, select

from townsquare.services.search.models.films import Film
from townsquare.services.search.parts import EVERYTHING, FilmFilter, Hit
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.service.lexical.filtering import conditions
from townsquare.services.search.service.lexical.tables import films, sign_of, words

ENDINGS = ("ing", "ies", "ed", "es", "s", "y", "e")  # "dancing" and "dances" have one stem
SHORTEST_STEM = 4  # letters
MOST_WORDS = 16  # of a query
MOST_ROWS = 150  # of a word, its best films first
COMMON = 4  # times as many films have a word whose rows are not all read
SATURATION, LENGTH_SHARE = 1.2, 0.5  # k1 and b of BM25
USUAL_LENGTH = 160  # words of a film, with the weights below
OF_TEXT, OF_KEYWORD = 1, 2
SCALE = 1000
OF_IGNORED = """
a an the this that these those it its he she him her his hers us we our you your i me my mine they them their
and or nor but if then than as at by for from in into of off on onto out over to up down with about is are was
were be been being am do does did has have had can could would should will shall may might must not no yes so
too very just also only more most much many some any all each other another such own same who whom whose which
what when where why how there here again once one ones get gets got go goes im id ive dont film films movie
movies flick flicks something anything like watch want
"""
IGNORED = frozenset(OF_IGNORED.split())


def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def stems(text: str) -> list[str]:
    return [stem(word) for word in normal.words(text) if word not in IGNORED]


def words_of(film: Film) -> dict[str, int]:
    """The words of a film with their weights; a film without texts is found by its names alone."""
    if not film.texts:
        return {}
    counts: Counter[str] = Counter()
    for text in (*film.texts.values(), *film.genres, film.title, film.original_title):
        counts.update(stems(text))
    for keyword in film.keywords:
        for word in stems(keyword):
            counts[word] += OF_KEYWORD
    length = 1 - LENGTH_SHARE + LENGTH_SHARE * counts.total() / USUAL_LENGTH
    return {
        word: round(SCALE * count * (SATURATION + 1) / (count + SATURATION * length))
        for word, count in counts.items()
    }


@cache
def statement(words_asked: int, sign: str) -> str:
    """The best rows of each word. Past SQLAlchemy, whose look at so long a statement takes a millisecond."""
    of_word = (
        f"SELECT * FROM (SELECT word, weight, film_id FROM {words.name} WHERE word = {sign}"
        f" ORDER BY weight LIMIT {MOST_ROWS}) AS found"
    )
    return " UNION ALL ".join([of_word] * words_asked)


WITH_TEXTS = select(func.count()).select_from(films).where(films.c.texts > 0)


def search(connection: Connection, text: str, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
    """BM25 scores, the best first."""
    wanted = list(dict.fromkeys(stems(text)))[:MOST_WORDS]
    if not wanted:
        return []
    found = connection.exec_driver_sql(statement(len(wanted), sign_of(connection)), tuple(wanted)).all()
    total = connection.scalar(WITH_TEXTS) or 1
    counts = Counter(word for word, _, _ in found)
    rarities = {word: rarity(count, total) / SCALE for word, count in counts.items()}
    scores: defaultdict[int, float] = defaultdict(float)
    for word, weight, film_id in found:
        scores[film_id] -= weight * rarities[word]
    best = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    if where != EVERYTHING:
        allowed = within(connection, [film_id for film_id, _ in best], where)
        best = [one for one in best if one[0] in allowed]
    return [Hit(film_id, score) for film_id, score in best[:limit]]


def rarity(films_with_word: int, total: int) -> float:
    if films_with_word == MOST_ROWS:
        films_with_word = min(COMMON * MOST_ROWS, total)
    return log(1 + max(0.0, total - films_with_word + 0.5) / (films_with_word + 0.5))


def within(connection: Connection, film_ids: Iterable[int], where: FilmFilter) -> set[int]:
    ids = list(film_ids)[:10_000]
    return set(connection.scalars(select(films.c.id).where(films.c.id.in_(ids), *conditions(where))))

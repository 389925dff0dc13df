"""Words of the index that a typed one may be a misspelling of: few are read, fewer judged.

A word that differs by one mistake shares a key with one letter left out, of which few words have each; with
two mistakes it shares one with two left out, of which a large catalogue has hundreds. So both kinds have a
share of their own, and those that share the most keys are compared first.
"""

from collections.abc import Collection
from functools import cache

from sqlalchemy import Connection

from townsquare.services.search.service.lexical import spelling
from townsquare.services.search.service.lexical.tables import sign_of, spellings

KEYS_OF_ONE, KEYS_OF_TWO = 9, 21  # a word has at most so many, with one letter left out or none, and with two
MOST_OF_ONE, MOST_OF_TWO = 100, 60  # rows that are read of each kind
MOST_JUDGED = 24  # words
MOST_ALTERNATIVES = 4  # words that a misspelt one may be


def near_words(connection: Connection, typed: str) -> list[str]:
    """The likeliest first; the word itself is one of them if there is such a word."""
    of_one = spelling.neighbourhood(typed, 1)
    if not of_one:
        return []
    of_two = spelling.neighbourhood(typed) - of_one
    judged = (
        (spelling.likeness(typed, word), word) for word in sharing_keys(connection, typed, of_one, of_two)
    )
    best = sorted(((like, word) for like, word in judged if like), reverse=True)
    return [word for _, word in best[:MOST_ALTERNATIVES]]


def sharing_keys(
    connection: Connection, typed: str, of_one: Collection[str], of_two: Collection[str]
) -> list[str]:
    """Words of about the same length, those that share the most keys first."""
    length, longer = len(typed), spelling.most_mistakes(len(typed))
    lengths = length - longer, length + longer
    given = [*filled(of_one, KEYS_OF_ONE), *lengths]
    if of_two:
        given += [*filled(of_two, KEYS_OF_TWO), *lengths]
    statement = near_statement(sign_of(connection), bool(of_two))
    return [word for (word,) in connection.exec_driver_sql(statement, (*given, length)).all()]


def filled(keys: Collection[str], count: int) -> list[str]:
    """To one number, so that the statement is always the same one."""
    return [*keys, *[""] * (count - len(keys))]


@cache
def near_statement(sign: str, of_two: bool) -> str:
    def rows(name: str, keys: int, most: int) -> str:
        signs = ", ".join([sign] * keys)
        found = f"SELECT word FROM {spellings.name} WHERE key IN ({signs})"
        return f"SELECT word FROM ({found} AND length(word) BETWEEN {sign} AND {sign} LIMIT {most}) AS {name}"

    parts = [rows("of_one", KEYS_OF_ONE, MOST_OF_ONE)]
    if of_two:
        parts.append(rows("of_two", KEYS_OF_TWO, MOST_OF_TWO))
    return (
        f"SELECT word FROM ({' UNION ALL '.join(parts)}) AS near GROUP BY word "
        f"ORDER BY count(*) DESC, abs(length(word) - {sign}), word LIMIT {MOST_JUDGED}"
    )

"""Which words are misspellings of each other: a neighbourhood of deletions to find them, a distance to judge.

A word and its misspelling share a form in which letters are left out (Garbe's SymSpell), so that candidates
are rows of an index under a few dozen keys. Only the first letters take part, which bounds the keys of a
word; the distance is taken over the whole of it.
"""

import re
from collections.abc import Collection
from functools import cache

from sqlalchemy import Connection

from townsquare.services.search.service.lexical import spelling
from townsquare.services.search.service.lexical.tables import sign_of, spellings

PREFIX = 7  # letters whose deletions are kept: at most 29 keys a word
SHORTEST = 4  # letters: "It", "Up", "Us", "Her" are never misspelt
TWO_MISTAKES = 7  # letters from which a word may have two
LONG = 11  # letters from which a word may have one more
SAME_BEGINNING = 7  # letters up to which a misspelling begins with the same sound
SOUND = "~"  # before the key of how a word sounds
SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in [
        (r"ph", "f"),
        (r"sch|sh|ch|tsch|tz|zz|z|sc(?=[eiy])|c(?=[eiy])", "s"),
        (r"ck|qu|q|c|kh", "k"),
        (r"gh(?=t|$)", ""),
        (r"w", "v"),
        (r"y|j", "i"),
        (r"(?<=.)h", ""),
        (r"(?<=.)[aeiou]+", ""),
        (r"(.)\1+", r"\1"),
    ]
]
SHORTEST_SOUND = 4  # signs: shorter ones are too many words


def mistakes_allowed(length: int) -> int:
    return 0 if length < SHORTEST else 1 if length < TWO_MISTAKES else 2


def most_mistakes(length: int) -> int:
    """That a typed word of this length may have: the word that it means may be a longer one."""
    allowed = mistakes_allowed(length)
    return allowed + (length + allowed + 1 >= LONG)


def neighbourhood(word: str, most: int = 2) -> set[str]:
    """Keys under which a word and its misspellings meet."""
    allowed = min(most, mistakes_allowed(len(word)))
    if not allowed or not word.isalpha():
        return set()
    start = word[:PREFIX]
    shorter = [start[:place] + start[place + 1 :] for place in range(len(start))]
    found = {start, *shorter}
    if allowed > 1:
        found.update(
            one[:place] + one[place + 1 :]
            for first, one in enumerate(shorter)
            for place in range(first, len(one))
        )
    sound = sound_of(word)
    if len(sound) >= SHORTEST_SOUND:
        found.add(SOUND + sound)
    return found


def sound_of(word: str) -> str:
    """Consonants as an English speaker hears them: "shwartsenegger" and "Schwarzenegger" are near."""
    for pattern, sound in SOUNDS:
        word = pattern.sub(sound, word)
    return word


def distance(one: str, other: str, most: int) -> int:
    """Letters put in, left out, changed or swapped with their neighbour; more than `most` is `most + 1`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    one, other = without_same_ends(one, other)
    if not one or not other:
        return min(len(one) + len(other), most + 1)
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        older, before, row = before, row, [place]
        left = place
        for column, counterpart in enumerate(other, 1):
            if letter == counterpart:
                left = before[column - 1]
            else:
                above, diagonal = before[column], before[column - 1]
                left = (left if left < above else above) + 1
                if diagonal < left:
                    left = diagonal + 1
                if (
                    older
                    and column > 1
                    and letter == other[column - 2]
                    and counterpart == one[place - 2]
                    and older[column - 2] < left
                ):
                    left = older[column - 2] + 1
            row.append(left)
        if min(row) > most and min(before) > most:
            return most + 1
    return min(row[-1], most + 1)


def without_same_ends(one: str, other: str) -> tuple[str, str]:
    """Most of a misspelling is right: what both begin and end with costs nothing."""
    end = min(len(one), len(other))
    begin = 0
    while begin < end and one[begin] == other[begin]:
        begin += 1
    same = 0
    while same < end - begin and one[-1 - same] == other[-1 - same]:
        same += 1
    return one[begin : len(one) - same], other[begin : len(other) - same]


def likeness(typed: str, word: str) -> float:
    """0 to 1; 0 when it has more mistakes than a misspelling has."""
    if typed == word:
        return 1.0
    length = max(len(typed), len(word))
    allowed = min(mistakes_allowed(len(typed)), mistakes_allowed(len(word)))
    if not allowed:
        return 0.0
    most = allowed + (length >= LONG)
    if abs(len(typed) - len(word)) > most or len(set(typed).difference(word)) > most:
        return 0.0
    mistakes = distance(typed, word, most)
    if mistakes > most or (length <= SAME_BEGINNING and not begins_alike(typed, word)):
        return 0.0
    return 1 - mistakes / length


def begins_alike(one: str, other: str) -> bool:
    """Mistakes in the first letter are rare: "killer" is not "Miller"."""
    return one[0] == other[0] or one[:2] == other[1::-1] or sound_of(one[:2])[:1] == sound_of(other[:2])[:1]


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

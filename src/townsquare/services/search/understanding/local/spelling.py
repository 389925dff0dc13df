"""Whether a word was meant for another one."""

from townsquare.services.search.service.lexical.normal import MEANT_WORDS, key_of
from townsquare.services.search.understanding.local.tokens import forms

SHORTEST = 5  # letters: in shorter words every mistake makes another word


def is_misspelling(phrase: str, name: str) -> bool:
    """One mistake in six letters, at most three; spaces do not count, nor how a number is written."""
    written, meant = joined(phrase), joined(name)
    meant = meant.removeprefix("the") if not written.startswith("the") else meant
    numbered = any(letter.isdecimal() for letter in meant)
    return are_near(written, meant) or (numbered and are_near(key_of(phrase), key_of(name)))


def are_near(written: str, meant: str) -> bool:
    length = min(len(written), len(meant))
    if length < SHORTEST:
        return False
    allowed = min(3, max(1, length // 6))
    return distance(written, meant, allowed) <= allowed


def joined(words: str) -> str:
    return "".join(MEANT_WORDS.get(form, form) for form in forms(words))


def distance(one: str, other: str, most: int) -> int:
    """Letters to change, add, drop or swap with their neighbour; more than `most` is `most + 1`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    two_before: list[int] = []
    before = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, against in enumerate(other, 1):
            cost = min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, two_before[column - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        two_before, before = before, now
    return before[-1]

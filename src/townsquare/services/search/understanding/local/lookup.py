"""Which runs of words of a query are names of the catalogue, in one lookup."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.tables import (
    ALIASES,
    LIST_WORDS,
    STOP,
)
from townsquare.services.search.understanding.local.tokens import IS_JAPANESE, without_possessive

OWNERS: tuple[EntityCategory, ...] = ("person", "studio")  # "Spielberg's films", "Pixar's"
LONGEST_NAME = 8  # words; the whole query is looked up besides
MOST_PHRASES = 300
MOST_OWNERS = 20  # of them asked for without "'s" besides
SURNAME_FIRST = 2  # words of a query that may be a name the other way round: "keaton buster"
SHORTEST_PLURAL = 5  # letters: "the coens"


class QueryName(NamedTuple):
    """A run of words that is a name, with all that it may be, the likeliest first."""

    start: int
    end: int
    matches: tuple[EntityMatch, ...]

    def of(self, *categories: EntityCategory) -> EntityMatch | None:
        return next((match for match in self.matches if match.category in categories), None)


async def look_up(index: LexicalIndex, reading: QueryReading) -> list[QueryName]:
    """All runs of words that are names, in one lookup."""
    asked: dict[str, list[tuple[int, int]]] = {}
    for start, end in _spans(reading):
        asked.setdefault(reading.text(start, end), []).append((start, end))
    aliases = ALIASES.find(reading.tokens)
    without_endings = {text: single(reading, text, *spans[0]) for text, spans in asked.items()}
    owners = dict(
        islice(((text, name) for text, name in without_endings.items() if name != text), MOST_OWNERS)
    )
    if len(reading) == SURNAME_FIRST:
        owners.setdefault(reading.text(0, 2), f"{reading.text(1, 2)} {reading.text(0, 1)}")
    answers = await index.entities_many([*asked, *(alias.value.name for alias in aliases), *owners.values()])
    found = {
        span: tuple(matches)
        for spans, matches in zip(asked.values(), answers, strict=False)
        for span in spans
        if matches
    }
    for text, matches in zip(owners, answers[len(asked) + len(aliases) :], strict=True):
        makers = tuple(match for match in matches if match.category in OWNERS)
        if makers:
            found.update((span, makers) for span in asked[text] if span not in found)
    for alias, matches in zip(aliases, answers[len(asked) :], strict=False):
        same = tuple(match for match in matches if match.category == alias.value.category)
        if same:
            found[alias.start, alias.end] = same
    return [QueryName(*span, matches) for span, matches in found.items()]


def single(reading: QueryReading, text: str, start: int, end: int) -> str:
    """ "Spielberg's" and "the coens" without their endings."""
    if reading.form(start - 1) == "the" and end - start == 1 and len(text) >= SHORTEST_PLURAL:
        return without_possessive(text).removesuffix("s")
    return without_possessive(text)


def _spans(reading: QueryReading) -> Iterable[tuple[int, int]]:
    count = len(reading)
    longest = max(1, min(LONGEST_NAME, MOST_PHRASES // max(count, 1)))
    for start in range(count):
        for end in range(start + 1, min(start + longest, count) + 1):
            if _may_be_looked_up(reading, start, end):
                yield start, end
    if count > longest:
        yield 0, count


def _may_be_looked_up(reading: QueryReading, start: int, end: int) -> bool:
    if end - start == len(reading):
        return True
    if reading.form(end - 1) in LIST_WORDS or (  # "Alien and", but "となりのトトロ"
        reading.form(start) in LIST_WORDS and not IS_JAPANESE.match(reading.form(start))
    ):
        return False
    return end - start > 1 or not is_small_stop_word(reading, start)


def is_small_stop_word(reading: QueryReading, at: int) -> bool:
    return reading.form(at) in STOP and not reading.tokens[at].capital

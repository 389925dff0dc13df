"""What is not wanted: "no horror", "without", "anything but", and in Japanese what stands behind."""

from collections.abc import Sequence
from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.phrases import covered
from townsquare.services.search.understanding.local.reading import QueryReading, Wish
from townsquare.services.search.understanding.local.tables import Genre

MOST_ADJECTIVES = 3  # before a kind of film that is not wanted: "no world war two documentaries"
LONG_LIST = 3  # things with commas between them: "no horror, comedy, drama"


def excluding_words(reading: QueryReading, start: int, end: int) -> tuple[int, int] | None:
    """Where the words are that say that what stands there is not wanted; a hyphen is no word."""
    if reading.tokens[start].struck_out:
        return start, start
    between = reading.form(end) in tables.BETWEEN_MARKER_AND_TARGET
    for at in (end, end + 1) if between else (end,):
        if after := tables.EXCLUDED_BEFORE.at(reading.tokens, at):
            return end, after.end
    marker = marker_before(reading, start)
    return None if marker is None else (marker, start)


def is_unwanted_at(reading: QueryReading, start: int, end: int) -> bool:
    """With the words claimed that say so."""
    found = excluding_words(reading, start, end)
    if found:
        reading.claim(*found, "unwanted")
    return found is not None


def inside_a_marker(reading: QueryReading) -> set[int]:
    """Words of longer markers: the "fan" of "not a fan of" is no name, and its "like" compares nothing."""
    return covered(one for one in tables.EXCLUDING.find(reading.tokens) if one.end - one.start > 1)


def marker_before(reading: QueryReading, start: int) -> int | None:
    """Where the words begin that say that what follows is not wanted."""
    at = start
    while at > 0:
        if found := tables.EXCLUDING.ending(reading.tokens, at):
            return found.start
        if reading.form(at - 1) not in tables.BETWEEN_MARKER_AND_TARGET or reading.tokens[at].after_break:
            return None
        at -= 1
    return None


def with_exclusions(reading: QueryReading, wishes: Sequence[Wish]) -> list[Wish]:
    """The same wishes from left to right, those marked that are not wanted, with their markers claimed."""
    heads = _heads_of_kinds(reading, wishes)
    inside = {at for head, marker in heads.items() for at in range(marker, head)}
    found: list[Wish] = []
    last: Wish | None = None  # the last one of an unwanted list
    for number, wish in enumerate(wishes):
        start, end = wish.start, wish.end
        if start in inside:
            continue
        if start in heads:
            reading.claim(heads[start], start, "unwanted")
            last = wish
        elif is_unwanted_at(reading, start, end):
            last = wish
        elif last and _is_listed(reading, last, wishes[number:]):
            reading.claim(last.end, start, "unwanted")
            last = wish
        else:
            last = None
            found.append(wish)
            continue
        reading.claim(start, end, "unwanted")
        found.append(wish._replace(unwanted=not wish.unwanted, stated=True))
    return found


def _is_listed(reading: QueryReading, last: Wish, wishes: Sequence[Wish]) -> bool:
    """ "no horror or musicals", "not from the US or from the UK"; "no horror, comedy, drama" to the end."""
    first = wishes[0]
    between = range(last.end, first.start)
    if type(first.value) is not type(last.value):
        return False
    joined = [at for at in between if reading.form(at) in tables.LIST_WORDS]
    small = tables.FILM | tables.LIST_WORDS
    if joined and reading.form(joined[-1]) in tables.EITHER_UNWANTED:
        small |= tables.BETWEEN_MARKER_AND_TARGET
    if any(reading.form(at) not in small for at in between):
        return False
    listed = [last, *wishes]
    commas = all(
        two.start == one.end and reading.tokens[two.start].after_comma and type(two.value) is type(last.value)
        for one, two in zip(listed, wishes, strict=False)
    )
    whole = commas and listed[-1].end == len(reading)
    return bool(joined) or (whole and (len(listed) >= LONG_LIST or _begins(reading, last)))


def _begins(reading: QueryReading, wish: Wish) -> bool:
    """Its marker is the first word; of "war or crime, drama" the last of the list was said."""
    return all(reading.claims[at] == "unwanted" for at in range(wish.start)) and not any(
        reading.form(at) in tables.LIST_WORDS for at in range(wish.start)
    )


def _heads_of_kinds(reading: QueryReading, wishes: Sequence[Wish]) -> dict[int, int]:
    """Where genres stand at the end of an unwanted noun phrase, and where the marker of each begins.

    "No cheesy war documentaries" leaves out no war films.
    """
    genres = {wish.start: wish.end for wish in wishes if isinstance(wish.value, Genre)}
    found: dict[int, int] = {}
    for marker in tables.SURELY_BEFORE_A_KIND.find(reading.tokens):
        at, adjectives, head = marker.end, 0, None
        if not reading.is_free(marker.start, marker.end):
            continue
        while at < len(reading) and adjectives <= MOST_ADJECTIVES and not reading.tokens[at].after_break:
            form = reading.form(at)
            if at in genres:
                head, at, adjectives = at, genres[at], 0
            elif form in tables.BETWEEN_MARKER_AND_TARGET and head is None:
                at += 1
            elif reading.is_light(at) or form in NO_ADJECTIVES:
                break
            else:
                at, adjectives = at + 1, adjectives + 1
        if head is not None:
            found[head] = marker.start
    return found


NO_ADJECTIVES = tables.NOUN_PHRASE_ENDS | tables.LIST_WORDS | tables.BUT_OF_THAT_KIND


class Instead(NamedTuple):
    moods: list[tuple[Channel, str]]  # to look for
    topics: list[str]  # that nobody wants at all: "without gore", not "not too sad"


def opposites(reading: QueryReading) -> Instead:
    """What to look for instead of moods that are not wanted; their words are claimed."""
    found = Instead([], [])
    for mood in tables.OPPOSITES.find(reading.tokens):
        start = marker_before(reading, mood.start)
        if start is None or not reading.is_free(mood.start, mood.end):
            continue
        reading.claim(start, mood.end, "unwanted")
        if mood.value:
            found.moods.append(("viewer_experience", mood.value))
        if tables.ABSOLUTE.at(reading.tokens, start) and not reading.is_prose:
            found.topics.append(reading.text(mood.start, mood.end))
    return found

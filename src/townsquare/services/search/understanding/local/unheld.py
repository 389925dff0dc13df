"""Finds what was stated and no fact of the catalogue tells, so that the answer can say so."""

from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.understanding.local.exclusions import marker_before
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.tables import (
    LIST_WORDS,
    UNLESS,
    UNVERIFIABLE,
)


class NotHeld(NamedTuple):
    said: list[str]  # as the person wrote it
    instead: list[tuple[Channel, str]]  # to search for
    sequels: list[str]  # "no sequels", which can be held


def find_not_held(reading: QueryReading) -> NotHeld:
    """With its words claimed; names are claimed already, and in a story nothing is a limit."""
    found = NotHeld([], [], [])
    if reading.is_prose:
        return found
    listed = -1  # where a list of unwanted things may go on: "no sequels or remakes"
    for one in UNVERIFIABLE.find(reading.tokens):
        if not reading.is_free(one.start, one.end):
            continue
        start = marker_before(reading, one.start)
        goes_on = start is None and one.start == listed
        start = one.start if goes_on else start
        if start is None and one.value.only_unwanted:
            continue
        if start is None:
            found.said.append(reading.text(one.start, one.end))
            reading.claim(one.start, one.end, "aspect" if one.value.kept else "unheld")
            continue
        reading.claim(one.start if goes_on else start, one.end, "unwanted")
        if one.value.sequels:
            found.sequels.append(reading.text(one.start, one.end))
        else:
            said = "no " + reading.text(one.start, one.end) if goes_on else reading.text(start, one.end)
            found.said.append(said)
        if one.value.instead:
            found.instead.append(("narrative_techniques", one.value.instead))
        listed = one.end
        if reading.form(listed) in LIST_WORDS:
            reading.claim(listed, listed + 1, "unwanted")
            listed += 1
    for unless in UNLESS.find(reading.tokens):
        end = unless.end
        while end < len(reading) and not reading.tokens[end].after_break:
            end += 1
        if end > unless.end and reading.is_free(unless.start, end):
            reading.claim(unless.start, end, "unheld")
            found.said.append(reading.text(unless.start, end))
    return found

"""What is not wanted, or stated, and no fact tells of: "no aliens", "without dogs", "no sequels"."""

from collections.abc import Sequence
from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.exclusions import marker_before
from townsquare.services.search.understanding.local.phrases import FoundPhrase
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.resolve_names import NameInQuery
from townsquare.services.search.understanding.local.spelling import is_ordinary

LONGEST_UNWANTED = 3  # words
PLACING = tables.words("placing")
NO_TOPIC = tables.words("no_topic") | tables.BUT_OF_THAT_KIND


def drop_unwanted_words(reading: QueryReading) -> list[str]:
    """ "no zombies": nothing filters by it, but to search for its words would find them.

    Answers what is not wanted; in a story nothing is.
    """
    topics: list[str] = []
    for marker in tables.PLAIN_EXCLUDING.find(reading.tokens):
        before = marker.start - 1
        begins = (
            before < 0
            or reading.tokens[marker.start].after_break
            or reading.claims[before] is not None
            or reading.form(before) in tables.FILM
            or reading.form(before) in tables.CONTRAST
            or reading.form(before) in tables.LIST_WORDS
        )
        end = _end_of_words(reading, marker.end)
        begins = begins or _closes_a_clause(reading, marker, end)
        tells = any(tables.ABSENCES_THAT_TELL.at(reading.tokens, at) for at in range(marker.end, end))
        if begins and end > marker.end and not tells and reading.is_free(marker.start, marker.end):
            reading.claim(marker.start, end, "unwanted")
            topics += _topics(reading, marker.end, end)
    for at in range(len(reading)):
        if reading.tokens[at].struck_out and reading.claims[at] is None:
            reading.claim(at, at + 1, "unwanted")
            topics += _topics(reading, at, at + 1)
    for at in range(1, len(reading)):
        if reading.claims[at - 1] == "unwanted" and (end := _end_of_list(reading, at)) > at:
            reading.claim(at, end, "unwanted")
            topics += _topics(reading, at, end)
    return [] if reading.is_prose else list(dict.fromkeys(topics))


def topics_of_names(reading: QueryReading, names: Sequence[NameInQuery]) -> list[str]:
    """ "no aliens": neither the film of that name nor any other with them."""
    found: list[str] = []
    for name in names:
        start, end = name.meant.start, name.meant.end
        if not name.unwanted or name.meant.category == "person" or end - start > 1 or reading.is_prose:
            continue
        marker = marker_before(reading, start)
        absolute = marker is not None and tables.ABSOLUTE.at(reading.tokens, marker)
        if absolute and not reading.tokens[start].capital and is_ordinary(reading.form(start)):
            found.append(reading.text(start, end))
    return found


def _closes_a_clause(reading: QueryReading, marker: FoundPhrase[bool], end: int) -> bool:
    """ "a space adventure without aliens"; a man without a past is somebody in a story."""
    absolute = tables.ABSOLUTE.at(reading.tokens, marker.start)
    if absolute is None or reading.is_prose or reading.form(marker.start) == "no":
        return False
    somebody = reading.form(marker.start - 1) in tables.ROLE_WORDS
    happens = reading.form(marker.end).endswith("ing")  # "locked up without knowing why"
    return reading.ends_clause(end) and not somebody and not happens


def _topics(reading: QueryReading, start: int, end: int) -> list[str]:
    """Each thing of a list, without the words that say nothing."""
    topics: list[str] = []
    begin = start
    for at in range(start, end + 1):
        joins = at < end and (reading.form(at) in tables.EITHER_UNWANTED or reading.tokens[at].after_break)
        if at < end and not joins:
            continue
        first = begin
        while first < at and reading.is_light(first):
            first += 1
        last = at
        while last > first and reading.is_light(last - 1):
            last -= 1
        if first < last and reading.form(first) not in NO_TOPIC:
            topics.append(reading.text(first, last))
        begin = at
    return topics


def _end_of_words(reading: QueryReading, start: int) -> int:
    end = start
    while end < len(reading) and end - start < LONGEST_UNWANTED:
        if reading.claims[end] is not None or reading.form(end) in tables.NOUN_PHRASE_ENDS:
            break
        if reading.tokens[end].after_break and (end > start or not reading.tokens[end].after_comma):
            break
        end += 1
    return end


def _end_of_list(reading: QueryReading, at: int) -> int:
    """ "no vampires[, werewolves or zombies]": with commas only if "or" follows, and no mood among them."""
    end = at
    while at < len(reading) and reading.claims[at] is None:
        joined = reading.form(at) in tables.EITHER_UNWANTED
        if not (reading.tokens[at].after_comma if reading.tokens[at].after_break else joined):
            break
        start = at + joined
        while joined and reading.form(start) in PLACING:  # "not set in space or in the future"
            start += 1
        at = _end_of_words(reading, start)
        if at == start or (
            not joined and any(tables.CHANNEL_CUES.at(reading.tokens, one) for one in range(start, at))
        ):
            break
        if joined:
            end = at
    return end


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
    for one in tables.UNVERIFIABLE.find(reading.tokens):
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
        if reading.form(listed) in tables.LIST_WORDS:
            reading.claim(listed, listed + 1, "unwanted")
            listed += 1
    for unless in tables.UNLESS.find(reading.tokens):
        end = unless.end
        while end < len(reading) and not reading.tokens[end].after_break:
            end += 1
        if end > unless.end and reading.is_free(unless.start, end):
            reading.claim(unless.start, end, "unheld")
            found.said.append(reading.text(unless.start, end))
    return found

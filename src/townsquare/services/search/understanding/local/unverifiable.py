"""What is not wanted, or stated, and no fact tells of: "no aliens", "without dogs", "no sequels"."""

from collections.abc import Sequence
from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.exclusions import marker_before
from townsquare.services.search.understanding.local.names import Meant
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.spelling import is_ordinary

LONGEST_UNWANTED = 3  # words
PLACING = tables.words("placing")
NO_TOPIC = tables.words("no_topic") | tables.BUT_OF_THAT_KIND
BEFORE_A_MARKER = tables.FILM | tables.CONTRAST | tables.LIST_WORDS


def drop_unwanted_words(reading: QueryReading) -> list[str]:
    """ "no zombies": nothing filters by it, but to search for its words would find them.

    Returns what is not wanted; in a story nothing is.
    """
    topics: list[str] = []

    def drop(start: int, first: int, end: int) -> None:
        reading.claim(start, end, "unwanted")
        topics.extend(_topics(reading, first, end))

    for marker in tables.PLAIN_EXCLUDING.find(reading.tokens):
        end = _end_of_words(reading, marker.end)
        tells = any(tables.ABSENCES_THAT_TELL.at(reading.tokens, at) for at in range(marker.end, end))
        if end == marker.end or tells or not reading.is_free(marker.start, marker.end):
            continue
        if _begins_a_clause(reading, marker.start) or _closes_a_clause(reading, *marker[:2], end):
            drop(marker.start, marker.end, end)
    for at in reading.left():
        if reading.tokens[at].struck_out:
            drop(at, at, at + 1)
    for at in range(1, len(reading)):
        if reading.claims[at - 1] == "unwanted" and (end := _end_of_list(reading, at)) > at:
            drop(at, at, end)
    return [] if reading.is_prose else list(dict.fromkeys(topics))


def topics_of_names(reading: QueryReading, names: Sequence[Meant]) -> list[str]:
    """ "no aliens": neither the film of that name nor any other with them."""
    found: list[str] = []
    for name in names:
        start, end = name.start, name.end
        if not name.unwanted or name.category == "person" or end - start > 1 or reading.is_prose:
            continue
        marker = marker_before(reading, start)
        absolute = marker is not None and tables.ABSOLUTE.at(reading.tokens, marker)
        if absolute and not reading.tokens[start].capital and is_ordinary(reading.form(start)):
            found.append(reading.text(start, end))
    return found


def _begins_a_clause(reading: QueryReading, at: int) -> bool:
    if at == 0 or reading.tokens[at].after_break or reading.claims[at - 1] is not None:
        return True
    return reading.form(at - 1) in BEFORE_A_MARKER


def _closes_a_clause(reading: QueryReading, start: int, target: int, end: int) -> bool:
    """ "a space adventure without aliens"; a man without a past is somebody in a story."""
    absolute = tables.ABSOLUTE.at(reading.tokens, start)
    if absolute is None or reading.is_prose or reading.form(start) == "no":
        return False
    somebody = reading.form(start - 1) in tables.ROLE_WORDS
    happens = reading.form(target).endswith("ing")  # "locked up without knowing why"
    return reading.ends_clause(end) and not somebody and not happens


def _topics(reading: QueryReading, start: int, end: int) -> list[str]:
    """Each thing of a list, without the words that say nothing."""
    joints = [
        at
        for at in range(start + 1, end)
        if reading.form(at) in tables.EITHER_UNWANTED or reading.tokens[at].after_break
    ]
    topics: list[str] = []
    for begin, last in zip((start, *joints), (*joints, end), strict=True):
        content = [at for at in range(begin, last) if not reading.is_light(at)]
        content = (
            content
            if reading.form(begin) not in tables.EITHER_UNWANTED
            else [at for at in content if at != begin]
        )
        if content and reading.form(content[0]) not in NO_TOPIC:
            topics.append(reading.text(content[0], content[-1] + 1))
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
        moods = any(tables.CHANNEL_CUES.at(reading.tokens, one) for one in range(start, at))
        if at == start or (moods and not joined):
            break
        end = at if joined else end
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
        text, marker = reading.text(one.start, one.end), marker_before(reading, one.start)
        if marker is None and one.start != listed:
            if not one.value.only_unwanted:
                found.said.append(text)
                reading.claim(one.start, one.end, "aspect" if one.value.kept else "unheld")
            continue
        start = one.start if marker is None else marker
        if one.value.sequels:
            found.sequels.append(text)
        else:
            found.said.append("no " + text if marker is None else reading.text(start, one.end))
        if one.value.instead:
            found.instead.append(("narrative_techniques", one.value.instead))
        listed = one.end + (reading.form(one.end) in tables.LIST_WORDS)
        reading.claim(start, listed, "unwanted")
    for unless in tables.UNLESS.find(reading.tokens):
        end = unless.end
        while not reading.ends_clause(end):
            end += 1
        if end > unless.end and reading.is_free(unless.start, end):
            reading.claim(unless.start, end, "unheld")
            found.said.append(reading.text(unless.start, end))
    return found

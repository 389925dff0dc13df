"""What is not wanted: "no horror", "without", "anything but", and in Japanese what stands behind."""

from collections.abc import Sequence
from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.names import Meant
from townsquare.services.search.understanding.local.reading import QueryReading, Wish
from townsquare.services.search.understanding.local.spelling import is_ordinary
from townsquare.services.search.understanding.local.tables import Genre

MOST_ADJECTIVES = 3  # before a kind of film that is not wanted: "no world war two documentaries"
LONG_LIST = 3  # things with commas between them: "no horror, comedy, drama"
LONGEST_UNWANTED = 3  # words
NO_ADJECTIVES = tables.NOUN_PHRASE_ENDS | tables.LIST_WORDS | tables.BUT_OF_THAT_KIND
PLACING = tables.words("placing")
NO_TOPIC = tables.words("no_topic") | tables.BUT_OF_THAT_KIND
BEFORE_A_MARKER = tables.FILM | tables.CONTRAST | tables.LIST_WORDS


def excluding_words(reading: QueryReading, start: int, end: int) -> tuple[int, int] | None:
    """The span of the words that exclude this part of the query; empty for a hyphen."""
    if reading.tokens[start].struck_out:
        return start, start
    between = reading.form(end) in tables.BETWEEN_MARKER_AND_TARGET
    for at in (end, end + 1) if between else (end,):
        if after := tables.EXCLUDED_BEFORE.at(reading.tokens, at):
            return end, after.end
    marker = marker_before(reading, start)
    return None if marker is None else (marker, start)


def marker_before(reading: QueryReading, start: int) -> int | None:
    """The start of the words that exclude what follows ("without", "no")."""
    at = start
    while at > 0:
        if found := tables.EXCLUDING.ending(reading.tokens, at):
            return found.start
        if reading.form(at - 1) not in tables.BETWEEN_MARKER_AND_TARGET or reading.tokens[at].after_break:
            return None
        at -= 1
    return None


def with_exclusions(reading: QueryReading, wishes: Sequence[Wish]) -> tuple[list[Wish], QueryReading]:
    """The same wishes from left to right, those marked that are not wanted, with their markers claimed."""
    heads = _heads_of_kinds(reading, wishes)
    inside = {at for head, marker in heads.items() for at in range(marker, head)}
    found: list[Wish] = []
    last: Wish | None = None  # the last one of an unwanted list
    for number, wish in enumerate(wishes):
        start, end = wish.start, wish.end
        if start in inside:
            continue
        said = (heads[start], start) if start in heads else excluding_words(reading, start, end)
        if said is None and last and _is_listed(reading, last, wishes[number:]):
            said = last.end, start
        last = wish if said else None
        if said:
            reading = reading.claimed("unwanted", said, (start, end))
            wish = wish._replace(unwanted=not wish.unwanted, stated=True)
        found.append(wish)
    return found, reading


def _is_listed(reading: QueryReading, last: Wish, wishes: Sequence[Wish]) -> bool:
    """ "no horror or musicals", "not from the US or from the UK"; "no horror, comedy, drama" to the end."""
    first = wishes[0]
    between = [reading.form(at) for at in range(last.end, first.start)]
    joined = [form for form in between if form in tables.LIST_WORDS]
    small = tables.FILM | tables.LIST_WORDS
    if joined and joined[-1] in tables.EITHER_UNWANTED:
        small |= tables.BETWEEN_MARKER_AND_TARGET
    if type(first.value) is not type(last.value) or not small.issuperset(between):
        return False
    listed = [last, *wishes]
    commas = listed[-1].end == len(reading) and all(
        two.start == one.end and reading.tokens[two.start].after_comma and type(two.value) is type(last.value)
        for one, two in zip(listed, wishes, strict=False)
    )
    # its marker is the first word; of "war or crime, drama" the last of the list was said
    begins = all(
        reading.claims[at] == "unwanted" and reading.form(at) not in tables.LIST_WORDS
        for at in range(last.start)
    )
    return bool(joined) or (commas and (len(listed) >= LONG_LIST or begins))


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


class Instead(NamedTuple):
    moods: tuple[tuple[Channel, str], ...]  # to look for
    topics: tuple[str, ...]  # that nobody wants at all: "without gore", not "not too sad"


def opposites(reading: QueryReading) -> tuple[Instead, QueryReading]:
    """What to look for instead of moods that are not wanted; their words are claimed."""
    moods: list[tuple[Channel, str]] = []
    topics: list[str] = []
    for mood in tables.OPPOSITES.find(reading.tokens):
        start = marker_before(reading, mood.start)
        if start is None or not reading.is_free(mood.start, mood.end):
            continue
        reading = reading.claimed("unwanted", (start, mood.end))
        if mood.value:
            moods.append(("viewer_experience", mood.value))
        if tables.ABSOLUTE.at(reading.tokens, start) and not reading.is_prose:
            topics.append(reading.text(mood.start, mood.end))
    return Instead(tuple(moods), tuple(topics)), reading


def drop_unwanted_words(reading: QueryReading) -> tuple[list[str], QueryReading]:
    """ "no zombies": nothing filters by it, but to search for its words would find them.

    Returns what is not wanted; in a story nothing is.
    """
    dropped: list[tuple[int, int, int]] = []  # from the marker, from the first word, to the end
    for marker in tables.PLAIN_EXCLUDING.find(reading.tokens):
        end = _end_of_words(reading, marker.end)
        tells = any(tables.ABSENCES_THAT_TELL.at(reading.tokens, at) for at in range(marker.end, end))
        if end == marker.end or tells or not reading.is_free(marker.start, marker.end):
            continue
        if _begins_a_clause(reading, marker.start) or _closes_a_clause(reading, *marker[:2], end):
            dropped.append((marker.start, marker.end, end))
    dropped += [(at, at, at + 1) for at in reading.left() if reading.tokens[at].struck_out]
    reading = reading.claimed("unwanted", *((start, end) for start, _, end in dropped))
    for at in range(1, len(reading)):
        if reading.claims[at - 1] == "unwanted" and (end := _end_of_list(reading, at)) > at:
            dropped.append((at, at, end))
            reading = reading.claimed("unwanted", (at, end))
    topics = [topic for _, start, end in dropped for topic in _topics(reading, start, end)]
    return [] if reading.is_prose else list(dict.fromkeys(topics)), reading


def topics_of_names(reading: QueryReading, names: Sequence[Meant]) -> list[str]:
    """ "no aliens": neither the film of that name nor any other with them."""
    found: list[str] = []
    for name in names:
        start = name.start
        if not name.unwanted or name.category == "person" or name.end - start > 1 or reading.is_prose:
            continue
        marker = marker_before(reading, start)
        absolute = marker is not None and tables.ABSOLUTE.at(reading.tokens, marker)
        if absolute and not reading.tokens[start].capital and is_ordinary(reading.form(start)):
            found.append(reading.text(start, name.end))
    return found


def _begins_a_clause(reading: QueryReading, at: int) -> bool:
    if at == 0 or reading.tokens[at].after_break or reading.claims[at - 1] is not None:
        return True
    return reading.form(at - 1) in BEFORE_A_MARKER


def _closes_a_clause(reading: QueryReading, start: int, target: int, end: int) -> bool:
    """ "a space adventure without aliens"; a man without a past is somebody in a story."""
    if not tables.ABSOLUTE.at(reading.tokens, start) or reading.is_prose or reading.form(start) == "no":
        return False
    somebody = reading.form(start - 1) in tables.ROLE_WORDS
    happens = reading.form(target).endswith("ing")  # "locked up without knowing why"
    return reading.ends_clause(end) and not somebody and not happens


def _topics(reading: QueryReading, start: int, end: int) -> list[str]:
    """Each thing of a list, without the words that say nothing."""
    joints = [at for at in range(start, end) if reading.form(at) in tables.EITHER_UNWANTED]
    topics: list[str] = []
    for begin, last in zip((start, *(at + 1 for at in joints)), (*joints, end), strict=True):
        content = reading.content(range(begin, last))
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


def find_unless(reading: QueryReading) -> tuple[list[str], QueryReading]:
    """ "unless animated", to the end of the clause: nothing can hold it."""
    said: list[str] = []
    for unless in [] if reading.is_prose else tables.UNLESS.find(reading.tokens):
        end = unless.end
        while not reading.ends_clause(end):
            end += 1
        if end > unless.end and reading.is_free(unless.start, end):
            reading = reading.claimed("unheld", (unless.start, end))
            said.append(reading.text(unless.start, end))
    return said, reading

"""What is not wanted: "no horror", "without", "anything but", and in Japanese what stands behind."""

from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.reading import QueryReading, Wish
from townsquare.services.search.understanding.local.tables import Genre

LONGEST_MARKER = 5  # words: "not a big fan of"
MOST_ADJECTIVES = 3  # before a kind of film that is not wanted: "no world war two documentaries"
LONG_LIST = 3  # things with commas between them: "no horror, comedy, drama"


def is_unwanted_at(reading: QueryReading, start: int, end: int) -> bool:
    """What stands there is not wanted; the words that say so are claimed."""
    if reading.tokens[start].struck_out:
        return True
    if after := tables.EXCLUDED_BEFORE.at(reading.tokens, end):
        reading.claim(after.start, after.end, "unwanted")
        return True
    after = tables.EXCLUDED_BEFORE.at(reading.tokens, end + 1)
    if after and reading.form(end) in tables.BETWEEN_MARKER_AND_TARGET:
        reading.claim(end, after.end, "unwanted")
        return True
    marker = marker_before(reading, start)
    if marker is None:
        return False
    reading.claim(marker, start, "unwanted")
    return True


def is_excluded(reading: QueryReading, start: int, end: int) -> bool:
    """The same as `is_unwanted_at`, with nothing claimed."""
    return (
        reading.tokens[start].struck_out
        or tables.EXCLUDED_BEFORE.at(reading.tokens, end) is not None
        or is_excluding(reading, start)
    )


def inside_a_marker(reading: QueryReading) -> set[int]:
    """Words of longer markers: the "fan" of "not a fan of" is no name, and its "like" compares nothing."""
    return {
        at
        for found in tables.EXCLUDING.find(reading.tokens)
        if found.end - found.start > 1
        for at in range(found.start, found.end)
    }


def is_excluding(reading: QueryReading, start: int) -> bool:
    return marker_before(reading, start) is not None


def marker_before(reading: QueryReading, start: int) -> int | None:
    """Where the words begin that say that what follows is not wanted."""
    at = start
    while at > 0:
        for begin in range(max(0, at - LONGEST_MARKER), at):
            found = tables.EXCLUDING.at(reading.tokens, begin)
            if found and (found.end == at or (at == start and found.end == at + 1)):  # "nada [de terror]"
                return begin
        if reading.form(at - 1) not in tables.BETWEEN_MARKER_AND_TARGET or reading.tokens[at].after_break:
            return None
        at -= 1
    return None


def with_exclusions(reading: QueryReading, wishes: list[Wish]) -> list[Wish]:
    """The same wishes, those marked that are not wanted; the markers are claimed with them."""
    by_start = {wish.start: number for number, wish in enumerate(wishes)}
    by_end = {wish.end: number for number, wish in enumerate(wishes)}
    unwanted: set[int] = set()
    at = 0
    while at < len(reading):
        marker = tables.EXCLUDING.at(reading.tokens, at)
        if marker and marker.end - 1 > marker.start and marker.end - 1 in by_start:  # "nada [de terror]"
            shorter = tables.EXCLUDING.at(reading.tokens[: marker.end - 1], at)
            marker = shorter if shorter and shorter.end == marker.end - 1 else None
        if marker and reading.is_free(marker.start, marker.end):
            at = _exclude_after(reading, marker.start, marker.end, wishes, by_start, unwanted)
            continue
        if at in by_start and reading.tokens[at].struck_out:
            unwanted.add(by_start[at])
        if (after := tables.EXCLUDED_BEFORE.at(reading.tokens, at)) and reading.is_free(
            after.start, after.end
        ):
            target = at
            while (
                target > 0
                and target not in by_end
                and reading.form(target - 1) in tables.BETWEEN_MARKER_AND_TARGET
            ):
                target -= 1
            if target in by_end:
                unwanted.add(by_end[target])
                reading.claim(target, after.end, "unwanted")
        at += 1
    for number in unwanted:
        reading.claim(wishes[number].start, wishes[number].end, "unwanted")
    return [
        wish._replace(unwanted=not wish.unwanted, stated=True) if number in unwanted else wish
        for number, wish in enumerate(wishes)
    ]


def _exclude_after(
    reading: QueryReading,
    start: int,
    end: int,
    wishes: list[Wish],
    by_start: dict[int, int],
    unwanted: set[int],
) -> int:
    """Marks what follows a marker, and lists of its kind: "no horror or musicals". Answers where to go on."""
    target = _head_of_kind(reading, start, end, wishes, by_start) or _target(reading, end, by_start)
    if target is None:
        return end
    number = by_start[target]
    unwanted.add(number)
    reading.claim(start, target, "unwanted")
    closed = False
    while True:
        end = wishes[number].end
        following = end
        while following < len(reading) and (
            reading.form(following) in tables.FILM or reading.form(following) in tables.LIST_WORDS
        ):
            following += 1
        joined = any(reading.form(at) in tables.LIST_WORDS for at in range(end, following))
        if (
            joined and reading.form(following - 1) in tables.EITHER_UNWANTED
        ):  # "not from the US or from the UK"
            following = _target(reading, following, by_start) or following
        same = following in by_start and type(wishes[by_start[following]].value) is type(wishes[number].value)
        listed = (
            same
            and reading.tokens[following].after_break
            and (
                _list_goes_on(reading, by_start, wishes, following)
                or _is_all_a_list(reading, by_start, wishes, start, number)
            )
        )
        if not same or not (joined or (listed and not closed)):
            return end
        closed = closed or joined  # "no war or crime, drama": the last of a list was said
        number = by_start[following]
        unwanted.add(number)
        reading.claim(end, following, "unwanted")


def _list_goes_on(reading: QueryReading, by_start: dict[int, int], wishes: list[Wish], at: int) -> bool:
    """ "no horror, musicals or westerns": a comma joins where "or" follows."""
    end = wishes[by_start[at]].end
    return reading.form(end) in ("or", "nor", "ni", "ou", "o") and end + 1 in by_start


def _is_all_a_list(
    reading: QueryReading, by_start: dict[int, int], wishes: list[Wish], marker: int, number: int
) -> bool:
    """ "no horror, comedy, drama": from the marker on there is nothing but things of one kind."""
    count, at = 1, wishes[number].end
    while at < len(reading):
        if at not in by_start or not reading.tokens[at].after_comma:
            return False
        wish = wishes[by_start[at]]
        if type(wish.value) is not type(wishes[number].value):
            return False
        count, at = count + 1, wish.end
    return count >= LONG_LIST or marker == 0


def _head_of_kind(
    reading: QueryReading, start: int, at: int, wishes: list[Wish], by_start: dict[int, int]
) -> int | None:
    """The genre at the end of a noun phrase: "no cheesy war documentaries" leaves out no war films."""
    surely = tables.SURELY_BEFORE_A_KIND.at(reading.tokens, start)
    if surely is None or surely.end != at:
        return None
    head: int | None = None
    adjectives = 0
    while at < len(reading) and adjectives <= MOST_ADJECTIVES and not (reading.tokens[at].after_break):
        form = reading.form(at)
        if at in by_start and isinstance(wishes[by_start[at]].value, Genre):
            head, at, adjectives = at, wishes[by_start[at]].end, 0
        elif form in tables.BETWEEN_MARKER_AND_TARGET and head is None:
            at += 1
        elif (
            form in tables.NOUN_PHRASE_ENDS
            or form in tables.LIST_WORDS
            or form in tables.BUT_OF_THAT_KIND
            or (reading.is_light(at))
        ):
            break
        else:
            at, adjectives = at + 1, adjectives + 1
    return head


def _target(reading: QueryReading, at: int, by_start: dict[int, int]) -> int | None:
    while at < len(reading):
        if at in by_start:
            return at
        if reading.form(at) not in tables.BETWEEN_MARKER_AND_TARGET:
            return None
        at += 1
    return None


class Instead(NamedTuple):
    moods: list[tuple[Channel, str]]  # to look for
    topics: list[str]  # that nobody wants at all: "without gore", not "not too sad"


def opposites(reading: QueryReading) -> Instead:
    """What to look for instead of moods that are not wanted; their words are claimed."""
    found = Instead([], [])
    for mood in tables.OPPOSITES.find(reading.tokens):
        if reading.is_free(mood.start, mood.end) and is_excluding(reading, mood.start):
            start = marker_before(reading, mood.start)
            reading.claim(mood.start if start is None else start, mood.end, "unwanted")
            if mood.value:
                found.moods.append(("viewer_experience", mood.value))
            if start is not None and tables.ABSOLUTE.at(reading.tokens, start) and not reading.is_prose:
                found.topics.append(reading.text(mood.start, mood.end))
    return found

"""Names that no lookup found as they stand: written in part, misspelt, or one small word."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.exclusions import excluding_words, marker_before
from townsquare.services.search.understanding.local.names import ANYBODY, Meant, NameEvidence, QueryName
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.settle import Settled
from townsquare.services.search.understanding.local.spelling import is_misspelling, is_ordinary
from townsquare.services.search.understanding.local.tables import KNOWN
from townsquare.services.search.understanding.local.tokens import IS_JAPANESE, forms

LONGEST_PART = 6  # words: who writes more tells a story
SHORTEST_WORD = 5  # letters of a name that stands alone
ALONE = 0.8  # likeness of a title that one word stands for: most of its letters
TOGETHER = 0.58  # of one that several words stand for
ORDINARY = 0.75  # the same, for words that could mean just themselves: "lock stock"
FIRST_NAME = 0.6  # of a person who is called by it: "keanu"
LOOKED_AT = 5
LONG_WORD = 6  # letters of a word that stands for the one title with it

MOST_PHRASES = 12
LONGEST_TITLE = 8  # words
LONGEST_PERSON = 3
LONG_SURNAME = 7  # letters: after "by" a shorter word is often a word
LONG_REST = 10  # letters: beside a person a shorter rest is a word, not a title
SHORT_TITLE = 5  # words of a whole query that may be a title with a surname in it
SHORT_REST = 4  # words left: each pair of them may be a person
SHORTEST_CHARACTER = 4  # letters
NUMBERS = ("three", "seven", "eight", "eleven", "twelve", "thirteen", "hundred", "thousand")
TITLES: frozenset[EntityCategory] = frozenset({"movie_title", "franchise"})
PEOPLE: frozenset[EntityCategory] = frozenset({"person"})
ALL: frozenset[EntityCategory] = TITLES | PEOPLE | {"character", "studio"}


async def find_shortened(
    index: LexicalIndex, reading: QueryReading, settled: Settled
) -> tuple[Settled, QueryReading]:
    """If nothing in a short query is a name yet, what is left of it may be a part of one."""
    left = reading.left()
    if settled.likes or any(not name.doubtful for name in settled.names):
        return settled, reading
    if not left or len(left) > LONGEST_PART or left[-1] - left[0] + 1 != len(left):
        return settled, reading
    start, end = left[0], left[-1] + 1
    content = [reading.form(at) for at in reading.content(left)]
    ordinary = all(word in KNOWN or word.isdecimal() for word in content)
    if ordinary and len(content) < 2:
        return settled, reading
    for match in await index.entities(reading.text(start, end), limit=LOOKED_AT):
        if _is_part_of(content, match, ORDINARY if ordinary else TOGETHER):
            return _with(settled, Meant(start, end, match.category, match.name)), reading.claimed(
                "name", (start, end)
            )
    for at in left:
        word = reading.form(at)
        if len(word) < LONG_WORD or word in KNOWN or is_ordinary(word):
            continue
        found = [one for one in await index.entities(word, limit=LOOKED_AT) if word in forms(one.name)]
        if len(found) == 1 and found[0].category == "movie_title":  # the "mononoke" of "mononoke hime"
            return _with(settled, Meant(at, at + 1, "movie_title", found[0].name, doubtful=True)), reading
    return settled, reading


def _with(settled: Settled, *names: Meant) -> Settled:
    return settled._replace(names=(*settled.names, *names))


def _is_part_of(content: list[str], match: EntityMatch, together: float) -> bool:
    if len(content) != 1:
        return match.category in TITLES and match.likeness >= together
    (word,) = content
    if len(word) < SHORTEST_WORD:
        return False
    if match.category == "person":
        return match.likeness >= FIRST_NAME and len(match.film_ids) > 1 and word in forms(match.name)
    return match.likeness >= ALONE


class Suspect(NamedTuple):
    start: int
    end: int
    categories: frozenset[EntityCategory]
    joined: bool = False  # a surname that was written in two: "Di Caprio"
    part: Meant | None = None  # one word of it, which was taken for a surname


async def find_misspelt(
    index: LexicalIndex, reading: QueryReading, settled: Settled
) -> tuple[Settled, QueryReading]:
    suspects = [one for one in _suspects(reading, settled) if one.part or _may_be_a_name(reading, one)]
    suspects = list(dict.fromkeys(suspects))[:MOST_PHRASES]
    texts = [_with_numbers(reading, one) for one in suspects]
    answers = await index.entities_many(texts, misspelt=True) if texts else []
    likes, names = [*settled.likes], [*settled.names]
    for suspect, matches in zip(suspects, answers, strict=True):
        start, end, part = suspect.start, suspect.end, suspect.part
        if part not in names if part else not reading.is_free(start, end):
            continue
        text = reading.text(start, end)
        match = _meant(text.replace(" ", "") if suspect.joined else text, suspect, matches)
        if match is None:
            continue
        if match.category in TITLES and (like := tables.LIKE.ending(reading.tokens, start)):
            likes.append(QueryName(start, end, (match,)))
            reading = reading.claimed("like", (like.start, end))
            continue
        said = excluding_words(reading, start, end)
        unwanted = part.unwanted if part else said is not None
        spans = [(start, end), *([said] if said else [])]
        reading = reading.claimed("unwanted" if unwanted else "name", *spans)
        meant = Meant(start, end, match.category, match.name, unwanted=unwanted)
        names = [meant if one == part else one for one in names] if part else [*names, meant]
    return Settled(tuple(likes), tuple(names)), reading


def _with_numbers(reading: QueryReading, suspect: Suspect) -> str:
    """Numbers in titles are kept as digits, which no misspelt word is near: "oceans elevin"."""

    def written(at: int) -> str:
        form = reading.form(at)
        same = (one for one in NUMBERS if len(one) == len(form) and form not in KNOWN)  # "steven" is no seven
        return next((one for one in same if is_misspelling(form, one)), reading.text(at, at + 1))

    return ("" if suspect.joined else " ").join(map(written, range(suspect.start, suspect.end)))


def _meant(phrase: str, suspect: Suspect, matches: list[EntityMatch]) -> EntityMatch | None:
    for match in sorted(matches, key=lambda match: (-match.likeness, match.category != "movie_title")):
        surname = match.name.split()[-1] if match.category == "person" and " " not in phrase else match.name
        near = is_misspelling(phrase, match.name) or is_misspelling(phrase, surname)
        if near and match.category in suspect.categories:
            return match
    return None


def _suspects(reading: QueryReading, settled: Settled) -> Iterator[Suspect]:
    """The likeliest first: longer names, the whole rest, after "by", pairs of a short rest."""
    yield from _longer_names(reading, settled)
    left = reading.left()
    while left and reading.is_light(left[-1]) and reading.form(left[-1]) not in ("it", "us"):
        left.pop()
    beside = sum(len(reading.form(at)) for at in left) >= LONG_REST and not reading.is_prose
    if left and all(one.doubtful or (one.category == "person" and beside) for one in settled.names):
        yield from _rests(reading, left)
    for at in range(1, len(reading)):
        if reading.form(at - 1) in tables.BEFORE_A_MISSPELT_PERSON:
            yield from _people_at(reading, at)
    content = reading.content(left)
    if len(content) <= SHORT_REST and not reading.is_prose:
        for at in content:
            yield Suspect(at, at + 2, PEOPLE | TITLES)
            if len(content) == 1 and not settled.names:
                yield Suspect(at, at + 1, PEOPLE)


def _longer_names(reading: QueryReading, settled: Settled) -> Iterator[Suspect]:
    """ "bruce wilis", "beverley hills cop": one word is a surname, but more of them are nearly a name."""
    for name in settled.names:
        if name.category != "person" or name.end - name.start != 1 or reading.tokens[name.start].capital:
            continue
        short = len(reading) <= SHORT_TITLE and len(settled.names) == 1
        if short and _is_unexplained(reading, name.start - 1):
            yield Suspect(0, len(reading), TITLES, part=name)
        if _is_unexplained(reading, name.end):
            yield Suspect(name.start, name.end + 1, PEOPLE, part=name)


def _is_unexplained(reading: QueryReading, at: int) -> bool:
    if not 0 <= at < len(reading) or reading.claims[at] or reading.is_light(at):
        return False
    return reading.form(at) not in KNOWN or reading.form(at) in tables.ORDINARY_SURNAMES


def _people_at(reading: QueryReading, at: int) -> Iterator[Suspect]:
    unwanted = marker_before(reading, at) is not None and not reading.is_prose
    many = reading.form(at).removesuffix("s") in tables.ROLE_WORDS  # "by priests"
    yield Suspect(at, at + 2, PEOPLE)
    if unwanted:
        yield Suspect(at, at + 2, PEOPLE, joined=True)
    yield Suspect(at, at + LONGEST_PERSON, PEOPLE)
    sure = unwanted or reading.form(at - 1) in tables.SURELY_BEFORE_A_PERSON
    if sure and not many and len(reading.form(at)) >= LONG_SURNAME:
        yield Suspect(at, at + 1, PEOPLE)


def _rests(reading: QueryReading, left: list[int]) -> Iterator[Suspect]:
    """All that is left, if it stands together, with and without its first light words."""
    first, last = left[0], left[-1] + 1
    if last - first > LONGEST_TITLE or last - first != len(left):
        return
    for start in range(first, last):
        yield Suspect(start, last, ALL)
        if not reading.is_light(start):
            return


def _may_be_a_name(reading: QueryReading, suspect: Suspect) -> bool:
    """Free, and with a word that no table knows: "slow burn" is no misspelling, nor "sharks" behind "no"."""
    start, end = suspect.start, suspect.end
    if end > len(reading) or not reading.is_free(start, end):
        return False
    written = [reading.form(at) for at in range(start, end)]
    small = len(written) == 1 and not reading.tokens[start].capital and is_ordinary(written[0])
    if small and marker_before(reading, start) is not None:
        return False
    return any(form not in KNOWN and not form.isdecimal() and not IS_JAPANESE.match(form) for form in written)


def find_small_characters(
    reading: QueryReading, names: Sequence[QueryName], settled: Settled
) -> tuple[Settled, QueryReading]:
    """In a short query without any other name; the films of such a character are lifted, none is left out."""
    if reading.is_prose or settled.likes or settled.names:
        return settled, reading
    small = [
        name
        for name in names
        if name.end - name.start == 1 and name.of("character") and reading.is_free(name.start, name.end)
    ]
    together = _together(reading, small)
    found: list[Meant] = []
    for name in dict.fromkeys((*together, *small)):
        start, form = name.start, reading.form(name.start)
        alone = len(form) >= SHORTEST_CHARACTER and not (
            form in ANYBODY or form in KNOWN or is_ordinary(form)
        )
        if alone or name in together:
            titled = alone and start > 0 and reading.form(start - 1) in tables.ROLE_WORDS  # "captain sparrow"
            found.append(NameEvidence(reading, name).meant_as("character")._replace(start=start - titled))
    return _with(settled, *found), reading.claimed("name", *((one.start, one.end) for one in found))


def _together(reading: QueryReading, small: Sequence[QueryName]) -> list[QueryName]:
    """ "neo and trinity": whatever else the words mean, two of these names are in one film."""
    by_start = {
        name.start: name
        for name in small
        if not reading.is_light(name.start) and reading.form(name.start) not in tables.ROLE_WORDS
    }
    found: list[QueryName] = []
    for start, one in by_start.items():
        other = by_start.get(start + 2)
        if other and reading.form(start + 1) in tables.LIST_WORDS and _films(one) & _films(other):
            found += [one, other]
    return found


def _films(name: QueryName) -> set[int]:
    return {id for match in name.matches if match.category == "character" for id in match.film_ids}

"""Names that no lookup found as they stand: written in part, misspelt, or one small word."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.exclusions import is_excluding, is_unwanted_at
from townsquare.services.search.understanding.local.lookup import QueryName
from townsquare.services.search.understanding.local.names import Meant, meant_as
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.resolve_names import NameInQuery, Settled
from townsquare.services.search.understanding.local.spelling import is_misspelling, is_ordinary
from townsquare.services.search.understanding.local.tokens import IS_JAPANESE, forms
from townsquare.services.search.understanding.local.vocabulary import KNOWN

LONGEST_PART = 6  # words: who writes more tells a story
SHORTEST_WORD = 5  # letters of a name that stands alone
ALONE = 0.8  # likeness of a title that one word stands for: most of its letters
TOGETHER = 0.58  # of one that several words stand for
ORDINARY = 0.75  # the same, for words that could mean just themselves: "lock stock"
FIRST_NAME = 0.6  # of a person who is called by it: "keanu"
LOOKED_AT = 5
LONG_WORD = 6  # letters of a word that stands for the one title with it


async def find_shortened(index: LexicalIndex, reading: QueryReading, settled: Settled) -> Settled:
    """If nothing in a short query is a name yet, what is left of it may be a part of one."""
    if settled.likes or settled.unknown_likes or any(not name.meant.doubtful for name in settled.names):
        return settled
    left = [at for at, claim in enumerate(reading.claims) if claim is None]
    if not left or len(left) > LONGEST_PART or left[-1] - left[0] + 1 != len(left):
        return settled
    start, end = left[0], left[-1] + 1
    content = [reading.form(at) for at in left if not reading.is_light(at)]
    ordinary = all(word in KNOWN or word.isdecimal() for word in content)
    if ordinary and len(content) < 2:
        return settled
    for match in await index.entities(reading.text(start, end), limit=LOOKED_AT):
        if _is_part_of(content, match, ORDINARY if ordinary else TOGETHER):
            settled.names.append(NameInQuery(Meant(start, end, match.category, match.name)))
            reading.claim(start, end, "name")
            return settled
    for at in left:
        if found := await _only_title_with(index, reading, at):
            settled.names.append(NameInQuery(Meant(at, at + 1, "movie_title", found.name, doubtful=True)))
            break
    return settled


async def _only_title_with(index: LexicalIndex, reading: QueryReading, at: int) -> EntityMatch | None:
    """A word that is in one title and nowhere else: the "mononoke" of "mononoke hime"."""
    word = reading.form(at)
    if len(word) < LONG_WORD or word in KNOWN or is_ordinary(word):
        return None
    matches = [one for one in await index.entities(word, limit=LOOKED_AT) if word in forms(one.name)]
    alone = len(matches) == 1 and matches[0].category == "movie_title"
    return matches[0] if alone else None


def _is_part_of(content: list[str], match: EntityMatch, together: float) -> bool:
    if len(content) == 1:
        word = content[0]
        if len(word) < SHORTEST_WORD:
            return False
        if match.category == "person":
            return match.likeness >= FIRST_NAME and len(match.film_ids) > 1 and word in forms(match.name)
        return match.likeness >= ALONE
    return match.category in ("movie_title", "franchise") and match.likeness >= together


MOST_PHRASES = 12
LONGEST_TITLE = 8  # words
LONGEST_PERSON = 3
LONG_SURNAME = 7  # letters: after "by" a shorter word is often a word
LONG_REST = 10  # letters: beside a person a shorter rest is a word, not a title
SPLIT_SURNAME = 2  # words
SHORT_TITLE = 5  # words of a whole query that may be a title with a surname in it
SHORT_REST = 4  # words left: each pair of them may be a person
NUMBERS = ("three", "seven", "eight", "eleven", "twelve", "thirteen", "hundred", "thousand")
TITLES: frozenset[EntityCategory] = frozenset({"movie_title", "franchise"})
ALL: frozenset[EntityCategory] = frozenset({"movie_title", "person", "character", "studio", "franchise"})
PEOPLE: frozenset[EntityCategory] = frozenset({"person"})


class Suspect(NamedTuple):
    start: int
    end: int
    categories: frozenset[EntityCategory]
    compared: bool = False  # it stands after "like"
    joined: bool = False  # a surname that was written in two: "Di Caprio"


async def find_misspelt(index: LexicalIndex, reading: QueryReading, settled: Settled) -> Settled:
    settled = await _with_rest_of_names(index, reading, settled)
    suspects = list(dict.fromkeys(_suspects(reading, settled)))[:MOST_PHRASES]
    if not suspects:
        return settled
    answers = await index.entities_many([_with_numbers(reading, one) for one in suspects], misspelt=True)
    for suspect, matches in zip(suspects, answers, strict=True):
        if not reading.is_free(suspect.start, suspect.end):
            continue
        text = reading.text(suspect.start, suspect.end)
        match = _meant(text.replace(" ", "") if suspect.joined else text, suspect, matches)
        if match is None:
            continue
        if suspect.compared and match.category != "person":
            settled.likes.append(QueryName(suspect.start, suspect.end, (match,)))
            reading.claim(suspect.start, suspect.end, "like")
            continue
        unwanted = is_unwanted_at(reading, suspect.start, suspect.end)
        settled.names.append(
            NameInQuery(Meant(suspect.start, suspect.end, match.category, match.name), unwanted)
        )
        reading.claim(suspect.start, suspect.end, "unwanted" if unwanted else "name")
    return settled


async def _with_rest_of_names(index: LexicalIndex, reading: QueryReading, settled: Settled) -> Settled:
    """ "bruce wilis", "beverley hills cop": one word is a surname, but more of them are nearly a name."""
    for number, name in enumerate(settled.names):
        start, end = name.meant.start, name.meant.end
        if name.meant.category != "person" or end - start != 1 or reading.tokens[start].capital:
            continue
        suspects = [Suspect(start, end + 1, PEOPLE)] if _goes_on(reading, end) else []
        if _goes_on(reading, start - 1) and len(reading) <= SHORT_TITLE and len(settled.names) == 1:
            suspects.insert(0, Suspect(0, len(reading), TITLES))
        texts = [reading.text(one.start, one.end) for one in suspects]
        for suspect, found in zip(suspects, await index.entities_many(texts, misspelt=True), strict=True):
            if match := _meant(reading.text(suspect.start, suspect.end), suspect, found):
                meant = Meant(suspect.start, suspect.end, match.category, match.name)
                settled.names[number] = name._replace(meant=meant)
                reading.claim(meant.start, meant.end, "unwanted" if name.unwanted else "name")
                break
    return settled


def _goes_on(reading: QueryReading, at: int) -> bool:
    """A word stands there that nothing has explained."""
    if not 0 <= at < len(reading) or not reading.is_free(at, at + 1) or reading.is_light(at):
        return False
    word = reading.form(at)
    return word not in KNOWN or word in tables.ORDINARY_SURNAMES


def _with_numbers(reading: QueryReading, suspect: Suspect) -> str:
    """Numbers in titles are kept as digits, which no misspelt word is near: "oceans elevin"."""
    words = []
    for at in range(suspect.start, suspect.end):
        form = reading.form(at)
        meant = (  # of the same length: "steven" is no seven
            one
            for one in NUMBERS
            if len(form) == len(one) and form not in KNOWN and is_misspelling(form, one)
        )
        words.append(next(meant, reading.text(at, at + 1)))
    return ("" if suspect.joined else " ").join(words)


def _meant(phrase: str, suspect: Suspect, matches: list[EntityMatch]) -> EntityMatch | None:
    for match in sorted(matches, key=lambda match: (-match.likeness, match.category != "movie_title")):
        if match.category in suspect.categories and (
            is_misspelling(phrase, match.name) or _is_surname(phrase, match)
        ):
            return match
    return None


def _is_surname(phrase: str, match: EntityMatch) -> bool:
    return match.category == "person" and " " not in phrase and is_misspelling(phrase, match.name.split()[-1])


def _suspects(reading: QueryReading, settled: Settled) -> Iterable[Suspect]:
    """The likeliest first: after "like", the whole rest, after "by" and "with", pairs of a short rest."""
    for start, end in settled.unknown_likes:
        if reading.is_prose and not reading.tokens[start].capital:
            continue
        for last in range(end, start, -1):
            if _may_be_a_name(reading, start, last):
                yield Suspect(start, last, ALL, compared=True)
    left = [at for at, claim in enumerate(reading.claims) if claim is None]
    while (
        left
        and reading.form(left[-1])
        and reading.is_light(left[-1])
        and reading.form(left[-1]) not in ("it", "us")
    ):
        left.pop()
    named = [name.meant for name in settled.names if not name.meant.doubtful]
    letters = sum(len(reading.form(at)) for at in left)
    beside = letters >= LONG_REST and not reading.is_prose
    if left and all(one.category == "person" and beside for one in named):
        yield from _rests(reading, left)
    for at in range(1, len(reading)):
        if reading.form(at - 1) in tables.BEFORE_A_MISSPELT_PERSON:
            unwanted = is_excluding(reading, at) and not reading.is_prose
            sure = unwanted or reading.form(at - 1) in tables.SURELY_BEFORE_A_PERSON
            many = reading.form(at).removesuffix("s") in tables.ROLE_WORDS  # "by priests"
            surname = sure and not many and len(reading.form(at)) >= LONG_SURNAME
            for length in (2, LONGEST_PERSON, 1) if surname else (2, LONGEST_PERSON):
                if at + length <= len(reading) and _may_be_a_name(reading, at, at + length):
                    yield Suspect(at, at + length, PEOPLE)
                    if unwanted and length == SPLIT_SURNAME:
                        yield Suspect(at, at + length, PEOPLE, joined=True)
    content = [at for at in left if not reading.is_light(at)]
    if len(content) <= SHORT_REST and not reading.is_prose:
        for at in content:
            for length in (2, 1) if len(content) == 1 and not settled.names else (2,):
                if at + length <= len(reading) and _may_be_a_name(reading, at, at + length):
                    yield Suspect(at, at + length, PEOPLE | TITLES if length > 1 else PEOPLE)


def _rests(reading: QueryReading, left: list[int]) -> Iterable[Suspect]:
    """All that is left, if it stands together, with and without its first light words."""
    first, last = left[0], left[-1] + 1
    if last - first > LONGEST_TITLE or last - first != len(left):
        return
    while first < last:
        if _may_be_a_name(reading, first, last):
            yield Suspect(first, last, ALL)
        if not reading.is_light(first):
            return
        first += 1


def _may_be_a_name(reading: QueryReading, start: int, end: int) -> bool:
    """Free, and with a word that no table knows: "slow burn" is no misspelling, nor "sharks" behind "no"."""
    span = range(start, end)
    small = end - start == 1 and not reading.tokens[start].capital
    if small and is_ordinary(reading.form(start)) and is_excluding(reading, start):
        return False
    return reading.is_free(start, end) and any(
        reading.form(at) not in KNOWN
        and not reading.form(at).isdecimal()
        and not IS_JAPANESE.match(reading.form(at))
        for at in span
    )


SHORTEST_CHARACTER = 4  # letters
WORDS = tables.ORDINARY_SURNAMES | tables.ROLE_WORDS | KNOWN


def find_small_characters(reading: QueryReading, names: Sequence[QueryName], settled: Settled) -> Settled:
    """In a short query without any other name; the films of such a character are lifted, none is left out."""
    if reading.is_prose or settled.likes or settled.unknown_likes or settled.names:
        return settled
    for name in _together(reading, names):
        settled.names.append(NameInQuery(meant_as(reading, name, "character")))
        reading.claim(name.start, name.end, "name")
    for name in names:
        if name.of("character") and reading.is_free(name.start, name.end) and _is_a_character(reading, name):
            meant = meant_as(reading, name, "character")
            if reading.form(name.start - 1) in tables.ROLE_WORDS and reading.is_free(
                name.start - 1, name.start
            ):
                meant = meant._replace(start=name.start - 1)  # "captain sparrow"
            settled.names.append(NameInQuery(meant))
            reading.claim(meant.start, meant.end, "name")
    return settled


def _together(reading: QueryReading, names: Sequence[QueryName]) -> list[QueryName]:
    """ "neo and trinity": whatever else the words mean, two of these names are in one film."""
    small = {
        name.start: name
        for name in names
        if name.end - name.start == 1
        and name.of("character")
        and reading.is_free(name.start, name.end)
        and not reading.is_light(name.start)
        and reading.form(name.start) not in tables.ROLE_WORDS
    }
    pairs = [
        (one, small[start + 2])
        for start, one in small.items()
        if start + 2 in small and reading.form(start + 1) in tables.LIST_WORDS
    ]
    met = [pair for pair in pairs if _films(pair[0]) & _films(pair[1])]
    return list(dict.fromkeys(name for pair in met for name in pair))


def _films(name: QueryName) -> set[int]:
    return {id for match in name.matches if match.category == "character" for id in match.film_ids}


def _is_a_character(reading: QueryReading, name: QueryName) -> bool:
    form = reading.form(name.start)
    alone = name.end - name.start == 1
    return alone and len(form) >= SHORTEST_CHARACTER and form not in WORDS and not is_ordinary(form)

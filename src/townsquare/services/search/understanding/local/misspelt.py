"""Names that no lookup found as they stand: written in part, misspelt, or one small word."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.exclusions import is_unwanted_at, marker_before
from townsquare.services.search.understanding.local.names import Meant, NameEvidence, QueryName
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.resolve_names import Settled
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


async def find_shortened(index: LexicalIndex, reading: QueryReading, settled: Settled) -> None:
    """If nothing in a short query is a name yet, what is left of it may be a part of one."""
    left = reading.left()
    if settled.likes or settled.unknown_likes or any(not name.doubtful for name in settled.names):
        return
    if not left or len(left) > LONGEST_PART or left[-1] - left[0] + 1 != len(left):
        return
    start, end = left[0], left[-1] + 1
    content = [reading.form(at) for at in left if not reading.is_light(at)]
    ordinary = all(word in KNOWN or word.isdecimal() for word in content)
    if ordinary and len(content) < 2:
        return
    for match in await index.entities(reading.text(start, end), limit=LOOKED_AT):
        if _is_part_of(content, match, ORDINARY if ordinary else TOGETHER):
            settled.names.append(Meant(start, end, match.category, match.name))
            reading.claim(start, end, "name")
            return
    for at in left:
        word = reading.form(at)
        if len(word) < LONG_WORD or word in KNOWN or is_ordinary(word):
            continue
        found = [one for one in await index.entities(word, limit=LOOKED_AT) if word in forms(one.name)]
        if len(found) == 1 and found[0].category == "movie_title":  # the "mononoke" of "mononoke hime"
            settled.names.append(Meant(at, at + 1, "movie_title", found[0].name, doubtful=True))
            return


def _is_part_of(content: list[str], match: EntityMatch, together: float) -> bool:
    if len(content) != 1:
        return match.category in TITLES and match.likeness >= together
    (word,) = content
    if len(word) < SHORTEST_WORD:
        return False
    if match.category == "person":
        return match.likeness >= FIRST_NAME and len(match.film_ids) > 1 and word in forms(match.name)
    return match.likeness >= ALONE


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
PEOPLE: frozenset[EntityCategory] = frozenset({"person"})
ALL: frozenset[EntityCategory] = TITLES | PEOPLE | {"character", "studio"}


class Suspect(NamedTuple):
    start: int
    end: int
    categories: frozenset[EntityCategory]
    compared: bool = False  # it stands after "like"
    joined: bool = False  # a surname that was written in two: "Di Caprio"
    part: Meant | None = None  # one word of it, which was taken for a surname


async def find_misspelt(index: LexicalIndex, reading: QueryReading, settled: Settled) -> None:
    suspects = list(dict.fromkeys((*_longer_names(reading, settled), *_suspects(reading, settled))))
    suspects = suspects[:MOST_PHRASES]
    texts = [_with_numbers(reading, one) for one in suspects]
    answers = await index.entities_many(texts, misspelt=True) if texts else []
    for suspect, matches in zip(suspects, answers, strict=True):
        start, end, part = suspect.start, suspect.end, suspect.part
        if part not in settled.names if part else not reading.is_free(start, end):
            continue
        text = reading.text(start, end)
        match = _meant(text.replace(" ", "") if suspect.joined else text, suspect, matches)
        if match is None:
            continue
        if suspect.compared and match.category != "person":
            settled.likes.append(QueryName(start, end, (match,)))
            reading.claim(start, end, "like")
            continue
        unwanted = part.unwanted if part else is_unwanted_at(reading, start, end)
        meant = Meant(start, end, match.category, match.name, unwanted=unwanted)
        reading.claim(start, end, "unwanted" if unwanted else "name")
        if part:
            settled.names[settled.names.index(part)] = meant
        else:
            settled.names.append(meant)


def _with_numbers(reading: QueryReading, suspect: Suspect) -> str:
    """Numbers in titles are kept as digits, which no misspelt word is near: "oceans elevin"."""

    def written(at: int) -> str:
        form = reading.form(at)
        same = (one for one in NUMBERS if len(one) == len(form) and form not in KNOWN)  # "steven" is no seven
        return next((one for one in same if is_misspelling(form, one)), reading.text(at, at + 1))

    return ("" if suspect.joined else " ").join(map(written, range(suspect.start, suspect.end)))


def _meant(phrase: str, suspect: Suspect, matches: list[EntityMatch]) -> EntityMatch | None:
    for match in sorted(matches, key=lambda match: (-match.likeness, match.category != "movie_title")):
        surname = match.category == "person" and " " not in phrase and match.name.split()[-1]
        if match.category in suspect.categories and (
            is_misspelling(phrase, match.name) or (surname and is_misspelling(phrase, surname))
        ):
            return match
    return None


def _longer_names(reading: QueryReading, settled: Settled) -> Iterable[Suspect]:
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
    if not 0 <= at < len(reading) or not reading.is_free(at, at + 1) or reading.is_light(at):
        return False
    return reading.form(at) not in KNOWN or reading.form(at) in tables.ORDINARY_SURNAMES


def _suspects(reading: QueryReading, settled: Settled) -> Iterable[Suspect]:
    """The likeliest first: after "like", the whole rest, after "by" and "with", pairs of a short rest."""
    for start, end in settled.unknown_likes:
        if not reading.is_prose or reading.tokens[start].capital:
            for last in range(end, start, -1):
                yield from _if_a_name(reading, Suspect(start, last, ALL, compared=True))
    left = reading.left()
    while left and reading.is_light(left[-1]) and reading.form(left[-1]) not in ("it", "us"):
        left.pop()
    beside = sum(len(reading.form(at)) for at in left) >= LONG_REST and not reading.is_prose
    if left and all(one.doubtful or (one.category == "person" and beside) for one in settled.names):
        yield from _rests(reading, left)
    for at in range(1, len(reading)):
        if reading.form(at - 1) in tables.BEFORE_A_MISSPELT_PERSON:
            yield from _people_at(reading, at)
    content = [at for at in left if not reading.is_light(at)]
    if len(content) <= SHORT_REST and not reading.is_prose:
        for at in content:
            yield from _if_a_name(reading, Suspect(at, at + 2, PEOPLE | TITLES))
            if len(content) == 1 and not settled.names:
                yield from _if_a_name(reading, Suspect(at, at + 1, PEOPLE))


def _people_at(reading: QueryReading, at: int) -> Iterable[Suspect]:
    unwanted = marker_before(reading, at) is not None and not reading.is_prose
    sure = unwanted or reading.form(at - 1) in tables.SURELY_BEFORE_A_PERSON
    many = reading.form(at).removesuffix("s") in tables.ROLE_WORDS  # "by priests"
    yield from _if_a_name(reading, Suspect(at, at + 2, PEOPLE))
    if unwanted:
        yield from _if_a_name(reading, Suspect(at, at + SPLIT_SURNAME, PEOPLE, joined=True))
    yield from _if_a_name(reading, Suspect(at, at + LONGEST_PERSON, PEOPLE))
    if sure and not many and len(reading.form(at)) >= LONG_SURNAME:
        yield from _if_a_name(reading, Suspect(at, at + 1, PEOPLE))


def _rests(reading: QueryReading, left: list[int]) -> Iterable[Suspect]:
    """All that is left, if it stands together, with and without its first light words."""
    first, last = left[0], left[-1] + 1
    if last - first > LONGEST_TITLE or last - first != len(left):
        return
    for start in range(first, last):
        yield from _if_a_name(reading, Suspect(start, last, ALL))
        if not reading.is_light(start):
            return


def _if_a_name(reading: QueryReading, suspect: Suspect) -> Iterable[Suspect]:
    """Free, and with a word that no table knows: "slow burn" is no misspelling, nor "sharks" behind "no"."""
    start, end = suspect.start, suspect.end
    if end > len(reading) or not reading.is_free(start, end):
        return
    written = [reading.form(at) for at in range(start, end)]
    small = len(written) == 1 and not reading.tokens[start].capital and is_ordinary(written[0])
    if small and marker_before(reading, start) is not None:
        return
    if any(form not in KNOWN and not form.isdecimal() and not IS_JAPANESE.match(form) for form in written):
        yield suspect


SHORTEST_CHARACTER = 4  # letters
WORDS = tables.ORDINARY_SURNAMES | tables.ROLE_WORDS | KNOWN


def find_small_characters(reading: QueryReading, names: Sequence[QueryName], settled: Settled) -> None:
    """In a short query without any other name; the films of such a character are lifted, none is left out."""
    if reading.is_prose or settled.likes or settled.unknown_likes or settled.names:
        return
    small = [
        name
        for name in names
        if name.end - name.start == 1 and name.of("character") and reading.is_free(name.start, name.end)
    ]
    together = _together(reading, small)
    for name in (*together, *(one for one in small if one not in together)):
        start, form = name.start, reading.form(name.start)
        alone = len(form) >= SHORTEST_CHARACTER and form not in WORDS and not is_ordinary(form)
        if not alone and name not in together:
            continue
        titled = alone and reading.form(start - 1) in tables.ROLE_WORDS  # "captain sparrow"
        start -= titled and reading.is_free(start - 1, start)
        settled.names.append(
            NameEvidence(reading, name, frozenset()).meant_as("character")._replace(start=start)
        )
        reading.claim(start, name.end, "name")


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
    return list(dict.fromkeys(found))


def _films(name: QueryName) -> set[int]:
    return {id for match in name.matches if match.category == "character" for id in match.film_ids}

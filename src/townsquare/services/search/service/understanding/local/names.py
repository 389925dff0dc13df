"""Names of the catalogue in a query: which runs of words are looked up, which of the answers are meant."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.service.understanding.local.cues.aliases import ALIASES, Alias
from townsquare.services.search.service.understanding.local.cues.words import (
    AFTER_A_PERSON,
    BEFORE_A_PERSON,
    LIST_WORDS,
    MANY_FILMS,
    ORDINARY_SURNAMES,
    ROLE_WORDS,
    STOP,
    SURELY_BEFORE_A_PERSON,
)
from townsquare.services.search.service.understanding.local.numbers import WORDS as NUMBERS
from townsquare.services.search.service.understanding.local.reading import QueryReading
from townsquare.services.search.service.understanding.local.tokens import IS_JAPANESE, without_possessive

OWNERS: tuple[EntityCategory, ...] = ("person", "studio")  # "Spielberg's films", "Pixar's"
LONGEST_NAME = 8  # words; the whole query is looked up besides
MOST_PHRASES = 300
MOST_OWNERS = 20  # of them asked for without "'s" besides
EXACT = 0.97  # likeness of a whole name: a title in a sentence must be all of it
LONG_SURNAME = 5  # letters, from which a word that is no other word is surely a name
DOMINANT = 3  # times the films of the next one: "hitchcock" is Alfred
WORDS_IN_PROSE = 3  # of a title among many other words: "a piano teacher" is none
STRONG_WORDS = 4  # an exact title of so many words is no accident: "Some Like It Hot"


class QueryName(NamedTuple):
    """A run of words that is a name, with all that it may be, the likeliest first."""

    start: int
    end: int
    matches: tuple[EntityMatch, ...]

    def of(self, *categories: EntityCategory) -> EntityMatch | None:
        return next((match for match in self.matches if match.category in categories), None)

    def overlaps(self, other: "QueryName") -> bool:
        return self.start < other.end and other.start < self.end


class Meant(NamedTuple):
    """What a name was taken for."""

    start: int
    end: int
    category: EntityCategory
    name: str  # as the catalogue finds it: a surname that many share stands for all of them
    doubtful: bool = False  # the words may mean just themselves: "scary movie"


async def look_up(index: LexicalIndex, reading: QueryReading) -> list[QueryName]:
    """All runs of words that are names, in one lookup."""
    asked: dict[str, list[tuple[int, int]]] = {}
    for start, end in _spans(reading):
        asked.setdefault(reading.text(start, end), []).append((start, end))
    aliases = ALIASES.find(reading.tokens)
    owners = [text for text in asked if without_possessive(text) != text][:MOST_OWNERS]
    answers = await index.entities_many(
        [*asked, *(alias.value.name for alias in aliases), *map(without_possessive, owners)]
    )
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
    return end - start > 1 or not _is_small_stop_word(reading, start)


def _is_small_stop_word(reading: QueryReading, at: int) -> bool:
    return reading.form(at) in STOP and not reading.tokens[at].capital


def is_strong_title(reading: QueryReading, name: QueryName, known: Callable[[int], bool]) -> bool:
    """It would hardly stand in a sentence by accident; `known` words say something by themselves."""
    title = name.of("movie_title")
    if title is None or title.likeness < EXACT:
        return False
    span = range(name.start, name.end)
    if len(span) >= STRONG_WORDS:
        return True
    if reading.is_prose and len(span) < WORDS_IN_PROSE:
        return False
    return reading.content(span) >= 2 and not all(known(at) or reading.is_light(at) for at in span)


def meant_names(
    reading: QueryReading,
    names: Sequence[QueryName],
    *,
    light: frozenset[int],
    known: Callable[[int], bool],
    taken: Iterable[QueryName] = (),
) -> list[Meant]:
    """Those names that are meant, none over another; `light` words leave a title the whole of the query."""
    chosen: list[Meant] = []
    used = {at for name in taken for at in range(name.start, name.end)}
    for name in sorted(names, key=lambda name: (-_weight(reading, name), name.start)):
        if used & set(range(name.start, name.end)):
            continue
        meant = _meaning(reading, name, light | used, known)
        if meant:
            chosen.append(meant)
            used |= set(range(name.start, name.end))
    return sorted(chosen, key=lambda meant: meant.start)


def _weight(reading: QueryReading, name: QueryName) -> float:
    return (name.end - name.start) + max(match.likeness for match in name.matches)


def _meaning(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> Meant | None:
    title = name.of("movie_title")
    series = name.of("franchise")
    if series and series.likeness >= EXACT and reading.form(name.end) in MANY_FILMS:
        return meant_as(reading, name, "franchise")
    if title and _title_is_meant(reading, name, light, known):
        if _is_rather_a_person(reading, name, title):
            return meant_as(reading, name, "person")
        return Meant(name.start, name.end, "movie_title", title.name, _is_doubtful(reading, name, known))
    for category, is_meant in OTHERS:
        if name.of(category) and is_meant(reading, name, light, known):
            return meant_as(reading, name, category)
    return None


def meant_as(reading: QueryReading, name: QueryName, category: EntityCategory) -> Meant:
    """One name, or what several share if none of them is much better known."""
    of_category = [match for match in name.matches if match.category == category]
    best = max(match.likeness for match in of_category)
    first, *others = [match for match in of_category if match.likeness >= best - 0.01]
    alone = all(len(first.film_ids) >= DOMINANT * len(other.film_ids) for other in others)
    alias = _alias_at(reading, name.start, name.end)
    shared = alias.name if alias else without_possessive(reading.text(name.start, name.end))
    return Meant(name.start, name.end, category, first.name if alone else shared)


def _is_rather_a_person(reading: QueryReading, name: QueryName, title: EntityMatch) -> bool:
    """ "films by Capote"; a title that is only begun ("Milk") yields to a whole name."""
    person = name.of("person")
    if person is None:
        return False
    return person.likeness > title.likeness or _has_person_cue(reading, name)


def _is_doubtful(reading: QueryReading, name: QueryName, known: Callable[[int], bool]) -> bool:
    if name.end - name.start >= STRONG_WORDS:
        return False
    words_only = all(known(at) or reading.is_light(at) for at in range(name.start, name.end))
    return words_only and not reading.is_quoted(name.start, name.end) and not _is_titled(reading, name)


def _is_titled(reading: QueryReading, name: QueryName) -> bool:
    """Capitals in more than the first word: "Scary Movie"."""
    span = range(name.start, name.end)
    if len(span) == 1:
        return reading.is_capitalised(name.start, name.end) or _is_small_title(reading, name)
    return all(reading.tokens[at].capital or reading.form(at) in STOP for at in span)


def _is_small_title(reading: QueryReading, name: QueryName) -> bool:
    """ "It", "Her", "Us": the capital tells them from the word."""
    return reading.form(name.start) in STOP and reading.tokens[name.start].capital


def _title_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    if len(reading) == name.end - name.start or reading.is_quoted(name.start, name.end):
        return True
    small = name.end - name.start == 1 and _is_small_stop_word(reading, name.start)
    if small:
        return False
    if is_strong_title(reading, name, known) or _is_whole(reading, name, light):
        return True
    title = name.of("movie_title")
    exact = title is not None and title.likeness >= EXACT
    return (
        exact
        and reading.is_capitalised(name.start, name.end)
        and not all(known(at) for at in range(name.start, name.end))
    )


def _is_whole(reading: QueryReading, name: QueryName, light: frozenset[int] | set[int]) -> bool:
    """Nothing else in the query says anything."""
    return all(
        name.start <= at < name.end or at in light or reading.is_light(at) for at in range(len(reading))
    )


def _has_person_cue(reading: QueryReading, name: QueryName) -> bool:
    before = any(
        (cue := BEFORE_A_PERSON.at(reading.tokens, at)) and cue.end == name.start
        for at in range(max(0, name.start - 4), name.start)
    )
    return before or reading.form(name.end) in AFTER_A_PERSON


def _person_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    span, person = range(name.start, name.end), name.of("person")
    if _alias_at(reading, name.start, name.end):
        return True
    if (len(span) > 1 and person and person.likeness >= EXACT) or reading.content(span) > 1:
        return not all(reading.is_light(at) or known(at) for at in span)
    form = reading.form(name.end - 1)
    if reading.is_light(name.end - 1) or known(name.end - 1):
        return False
    if reading.is_capitalised(name.start, name.end):
        return True
    if form in ORDINARY_SURNAMES and not reading.tokens[name.end - 1].capital:
        return False
    if reading.is_prose and reading.form(name.start - 1) not in SURELY_BEFORE_A_PERSON:
        return False
    long = len(form) >= LONG_SURNAME and reading.form(name.end) not in ORDINARY_SURNAMES  # "nicholas cage"
    return _has_person_cue(reading, name) or _is_whole(reading, name, light) or long


def _brand_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    """A studio or a series: "pixar", "marvel movies"; "an alien" is none."""
    if _alias_at(reading, name.start, name.end):
        return True
    span = range(name.start, name.end)
    match = name.of("studio", "franchise")
    if match is None or all(reading.is_light(at) or known(at) for at in span):
        return False
    if reading.is_capitalised(name.start, name.end):
        return True
    if match.likeness < EXACT or reading.form(name.start) in NUMBERS:
        return False
    if reading.form(name.end) in MANY_FILMS or _is_whole(reading, name, light):
        return True
    return reading.content(span) >= 2 and not reading.is_prose


def _alias_at(reading: QueryReading, start: int, end: int) -> Alias | None:
    found = ALIASES.at(reading.tokens, start)
    return found.value if found and found.end == end else None


def _character_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    """ "Hannibal Lecter" or "Gandalf"; "the priest" is anybody."""
    span = range(name.start, name.end)
    if all(reading.is_light(at) or known(at) for at in span):
        return False
    ordinary = any(reading.form(at) in ROLE_WORDS or reading.form(at) in ORDINARY_SURNAMES for at in span)
    if reading.content(span) >= 2 and (not ordinary or reading.is_capitalised(name.start, name.end)):
        return True
    if reading.form(name.start) in ("the", "a", "an") or reading.content(span) == 0:
        return False
    return reading.is_capitalised(name.start, name.end) or len(span) == len(reading)


OTHERS: tuple[
    tuple[
        EntityCategory,
        Callable[[QueryReading, QueryName, frozenset[int] | set[int], Callable[[int], bool]], bool],
    ],
    ...,
] = (
    ("person", _person_is_meant),
    ("franchise", _brand_is_meant),
    ("studio", _brand_is_meant),
    ("character", _character_is_meant),
)

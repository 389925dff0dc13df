"""Names of the catalogue in a query: which runs of words are looked up, and which of the answers are meant."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.service.understanding.local.cues.aliases import ALIASES
from townsquare.services.search.service.understanding.local.cues.words import (
    AFTER_A_PERSON,
    BEFORE_A_PERSON,
    FILM,
    MANY_FILMS,
    ORDINARY_SURNAMES,
    ROLE_WORDS,
    STOP,
)
from townsquare.services.search.service.understanding.local.reading import Reading

LONGEST_NAME = 8  # words; the whole query is looked up besides
MOST_PHRASES = 300
SAME = 0.89  # likeness of a name that is spelled right: 0.9 and more
STRONG_WORDS = 4  # an exact title of so many words is no accident: "Some Like It Hot"
MOST_OF_A_SURNAME = 3  # people who are meant by one surname
ROMAN = {"2": "II", "3": "III", "4": "IV", "5": "V", "6": "VI", "7": "VII", "8": "VIII", "9": "IX"}


class Name(NamedTuple):
    """A run of words that is a name, with all that it may be, the likeliest first."""

    start: int
    end: int
    matches: tuple[EntityMatch, ...]

    def of(self, *categories: EntityCategory) -> EntityMatch | None:
        return next((match for match in self.matches if match.category in categories), None)

    def overlaps(self, other: "Name") -> bool:
        return self.start < other.end and other.start < self.end


class Meant(NamedTuple):
    """What a name was taken for; several matches are alternatives."""

    start: int
    end: int
    matches: tuple[EntityMatch, ...]
    doubtful: bool = False  # the words may mean just themselves: "scary movie"


async def look_up(index: LexicalIndex, reading: Reading) -> list[Name]:
    """All runs of words that are names, in one lookup."""
    asked: dict[str, list[tuple[int, int]]] = {}
    for start, end in _spans(reading):
        text = reading.text(start, end)
        asked.setdefault(text, []).append((start, end))
        last = reading.form(end - 1)
        if end - start > 1 and last in ROMAN:
            asked.setdefault(text[: -len(last)] + ROMAN[last], []).append((start, end))
    for alias in ALIASES.find(reading.tokens):
        for text in alias.value:
            asked.setdefault(text, []).append((alias.start, alias.end))
    answers = await index.entities_many(list(asked))
    found: dict[tuple[int, int], list[EntityMatch]] = {}
    for spans, matches in zip(asked.values(), answers, strict=True):
        same = [match for match in matches if match.likeness >= SAME]
        for span in spans:
            found.setdefault(span, []).extend(same)
    return [Name(*span, tuple(matches)) for span, matches in found.items() if matches]


def _spans(reading: Reading) -> Iterable[tuple[int, int]]:
    count = len(reading)
    longest = max(1, min(LONGEST_NAME, MOST_PHRASES // max(count, 1)))
    for start in range(count):
        for end in range(start + 1, min(start + longest, count) + 1):
            if end - start > 1 or not _is_small_stop_word(reading, start) or count == 1:
                yield start, end
    if count > longest:
        yield 0, count


def _is_small_stop_word(reading: Reading, at: int) -> bool:
    return reading.form(at) in STOP and not reading.tokens[at].capital


def is_strong_title(reading: Reading, name: Name, known: Callable[[int], bool]) -> bool:
    """It would hardly stand in a sentence by accident; `known` words say something by themselves."""
    title = name.of("movie_title")
    if title is None:
        return False
    span = range(name.start, name.end)
    if len(span) >= STRONG_WORDS:
        return True
    return reading.content(span) >= 2 and not all(known(at) or reading.is_light(at) for at in span)


def meant_names(
    reading: Reading,
    names: Sequence[Name],
    *,
    light: frozenset[int],
    known: Callable[[int], bool],
    taken: Iterable[Name] = (),
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


def _weight(reading: Reading, name: Name) -> float:
    return (name.end - name.start) + max(match.likeness for match in name.matches)


def _meaning(reading: Reading, name: Name, light: frozenset[int] | set[int], known: Callable[[int], bool]) -> Meant | None:
    title = name.of("movie_title")
    if title and _title_is_meant(reading, name, light, known):
        return _title_and_others(reading, name, title, known)
    for category, is_meant in (
        ("person", _person_is_meant),
        ("franchise", _brand_is_meant),
        ("studio", _brand_is_meant),
        ("character", _character_is_meant),
    ):
        matches = tuple(match for match in name.matches if match.category == category)
        if matches and is_meant(reading, name, light):
            return Meant(name.start, name.end, _alternatives(matches))
    return None


def _alternatives(matches: tuple[EntityMatch, ...]) -> tuple[EntityMatch, ...]:
    """The same name once; people who share a surname, all of them."""
    best = max(match.likeness for match in matches)
    names = {match.name: match for match in reversed(matches) if match.likeness >= best - 0.01}
    return tuple(reversed(names.values()))[:MOST_OF_A_SURNAME]


def _title_and_others(reading: Reading, name: Name, title: EntityMatch, known: Callable[[int], bool]) -> Meant:
    whole = _is_whole(reading, name, frozenset())
    person = name.of("person")
    series = name.of("franchise")
    if series and reading.form(name.end) in MANY_FILMS:
        return Meant(name.start, name.end, (series,))
    if person and person.likeness >= title.likeness and _has_person_cue(reading, name):
        return Meant(name.start, name.end, _alternatives(tuple(m for m in name.matches if m.category == "person")))
    others = (person,) if person and whole else ()
    words_only = all(known(at) or reading.is_light(at) for at in range(name.start, name.end))
    doubtful = words_only and not reading.is_quoted(name.start, name.end) and not _is_titled(reading, name)
    return Meant(name.start, name.end, (title, *others), doubtful)


def _is_titled(reading: Reading, name: Name) -> bool:
    """Capitals in more than the first word: "Scary Movie"."""
    span = range(name.start, name.end)
    if len(span) == 1:
        return reading.is_capitalised(name.start, name.end) or _is_small_title(reading, name)
    return all(reading.tokens[at].capital or reading.form(at) in STOP for at in span)


def _is_small_title(reading: Reading, name: Name) -> bool:
    """ "It", "Her", "Us": the capital tells them from the word."""
    return reading.form(name.start) in STOP and reading.tokens[name.start].capital


def _title_is_meant(
    reading: Reading, name: Name, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    if len(reading) == name.end - name.start or reading.is_quoted(name.start, name.end):
        return True
    small = name.end - name.start == 1 and _is_small_stop_word(reading, name.start)
    if small:
        return False
    if is_strong_title(reading, name, known) or _is_whole(reading, name, light):
        return True
    return reading.is_capitalised(name.start, name.end) and not all(
        known(at) for at in range(name.start, name.end)
    )


def _is_whole(reading: Reading, name: Name, light: frozenset[int] | set[int]) -> bool:
    """Nothing else in the query says anything."""
    return all(
        name.start <= at < name.end or at in light or reading.is_light(at) for at in range(len(reading))
    )


def _has_person_cue(reading: Reading, name: Name) -> bool:
    before = any(
        (cue := BEFORE_A_PERSON.at(reading.tokens, at)) and cue.end == name.start
        for at in range(max(0, name.start - 4), name.start)
    )
    return before or reading.form(name.end) in AFTER_A_PERSON


def _person_is_meant(reading: Reading, name: Name, light: frozenset[int] | set[int]) -> bool:
    full = name.end - name.start > 1
    if full and not all(reading.is_light(at) for at in range(name.start, name.end)):
        return True
    form = reading.form(name.start)
    if form in STOP or form in FILM:
        return False
    if reading.is_capitalised(name.start, name.end):
        return True
    ordinary = form in ORDINARY_SURNAMES and not reading.tokens[name.start].capital
    if ordinary:
        return False
    return _has_person_cue(reading, name) or _is_whole(reading, name, light) or len(form) >= 5


def _brand_is_meant(reading: Reading, name: Name, light: frozenset[int] | set[int]) -> bool:
    """A studio or a series: "pixar", "marvel movies"; "an alien" is none."""
    if any(alias.start == name.start and alias.end == name.end for alias in ALIASES.find(reading.tokens)):
        return True
    if reading.content(range(name.start, name.end)) >= 2 or _is_whole(reading, name, light):
        return True
    if reading.form(name.start) in STOP:
        return False
    return reading.is_capitalised(name.start, name.end) or reading.form(name.end) in MANY_FILMS


def _character_is_meant(reading: Reading, name: Name, light: frozenset[int] | set[int]) -> bool:
    """ "Hannibal Lecter" or "Gandalf"; "the priest" is anybody."""
    span = range(name.start, name.end)
    ordinary = any(reading.form(at) in ROLE_WORDS or reading.form(at) in ORDINARY_SURNAMES for at in span)
    if reading.content(span) >= 2 and (not ordinary or reading.is_capitalised(name.start, name.end)):
        return True
    if reading.form(name.start) in ("the", "a", "an") or reading.content(span) == 0:
        return False
    return reading.is_capitalised(name.start, name.end) or _is_whole(reading, name, light)

"""Names of the catalogue in a query: which of those that were found are meant."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.lookup import (
    QueryName,
    is_small_stop_word,
    single,
)
from townsquare.services.search.understanding.local.ranges import NUMBERS
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.spelling import is_common, is_ordinary
from townsquare.services.search.understanding.local.tables import Alias
from townsquare.services.search.understanding.local.tokens import (
    forms,
)
from townsquare.services.search.understanding.local.vocabulary import KNOWN

EXACT = 0.97  # likeness of a whole name: a title in a sentence must be all of it
TWO_WORDS = 0.94  # of a character: the whole name, or its first and its last word
LONG_SURNAME = 5  # letters, from which a word that is no other word is surely a name
FILMS_OF_A_SURNAME = 2  # at least, of who is named by it in a list of people
DOMINANT = 3  # times the films of the next one: "hitchcock" is Alfred
WORDS_IN_PROSE = 3  # of a title among many other words: "a piano teacher" is none
BRANDS: tuple[EntityCategory, ...] = ("franchise", "studio")
STRONG_WORDS = 4  # an exact title of so many words is no accident: "Some Like It Hot"


class Meant(NamedTuple):
    """What a name was taken for."""

    start: int
    end: int
    category: EntityCategory
    name: str  # as the catalogue finds it: a surname that many share stands for all of them
    doubtful: bool = False  # the words may mean just themselves: "scary movie"


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
    order = sorted(names, key=lambda name: (-_weight(reading, name), name.start))
    for name in (*order, *order):  # twice: a title may be all that is left ("coco" of "coco pixar")
        if used & set(range(name.start, name.end)):
            continue
        meant = _meaning(reading, name, light | used, known)
        if meant:
            chosen.append(meant)
            used |= set(range(name.start, name.end))
    for name in names:
        if not used & set(range(name.start, name.end)) and _is_beside_a_person(reading, name, chosen, known):
            chosen.append(meant_as(reading, name, "person"))
            used |= set(range(name.start, name.end))
    explained = light | used
    chosen = [
        one._replace(doubtful=one.category == "movie_title" and _is_doubtful(reading, one, known))
        if _stands_alone(reading, one, explained, known)
        else one
        for one in chosen
    ]
    # "in Paris": a word of a studio's name says nothing by itself
    chosen = [one for one in chosen if not (one.doubtful and one.category == "studio")]
    return sorted(chosen, key=lambda meant: meant.start)


def _is_beside_a_person(
    reading: QueryReading, name: QueryName, chosen: Sequence[Meant], known: Callable[[int], bool]
) -> bool:
    """ "hanks and spielberg": a surname that is also a word is a name in a list of people."""
    person = name.of("person")
    if person is None or len(person.film_ids) < FILMS_OF_A_SURNAME or reading.is_prose:
        return False
    if any(reading.is_light(at) or known(at) for at in range(name.start, name.end)):
        return False
    people = [one for one in chosen if one.category == "person"]
    return any(
        (one.start == name.end + 1 and reading.form(name.end) in tables.LIST_WORDS)
        or (one.end == name.start - 1 and reading.form(one.end) in tables.LIST_WORDS)
        for one in people
    )


def _weight(reading: QueryReading, name: QueryName) -> float:
    return (name.end - name.start) + max(match.likeness for match in name.matches)


def _meaning(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> Meant | None:
    title = name.of("movie_title")
    series = name.of("franchise")
    if series and series.likeness >= EXACT and reading.form(name.end) in tables.MANY_FILMS:
        return meant_as(reading, name, "franchise")
    if title and _title_is_meant(reading, name, light, known):
        if _is_rather_a_person(reading, name, title):
            return meant_as(reading, name, "person")
        doubtful = _is_doubtful(reading, name, known) or not (
            _stands_alone(reading, name, light, known)
            or _is_whole(reading, name, light)
            or _is_written_as_title(reading, name)
        )
        return Meant(name.start, name.end, "movie_title", title.name, doubtful)
    for category, is_meant in OTHERS:
        match = name.of(category)
        exact_brand = category in BRANDS and match is not None and match.likeness >= EXACT
        alias = _alias_at(reading, name.start, name.end)
        exact_brand = exact_brand and (alias is None or forms(alias.name) == (reading.form(name.start),))
        short_form = alias is not None and not exact_brand and reading.tokens[name.start].text.islower()
        small = short_form or (not exact_brand and _is_small_word(reading, name))
        if small and not _stands_alone(reading, name, light, known):
            continue
        if match and is_meant(reading, name, light, known):
            meant = meant_as(reading, name, category)
            stated = _is_stated(reading, name, category, light, known)
            return meant._replace(doubtful=not stated)
    return None


def _is_stated(
    reading: QueryReading,
    name: QueryName,
    category: EntityCategory,
    light: frozenset[int] | set[int],
    known: Callable[[int], bool],
) -> bool:
    """Whether every film must have the name: it is quoted, introduced ("by"), whole, or all that is said."""
    span = range(name.start, name.end)
    if _stands_alone(reading, name, light, known) or reading.is_quoted(name.start, name.end):
        return True
    match = name.of(category)
    whole = match is not None and match.likeness >= TWO_WORDS and reading.content(span) > 1
    if reading.is_prose:
        return whole and reading.is_capitalised(name.start, name.end)
    if category == "person" and _is_rare_surname(reading, name):
        return True
    return whole


def _stands_alone(
    reading: QueryReading,
    name: QueryName | Meant,
    light: frozenset[int] | set[int],
    known: Callable[[int], bool],
) -> bool:
    """Nothing else is said but limits, or the word is introduced as a name."""
    others = (at for at in range(len(reading)) if not name.start <= at < name.end)
    alone = all(at in light or reading.is_light(at) or known(at) for at in others)
    return alone or _has_person_cue(reading, name) or reading.form(name.end) in tables.MANY_FILMS


def _is_rare_surname(reading: QueryReading, name: QueryName) -> bool:
    """ "kurosawa samurai": one long word that means nothing else."""
    content = [reading.form(at) for at in range(name.start, name.end) if not reading.is_light(at)]
    if len(content) != 1 or len(content[0]) < LONG_SURNAME:
        return False
    return (
        not is_common(content[0]) and content[0] not in KNOWN and content[0] not in tables.ORDINARY_SURNAMES
    )


def _is_small_word(reading: QueryReading, name: QueryName) -> bool:
    """ "a man's", "people's": one word that everybody uses, without a capital."""
    content = [at for at in range(name.start, name.end) if not reading.is_light(at)]
    if len(content) != 1 or reading.tokens[content[0]].capital:
        return False
    form = reading.form(content[0])
    return is_common(form) or form in tables.ORDINARY_SURNAMES


def meant_as(reading: QueryReading, name: QueryName, category: EntityCategory) -> Meant:
    """One name, or what several share if none of them is much better known."""
    of_category = [match for match in name.matches if match.category == category]
    best = max(match.likeness for match in of_category)
    first, *others = [match for match in of_category if match.likeness >= best - 0.01]
    alone = all(  # who made nothing without the first one is no other choice: Jonathan Nolan
        len(first.film_ids) >= DOMINANT * len({*other.film_ids} - {*first.film_ids}) for other in others
    )
    alias = _alias_at(reading, name.start, name.end)
    text = reading.text(name.start, name.end)
    shared = alias.name if alias else single(reading, text, name.start, name.end)
    return Meant(name.start, name.end, category, first.name if alone else shared)


def _is_rather_a_person(reading: QueryReading, name: QueryName, title: EntityMatch) -> bool:
    """ "films by Capote"; a title that is only begun ("Milk") yields to a whole name."""
    person = name.of("person")
    if person is None:
        return False
    return person.likeness > title.likeness or _has_person_cue(reading, name)


def _is_written_as_title(reading: QueryReading, name: QueryName) -> bool:
    """In quotation marks, with capitals, or so long that it is no accident."""
    long = name.end - name.start >= STRONG_WORDS
    return long or reading.is_quoted(name.start, name.end) or _is_titled(reading, name)


def _is_doubtful(reading: QueryReading, name: QueryName | Meant, known: Callable[[int], bool]) -> bool:
    if name.end - name.start >= STRONG_WORDS:
        return False
    words_only = all(known(at) or reading.is_light(at) for at in range(name.start, name.end))
    return words_only and not reading.is_quoted(name.start, name.end) and not _is_titled(reading, name)


def _is_titled(reading: QueryReading, name: QueryName | Meant) -> bool:
    """Capitals in more than the first word: "Scary Movie"."""
    span = range(name.start, name.end)
    if len(span) == 1:
        return reading.is_capitalised(name.start, name.end) or _is_small_title(reading, name)
    return all(reading.tokens[at].capital or reading.form(at) in tables.STOP for at in span)


def _is_small_title(reading: QueryReading, name: QueryName | Meant) -> bool:
    """ "It", "Her", "Us": the capital tells them from the word."""
    return reading.form(name.start) in tables.STOP and reading.tokens[name.start].capital


def _title_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    if len(reading) == name.end - name.start or reading.is_quoted(name.start, name.end):
        return True
    small = name.end - name.start == 1 and is_small_stop_word(reading, name.start)
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
        name.start <= at < name.end
        or at in light
        or reading.is_light(at)
        or (reading.form(at) in tables.BESIDE_A_TITLE and name.of("movie_title", "franchise"))
        for at in range(len(reading))
    )


def _has_person_cue(reading: QueryReading, name: QueryName | Meant) -> bool:
    before = any(
        (cue := tables.BEFORE_A_PERSON.at(reading.tokens, at)) and cue.end == name.start
        for at in range(max(0, name.start - 4), name.start)
    )
    return before or reading.form(name.end) in tables.AFTER_A_PERSON


def _person_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    span, person = range(name.start, name.end), name.of("person")
    if _alias_at(reading, name.start, name.end):
        return True
    if person and _goes_on_otherwise(reading, name, person):
        return False
    if (len(span) > 1 and person and person.likeness >= EXACT) or reading.content(span) > 1:
        return not all(reading.is_light(at) or known(at) for at in span)
    form = reading.form(name.end - 1)
    if reading.is_light(name.end - 1) or known(name.end - 1):
        return False
    if reading.is_capitalised(name.start, name.end):
        return True
    if form in tables.ORDINARY_SURNAMES and not reading.tokens[name.end - 1].capital:
        return False
    if reading.is_prose and reading.form(name.start - 1) not in tables.SURELY_BEFORE_A_PERSON:
        return reading.form(name.start - 1) in tables.BEFORE_A_MISSPELT_PERSON and not is_ordinary(form)
    return _has_person_cue(reading, name) or _is_whole(reading, name, light) or len(form) >= LONG_SURNAME


def _goes_on_otherwise(reading: QueryReading, name: QueryName, person: EntityMatch) -> bool:
    """ "wong kar wei": the rest of the name is misspelt, so that all of it must be looked up once more."""
    rest = forms(person.name)[name.end - name.start :]
    written = reading.form(name.end)
    return bool(rest and written) and written != rest[0] and written[0] == rest[0][0] and written not in KNOWN


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
    if match.likeness < EXACT or NUMBERS.at(reading.tokens, name.start):
        return False
    if reading.form(name.end) in tables.MANY_FILMS or _is_whole(reading, name, light):
        return True
    return reading.content(span) >= 2 and not reading.is_prose


def _alias_at(reading: QueryReading, start: int, end: int) -> Alias | None:
    found = tables.ALIASES.at(reading.tokens, start)
    return found.value if found and found.end == end else None


def _character_is_meant(
    reading: QueryReading, name: QueryName, light: frozenset[int] | set[int], known: Callable[[int], bool]
) -> bool:
    """ "Hannibal Lecter" or "Gandalf"; "the priest" is anybody."""
    span = range(name.start, name.end)
    if all(reading.is_light(at) or known(at) for at in span):
        return False
    ordinary = [
        reading.form(at) in tables.ROLE_WORDS or reading.form(at) in tables.ORDINARY_SURNAMES
        for at in span
        if not reading.is_light(at)
    ]
    character = name.of("character")
    whole = character is not None and character.likeness >= TWO_WORDS  # "han solo", "captain sparrow"
    if reading.content(span) >= 2 and (
        not (all(ordinary) if whole else any(ordinary)) or reading.is_capitalised(name.start, name.end)
    ):
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

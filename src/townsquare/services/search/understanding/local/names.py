"""Names of the catalogue in a query: all are looked up at once, then each is weighed by its evidence."""

from collections.abc import Collection, Iterable, Sequence, Set
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.phrases import covered
from townsquare.services.search.understanding.local.ranges import NUMBERS
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.spelling import is_common, is_ordinary
from townsquare.services.search.understanding.local.tables import KNOWN
from townsquare.services.search.understanding.local.tokens import IS_JAPANESE, forms, without_possessive

OWNERS: tuple[EntityCategory, ...] = ("person", "studio")  # "Spielberg's films", "Pixar's"
LONGEST_NAME = 8  # words; the whole query is looked up besides
MOST_PHRASES = 300
MOST_OWNERS = 20  # of them asked for without "'s" besides
SURNAME_FIRST = 2  # words of a query that may be a name the other way round: "keaton buster"
SHORTEST_PLURAL = 5  # letters: "the coens"

EXACT = 0.97  # likeness of a whole name: a title in a sentence must be all of it
TWO_WORDS = 0.94  # of a character: the whole name, or its first and its last word
LONG_SURNAME = 5  # letters, from which a word that is no other word is surely a name
FILMS_OF_A_SURNAME = 2  # at least, of who is named by it in a list of people
DOMINANT = 3  # times the films of the next one: "hitchcock" is Alfred
WORDS_IN_PROSE = 3  # of a title among many other words: "a piano teacher" is none
STRONG_WORDS = 4  # an exact title of so many words is no accident: "Some Like It Hot"
ANYBODY = tables.ROLE_WORDS | tables.ORDINARY_SURNAMES
BRANDS: tuple[EntityCategory, ...] = ("franchise", "studio")
CATEGORIES: tuple[EntityCategory, ...] = ("person", *BRANDS, "character")  # other than titles


class QueryName(NamedTuple):
    """A run of words that is a name, with all that it may be, the likeliest first."""

    start: int
    end: int
    matches: tuple[EntityMatch, ...]

    def of(self, *categories: EntityCategory) -> EntityMatch | None:
        return next((match for match in self.matches if match.category in categories), None)

    def is_exact(self, *categories: EntityCategory) -> bool:
        match = self.of(*categories)
        return match is not None and match.likeness >= EXACT


class Meant(NamedTuple):
    """What a name was taken for."""

    start: int
    end: int
    category: EntityCategory
    name: str  # as the catalogue finds it: a surname that many share stands for all of them
    doubtful: bool = False  # the words may mean just themselves: "scary movie"
    unwanted: bool = False


async def look_up(index: LexicalIndex, reading: QueryReading) -> list[QueryName]:
    """All runs of words that are names, in one lookup."""
    asked: dict[str, list[tuple[int, int]]] = {}
    for start, end in _spans(reading):
        asked.setdefault(reading.text(start, end), []).append((start, end))
    aliases = tables.ALIASES.find(reading.tokens)
    without_endings = ((text, single(reading, text, *spans[0])) for text, spans in asked.items())
    owners = dict(islice(((text, name) for text, name in without_endings if name != text), MOST_OWNERS))
    if len(reading) == SURNAME_FIRST:
        owners.setdefault(reading.text(0, 2), f"{reading.text(1, 2)} {reading.text(0, 1)}")
    answers = iter(
        await index.entities_many([*asked, *(alias.value.name for alias in aliases), *owners.values()])
    )
    found = {
        span: tuple(matches) for spans in asked.values() for matches in [next(answers)] for span in spans
    }
    for alias in aliases:
        if same := tuple(match for match in next(answers) if match.category == alias.value.category):
            found[alias.start, alias.end] = same
    for text, matches in zip(owners, answers, strict=True):
        makers = tuple(match for match in matches if match.category in OWNERS)
        found.update((span, makers) for span in asked[text] if not found[span])
    return [QueryName(*span, matches) for span, matches in found.items() if matches]


def single(reading: QueryReading, text: str, start: int, end: int) -> str:
    """ "Spielberg's" and "the coens" without their endings."""
    if reading.form(start - 1) == "the" and end - start == 1 and len(text) >= SHORTEST_PLURAL:
        return without_possessive(text).removesuffix("s")
    return without_possessive(text)


def _spans(reading: QueryReading) -> Iterable[tuple[int, int]]:
    count = len(reading)
    longest = max(1, min(LONGEST_NAME, MOST_PHRASES // max(count, 1)))
    for start in range(count):
        for end in range(start + 1, min(start + longest, count) + 1):
            if end - start == count or _may_be_looked_up(reading, start, end):
                yield start, end
    if count > longest:
        yield 0, count


def _may_be_looked_up(reading: QueryReading, start: int, end: int) -> bool:
    first, last = reading.form(start), reading.form(end - 1)
    if last in tables.LIST_WORDS or (first in tables.LIST_WORDS and not IS_JAPANESE.match(first)):
        return False  # "Alien and", but "となりのトトロ"
    return end - start > 1 or not is_small_stop_word(reading, start)


def is_small_stop_word(reading: QueryReading, at: int) -> bool:
    return reading.form(at) in tables.STOP and not reading.tokens[at].capital


class NameEvidence:
    """The evidence for a name and its senses. The words at `light` are ignored."""

    def __init__(self, reading: QueryReading, name: QueryName, light: Set[int] = frozenset()) -> None:
        self.reading, self.name, self.light = reading, name, light
        self.start, self.end = name.start, name.end
        self.span = range(name.start, name.end)
        self.content = reading.content(self.span)
        self.has_own_meaning = reading.known.issuperset(self.content)
        self.quoted = reading.is_quoted(name.start, name.end)
        self.capitals = reading.is_capitalised(name.start, name.end)
        found = tables.ALIASES.at(reading.tokens, name.start)
        self.alias = found.value.name if found and found.end == name.end else None
        self.before, self.after = reading.form(name.start - 1), reading.form(name.end)

    def _nothing_else(self, *more: Collection[int]) -> bool:
        others = (at for at in range(len(self.reading)) if at not in self.span and at not in self.light)
        return all(self.reading.is_light(at) or any(at in some for some in more) for at in others)

    @cached_property
    def is_whole(self) -> bool:
        """Nothing else in the query says anything."""
        work = self.name.of("movie_title", "franchise")
        beside = [at for at in range(len(self.reading)) if self.reading.form(at) in tables.BESIDE_A_TITLE]
        return self._nothing_else(beside if work else ())

    @cached_property
    def is_introduced(self) -> bool:
        """As a person: "by", "starring"; "brothers" behind it."""
        before = tables.BEFORE_A_PERSON.ending(self.reading.tokens, self.start)
        return before is not None or self.after in tables.AFTER_A_PERSON

    @cached_property
    def stands_alone(self) -> bool:
        """Nothing else is said but limits, or the word is introduced as a name."""
        return self.is_introduced or self._nothing_else(self.reading.known)

    @property
    def is_titled(self) -> bool:
        """Written as a title: long, quoted, or with capitals in more than the first word; "It", "Her"."""
        tokens = self.reading.tokens
        if len(self.span) >= STRONG_WORDS or self.quoted or (len(self.span) == 1 and self.capitals):
            return True
        small = [at for at in self.span if tokens[at].form in tables.STOP]
        if len(self.span) == 1:
            return bool(small) and tokens[self.start].capital
        return all(tokens[at].capital or at in small for at in self.span)

    @property
    def is_strong_title(self) -> bool:
        """It would hardly stand in a sentence by accident."""
        words = len(self.span)
        if not self.name.is_exact("movie_title") or words >= STRONG_WORDS:
            return self.name.is_exact("movie_title")
        if self.reading.is_prose and words < WORDS_IN_PROSE:
            return False
        return len(self.content) > 1 and not self.has_own_meaning

    def meaning(self) -> Meant | None:
        name = self.name
        if name.is_exact("franchise") and self.after in tables.MANY_FILMS:
            return self.meant_as("franchise")
        title = name.of("movie_title")
        if title and self._is_title() and not (self.is_introduced and name.of("person")):
            sure = self.is_titled or (not self.has_own_meaning and (self.stands_alone or self.is_whole))
            return Meant(name.start, name.end, "movie_title", title.name, doubtful=not sure)
        for category in CATEGORIES:
            match = name.of(category)
            if match and self._is_meant(match) and (self.stands_alone or not self._is_a_word(category)):
                return self.meant_as(category)._replace(doubtful=not self._is_stated(match))
        return None

    def meant_as(self, category: EntityCategory) -> Meant:
        """One name, or what several share if none of them is much better known."""
        of_category = [match for match in self.name.matches if match.category == category]
        best = max(match.likeness for match in of_category)
        first, *others = [match for match in of_category if match.likeness >= best - 0.01]
        alone = all(  # who made nothing without the first one is no other choice: Jonathan Nolan
            len(first.film_ids) >= DOMINANT * len({*other.film_ids} - {*first.film_ids}) for other in others
        )
        text = self.reading.text(self.start, self.end)
        shared = self.alias or single(self.reading, text, self.start, self.end)
        return Meant(self.start, self.end, category, first.name if alone else shared)

    def _is_title(self) -> bool:
        if self.quoted or len(self.reading) == len(self.span):
            return True
        if len(self.span) == 1 and is_small_stop_word(self.reading, self.start):
            return False
        exact = self.capitals and self.name.is_exact("movie_title")
        return self.is_strong_title or self.is_whole or exact

    def _is_a_word(self, category: EntityCategory) -> bool:
        """One that everybody uses, without a capital ("a man's", "people's"), or a short form ("leo")."""
        first = self.reading.tokens[self.start]
        brand = category in BRANDS and self.name.is_exact(category)
        if brand and (self.alias is None or forms(self.alias) == (first.form,)):
            return False
        if self.alias is not None and first.text.islower():
            return True
        if len(self.content) != 1 or self.reading.tokens[self.content[0]].capital:
            return False
        form = self.reading.form(self.content[0])
        return is_common(form) or form in tables.ORDINARY_SURNAMES

    def _is_meant(self, match: EntityMatch) -> bool:
        if match.category != "character" and self.alias is not None:
            return True
        if match.category == "person":
            return self._is_person(match)
        if self.has_own_meaning:
            return False
        return self._is_character(match) if match.category == "character" else self._is_brand()

    def _is_person(self, person: EntityMatch) -> bool:
        reading, last = self.reading, self.end - 1
        rest, follows = forms(person.name)[len(self.span) :], self.after
        if rest and follows and follows != rest[0] and follows[0] == rest[0][0] and follows not in KNOWN:
            return False  # "wong kar wei": the rest of the name is misspelt, all of it is looked up once more
        if len(self.content) > 1 or (len(self.span) > 1 and person.likeness >= EXACT):
            return not self.has_own_meaning
        form = reading.form(last)
        if reading.is_light(last) or last in reading.known:
            return False
        if self.capitals:
            return True
        if form in tables.ORDINARY_SURNAMES and not reading.tokens[last].capital:
            return False
        if reading.is_prose and self.before not in tables.SURELY_BEFORE_A_PERSON:
            return self.before in tables.BEFORE_A_MISSPELT_PERSON and not is_ordinary(form)
        return self.is_introduced or self.is_whole or len(form) >= LONG_SURNAME

    def _is_brand(self) -> bool:
        """A studio or a series: "pixar", "marvel movies"; "an alien" is none."""
        if self.capitals:
            return True
        if not self.name.is_exact(*BRANDS) or NUMBERS.at(self.reading.tokens, self.start):
            return False
        return self.after in tables.MANY_FILMS or self.is_whole or len(self.content) > 1

    def _is_character(self, character: EntityMatch) -> bool:
        """ "Hannibal Lecter" or "Gandalf"; "the priest" is anybody."""
        ordinary = [self.reading.form(at) in ANYBODY for at in self.content]
        whole = character.likeness >= TWO_WORDS  # "han solo", "captain sparrow"
        if len(self.content) > 1 and (self.capitals or not (all(ordinary) if whole else any(ordinary))):
            return True
        if self.reading.form(self.start) in ("the", "a", "an") or not self.content:
            return False
        return self.capitals or len(self.span) == len(self.reading)

    def _is_stated(self, match: EntityMatch) -> bool:
        """Every film must have the name: it is quoted, introduced ("by"), whole, or all that is said."""
        if self.stands_alone or self.quoted:
            return True
        whole = match.likeness >= TWO_WORDS and len(self.content) > 1
        if self.reading.is_prose:
            return whole and self.capitals
        return whole or (match.category == "person" and self._is_rare_surname())

    def _is_rare_surname(self) -> bool:
        """ "kurosawa samurai": one long word that means nothing else."""
        (word, *more) = (self.reading.form(at) for at in self.content)
        return not more and len(word) >= LONG_SURNAME and word not in KNOWN and not is_common(word)


def meant_names(reading: QueryReading, names: Sequence[QueryName], light: Set[int]) -> list[Meant]:
    """Those names that are meant, none over another; `light` words leave a title the whole of the query."""
    chosen: list[tuple[QueryName, Meant]] = []
    used: set[int] = set()
    order = sorted(
        names,
        key=lambda name: (-(name.end - name.start + max(one.likeness for one in name.matches)), name.start),
    )
    for name in (*order, *order):  # twice: a title may be all that is left ("coco" of "coco pixar")
        if used.isdisjoint(range(name.start, name.end)) and (
            meant := NameEvidence(reading, name, light | used).meaning()
        ):
            chosen.append((name, meant))
            used |= set(range(name.start, name.end))
    for name in names:
        if used.isdisjoint(range(name.start, name.end)) and _is_beside_a_person(reading, name, chosen):
            chosen.append((name, NameEvidence(reading, name, used).meant_as("person")))
            used |= set(range(name.start, name.end))
    found: list[Meant] = []
    for name, meant in chosen:
        evidence = NameEvidence(reading, name, light | used)
        if evidence.stands_alone:
            words_only = evidence.has_own_meaning and not evidence.is_titled
            meant = meant._replace(doubtful=meant.category == "movie_title" and words_only)
        if not (meant.doubtful and meant.category == "studio"):  # "in Paris": says nothing by itself
            found.append(meant)
    return sorted(found, key=lambda meant: meant.start)


def _is_beside_a_person(
    reading: QueryReading, name: QueryName, chosen: Sequence[tuple[QueryName, Meant]]
) -> bool:
    """ "hanks and spielberg": a surname that is also a word is a name in a list of people."""
    person = name.of("person")
    if person is None or len(person.film_ids) < FILMS_OF_A_SURNAME or reading.is_prose:
        return False
    if any(reading.is_light(at) or at in reading.known for at in range(name.start, name.end)):
        return False
    between = {name.end: name.end + 1, name.start - 1: name.start - 1}
    return any(
        reading.form(joint) in tables.LIST_WORDS and one.category == "person" and edge in (one.start, one.end)
        for joint, edge in between.items()
        for _, one in chosen
    )


def strong_titles(reading: QueryReading, names: Sequence[QueryName]) -> set[int]:
    """The words of titles that are meant whatever else is said."""
    return covered(name for name in names if NameEvidence(reading, name).is_strong_title)

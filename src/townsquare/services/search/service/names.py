"""QueryNames in a query: which films they mean, as the lexical index knows them."""

import asyncio
from collections.abc import Sequence
from difflib import SequenceMatcher

import msgspec

from townsquare.kit.text import folded
from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import (
    EntityCandidate,
    EntityCategory,
    QueryUnderstandingResponse,
)
from townsquare.services.search.parts import EntityMatch, FilmFilter, LexicalIndex
from townsquare.services.search.service.limits import StatedLimit
from townsquare.services.search.understanding.local.tables import ALIASES, TOKENISER

LEAST_LIKENESS = 0.7  # below it a name is another name, not a misspelling
AS_LIKELY = 0.01  # names that differ by less are meant alike: two films of one title
AS_UNWANTED = 0.87  # likeness: every film, series, person or studio with an unwanted name is left out
MATCHES = 5
MOST_UNWANTED = 30
ONLY_WROTE = 0.6  # "Spielberg films" are rather those that he directed
ONE_WORD_LIKENESS = 0.87  # "scorcese" and Scorsese have 0.875, "ripley" and Ridley 0.83


class NamedFilms(msgspec.Struct, frozen=True):
    """A person, character, studio or franchise that the query names."""

    name: str
    category: EntityCategory
    likeness: float
    film_ids: frozenset[int]

    def evidence(self, film: Film) -> float:
        """The likeness of the name, less for a person who only wrote the film."""
        if film.id not in self.film_ids:
            return 0.0
        wrote = self.category == "person" and self.name in film.writers
        seen = self.name in film.directors or any(role.actor == self.name for role in film.cast)
        return self.likeness * (ONLY_WROTE if wrote and not seen else 1.0)


class LikeFilm(msgspec.Struct, frozen=True):
    title: str
    film_id: int  # the best known of that title: its vectors are searched
    left_out: tuple[int, ...]


class QueryNames(msgspec.Struct, kw_only=True):
    titles: dict[int, float] = {}  # films that are named, with their likeness
    maybe_titles: dict[int, float] = {}  # the same where the words may mean just themselves
    entities: list[NamedFilms] = []
    limits: list[StatedLimit] = []
    excluded: set[int] = set()
    like: list[LikeFilm] = []
    unknown: list[str] = []  # names that are asked for and that nobody here has
    unknown_like: list[str] = []


async def look_up(lexical: LexicalIndex, understanding: QueryUnderstandingResponse) -> QueryNames:
    """All names of a query at once."""
    candidates = [one for one in understanding.lexical_entities.entity_candidates if is_meant(one)]
    wanted = [
        *(
            (
                one.corrected_and_normalized_entity,
                None if one.exclude_from_results else one.most_likely_category,
            )
            for one in candidates
        ),
        *((title, "movie_title") for title in understanding.similar_to),
    ]
    found = await asyncio.gather(*(likeliest(lexical, name, category) for name, category in wanted))
    names = QueryNames()
    for phrase in grouped(candidates, found):
        note_phrase(names, phrase)
    for title, matches in zip(understanding.similar_to, found[len(candidates) :], strict=True):
        ids = tuple(id for match in matches for id in match.film_ids)
        if ids:
            names.like.append(LikeFilm(matches[0].name, ids[0], ids))
        else:
            names.unknown_like.append(title)
    return names


def is_meant(candidate: EntityCandidate) -> bool:
    """Whether one word for a name is near enough to it: "scorcese" is, "ripley" for Ridley is not."""
    phrase = folded(candidate.candidate_entity_phrase)
    if candidate.most_likely_category == "movie_title" or len(phrase.split()) != 1 or not phrase.isascii():
        return True
    if is_alias(phrase, candidate.corrected_and_normalized_entity):
        return True
    words = folded(candidate.corrected_and_normalized_entity).split()
    return any(
        phrase in word or (word[:1] == phrase[:1] and alike(phrase, word) >= ONE_WORD_LIKENESS)
        for word in [*words, "".join(words)]
    )


def is_alias(phrase: str, name: str) -> bool:
    """ "rdj" of Robert Downey Jr."""
    tokens = TOKENISER.tokens(phrase)
    found = ALIASES.at(tokens, 0)
    return found is not None and found.end == len(tokens) and found.value.name == name


def alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


async def likeliest(lexical: LexicalIndex, name: str, category: str | None) -> list[EntityMatch]:
    """The names that a phrase most likely is: one, or several that are as likely; of any category if None."""
    matches = await lexical.entities(name, category, limit=MATCHES if category else MOST_UNWANTED)  # type: ignore[arg-type]
    best = max((match.likeness for match in matches), default=0.0)
    if best < LEAST_LIKENESS:
        return []
    least = best - AS_LIKELY if category else min(best - AS_LIKELY, AS_UNWANTED)
    return [match for match in matches if match.likeness >= least]


Meant = tuple[EntityCandidate, list[EntityMatch]]


def grouped(candidates: Sequence[EntityCandidate], found: Sequence[list[EntityMatch]]) -> list[list[Meant]]:
    """QueryNames by the words that they were read from: one phrase may mean this person or that one."""
    phrases: dict[tuple[str, bool], list[Meant]] = {}
    for candidate, matches in zip(candidates, found, strict=False):
        phrase = candidate.candidate_entity_phrase.casefold(), candidate.exclude_from_results
        phrases.setdefault(phrase, []).append((candidate, matches))
    return list(phrases.values())


def note_phrase(names: QueryNames, phrase: Sequence[Meant]) -> None:
    """Which films the words of a name mean: a limit if the name was stated, else evidence."""
    matches = [match for _, found in phrase for match in found]
    first, _ = phrase[0]
    if first.exclude_from_results:
        names.excluded |= {id for match in matches for id in match.film_ids}
        return
    if not matches:
        if first.stated:
            names.unknown.append(first.corrected_and_normalized_entity)
        return
    titles = names.titles if first.stated else names.maybe_titles
    for match in matches:
        if match.category == "movie_title":
            for id in match.film_ids:
                titles[id] = max(titles.get(id, 0.0), match.likeness)
        else:
            entity = NamedFilms(match.name, match.category, match.likeness, frozenset(match.film_ids))
            names.entities.append(entity)
    if first.stated and not any(match.category == "movie_title" for match in matches):
        ids = dict.fromkeys(id for match in matches for id in match.film_ids)
        part = f"name:{first.most_likely_category}:{first.corrected_and_normalized_entity}"
        label = " or ".join(dict.fromkeys(match.name for match in matches))
        names.limits.append(StatedLimit(part, label, FilmFilter(ids=tuple(ids))))

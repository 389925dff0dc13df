"""Names in a query: which films they mean, as the lexical index knows them."""

import asyncio
from collections.abc import Sequence

import msgspec

from townsquare.services.search.models.understanding import (
    EntityCandidate,
    EntityCategory,
    QueryUnderstandingResponse,
)
from townsquare.services.search.parts import EntityMatch, FilmFilter, LexicalIndex
from townsquare.services.search.service.limits import Limit

LEAST_LIKENESS = 0.7  # below it a name is another name, not a misspelling
AS_LIKELY = 0.01  # names that differ by less are meant alike: two films of one title
MATCHES = 5


class NamedEntity(msgspec.Struct, frozen=True):
    """A person, character, studio or franchise that the query names."""

    name: str
    category: EntityCategory
    likeness: float
    film_ids: frozenset[int]


class LikeFilm(msgspec.Struct, frozen=True):
    title: str
    film_id: int  # the best known of that title: its vectors are searched
    left_out: tuple[int, ...]


class Names(msgspec.Struct, kw_only=True):
    titles: dict[int, float] = {}  # films that are named, with their likeness
    entities: list[NamedEntity] = []
    limits: list[Limit] = []
    excluded: set[int] = set()
    like: list[LikeFilm] = []
    unknown: list[str] = []  # names that are asked for and that nobody here has
    unknown_like: list[str] = []

    @property
    def found(self) -> bool:
        return bool(self.titles or self.entities)


async def look_up(lexical: LexicalIndex, understanding: QueryUnderstandingResponse) -> Names:
    """All names of a query at once."""
    candidates = understanding.lexical_entities.entity_candidates
    wanted = [
        *((one.corrected_and_normalized_entity, one.most_likely_category) for one in candidates),
        *((title, "movie_title") for title in understanding.similar_to),
    ]
    found = await asyncio.gather(*(likeliest(lexical, name, category) for name, category in wanted))
    names = Names()
    for candidate, matches in zip(candidates, found, strict=False):
        note_entity(names, candidate, matches)
    for title, matches in zip(understanding.similar_to, found[len(candidates) :], strict=True):
        ids = tuple(id for match in matches for id in match.film_ids)
        if ids:
            names.like.append(LikeFilm(matches[0].name, ids[0], ids))
        else:
            names.unknown_like.append(title)
    return names


async def likeliest(lexical: LexicalIndex, name: str, category: str) -> list[EntityMatch]:
    """The names that a phrase most likely is: one, or several that are as likely."""
    matches = await lexical.entities(name, category, limit=MATCHES)  # type: ignore[arg-type]
    best = max((match.likeness for match in matches), default=0.0)
    if best < LEAST_LIKENESS:
        return []
    return [match for match in matches if match.likeness >= best - AS_LIKELY]


def note_entity(names: Names, candidate: EntityCandidate, matches: Sequence[EntityMatch]) -> None:
    ids = [id for match in matches for id in match.film_ids]
    category = candidate.most_likely_category
    if candidate.exclude_from_results:
        names.excluded |= {*ids}
        return
    if not matches:
        names.unknown.append(candidate.corrected_and_normalized_entity)
        return
    likeness = matches[0].likeness
    if category == "movie_title":
        for id in ids:
            names.titles[id] = max(names.titles.get(id, 0.0), likeness)
        return
    name = matches[0].name
    names.entities.append(NamedEntity(name, category, likeness, frozenset(ids)))
    part = f"name:{category}:{candidate.corrected_and_normalized_entity}"
    names.limits.append(Limit(part, name, FilmFilter(ids=tuple(ids))))

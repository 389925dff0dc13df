"""Names that a query was understood to have, and the films that they stand for."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from townsquare.services.search.models.films import Film, FilmRole
from townsquare.services.search.models.understanding import (
    EntityCandidate,
    EntityCategory,
    LexicalEntities,
    QueryUnderstandingResponse,
)
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.names import (
    Meant,
    QueryNames,
    grouped,
    is_meant,
    look_up,
    note_phrase,
)


def candidate(phrase: str, category: EntityCategory, name: str) -> EntityCandidate:
    return EntityCandidate(
        candidate_entity_phrase=phrase, most_likely_category=category, corrected_and_normalized_entity=name
    )


def noted(*meant: Meant) -> QueryNames:
    names = QueryNames()
    for phrase in grouped([one for one, _ in meant], [found for _, found in meant]):
        note_phrase(names, phrase)
    return names


@pytest.mark.parametrize(
    ("phrase", "name", "expected"),
    [
        ("scorcese", "Martin Scorsese", True),
        ("ripley", "Ridley Scott", False),
        ("rdj", "Robert Downey Jr.", True),
        ("黒澤明", "Akira Kurosawa", True),
    ],
)
def test_one_word_stands_for_a_name_that_it_is_near_to_or_short_for(
    phrase: str, name: str, expected: bool
) -> None:
    assert is_meant(candidate(phrase, "person", name)) is expected


def test_a_name_is_a_limit_only_if_it_was_stated() -> None:
    stated = candidate("ripley", "character", "ripley")
    found = [EntityMatch("Ellen Ripley", "character", 0.82, (1, 2))]
    likely = noted((replace(stated, stated=False), found))
    assert [one.film_ids for one in likely.entities] == [frozenset({1, 2})]
    assert not likely.limits
    assert [limit.where.ids for limit in noted((stated, found)).limits] == [(1, 2)]


def test_a_title_that_is_only_likely_is_no_named_film() -> None:
    title = candidate("alien", "movie_title", "Alien")
    found = [EntityMatch("Alien", "movie_title", 1.0, (1,))]
    assert noted((title, found)).titles == {1: 1.0}
    likely = noted((replace(title, stated=False), found))
    assert (likely.titles, likely.maybe_titles) == ({}, {1: 1.0})


async def test_an_excluded_name_leaves_out_everything_that_has_it() -> None:
    films = [
        Film(id=1, title="Batman", year=1989),
        Film(id=2, title="The Prestige", year=2006, directors=("Christopher Nolan",)),
        Film(id=3, title="Some Robbery", year=2010, cast=(FilmRole("Somebody", "Nolan"),)),
    ]
    index = AllNames(films)
    excluded = replace(candidate("nolan", "character", "Nolan"), exclude_from_results=True)
    understood = QueryUnderstandingResponse(lexical_entities=LexicalEntities(entity_candidates=[excluded]))
    assert (await look_up(index, understood)).excluded == {2, 3}  # type: ignore[arg-type]


class AllNames:
    """Answers each name that has the phrase as a word: exactly, or as a surname."""

    def __init__(self, films: Sequence[Film]) -> None:
        self._films = films

    async def entities(self, phrase: str, category: str | None, *, limit: int) -> list[EntityMatch]:
        found = [
            *(EntityMatch(phrase, "character", 1.0, (one.id,)) for one in self._films if played(one, phrase)),
            *(
                EntityMatch(director, "person", 0.93, (one.id,))
                for one in self._films
                for director in one.directors
                if phrase in director.split()
            ),
        ]
        return found[:limit]


def played(film: Film, character: str) -> bool:
    return any(role.character == character for role in film.cast)


def test_names_of_one_phrase_are_one_limit() -> None:
    phrase = "hanks or pitt"
    names = noted(
        (candidate(phrase, "person", "Tom Hanks"), [EntityMatch("Tom Hanks", "person", 1.0, (1, 2))]),
        (candidate(phrase, "person", "Brad Pitt"), [EntityMatch("Brad Pitt", "person", 1.0, (3,))]),
    )
    assert [limit.where.ids for limit in names.limits] == [(1, 2, 3)]

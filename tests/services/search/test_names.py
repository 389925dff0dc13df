"""Names that a query was understood to have, and the films that they stand for."""

import pytest

from townsquare.services.search.models.understanding import EntityCandidate, EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.names import Meant, QueryNames, grouped, is_meant, note_phrase


def candidate(phrase: str, category: EntityCategory, name: str) -> EntityCandidate:
    return EntityCandidate(
        candidate_entity_phrase=phrase, most_likely_category=category, corrected_and_normalized_entity=name
    )


def noted(*meant: Meant, described: bool = False) -> QueryNames:
    names = QueryNames()
    for phrase in grouped([one for one, _ in meant], [found for _, found in meant]):
        note_phrase(names, phrase, described=described)
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


def test_a_character_by_one_small_word_leaves_out_films_only_if_it_is_all_that_was_said() -> None:
    ripley = (
        candidate("ripley", "character", "ripley"),
        [EntityMatch("Ellen Ripley", "character", 0.82, (1, 2))],
    )
    assert [one.film_ids for one in noted(ripley, described=True).entities] == [frozenset({1, 2})]
    assert not noted(ripley, described=True).limits
    assert [limit.where.ids for limit in noted(ripley).limits] == [(1, 2)]


def test_names_of_one_phrase_are_one_limit() -> None:
    phrase = "hanks or pitt"
    names = noted(
        (candidate(phrase, "person", "Tom Hanks"), [EntityMatch("Tom Hanks", "person", 1.0, (1, 2))]),
        (candidate(phrase, "person", "Brad Pitt"), [EntityMatch("Brad Pitt", "person", 1.0, (3,))]),
    )
    assert [limit.where.ids for limit in names.limits] == [(1, 2, 3)]

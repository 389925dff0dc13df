import re
from datetime import date
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from townsquare.keyspace import BadPart, Matching, Url
from townsquare.keyspace.parts import Component, Day, Integer, Part, Text, part_for

BREAKS_A_KEY = re.compile(r"[:{}\s]")

texts = st.text(min_size=1).filter(lambda text: not any("\ud800" <= one <= "\udfff" for one in text))


@given(texts)
@pytest.mark.parametrize("part", [Text(), Component()])
def test_any_text_survives_the_round_trip(part: Part, text: str) -> None:
    assert part.decode(part.encode(text)) == text


@given(texts)
@pytest.mark.parametrize("part", [Text(), Component()])
def test_an_encoded_part_cannot_reach_another_key(part: Part, text: str) -> None:
    encoded = part.encode(text)
    assert encoded
    assert not BREAKS_A_KEY.search(encoded)
    assert re.fullmatch(part.pattern, encoded)


@given(texts, texts)
@pytest.mark.parametrize("part", [Text(), Component()])
def test_different_values_are_different_parts(part: Part, one: str, other: str) -> None:
    assert (part.encode(one) == part.encode(other)) == (one == other)


@given(st.integers())
def test_integers_survive_the_round_trip(number: int) -> None:
    assert Integer().decode(Integer().encode(number)) == number


@given(st.dates())
def test_dates_survive_the_round_trip(day: date) -> None:
    assert Day().decode(Day().encode(day)) == day


@pytest.mark.parametrize("part", [Text(), Component()])
def test_an_empty_value_is_refused(part: Part) -> None:
    with pytest.raises(BadPart):
        part.encode("")


@pytest.mark.parametrize("value", ["abc", "1:2", "", "12\n"])
def test_a_value_that_does_not_match_is_refused(value: str) -> None:
    part = Matching(r"[0-9]+")
    with pytest.raises(BadPart):
        part.encode(value)
    with pytest.raises(BadPart):
        part.decode(value)


def test_readable_text_stays_readable() -> None:
    assert Text().encode("Ærøskøbing/東京") == "Ærøskøbing/東京"
    assert Text().encode("a:b {c} 100%") == "a%3Ab%20%7Bc%7D%20100%25"


def test_the_annotation_chooses_the_part() -> None:
    assert isinstance(part_for(str), Text)
    assert isinstance(part_for(int), Integer)
    assert isinstance(part_for(date), Day)
    assert isinstance(part_for(Url), Component)
    assert isinstance(part_for(Annotated[str, Matching("x")]), Matching)


def test_a_type_that_no_key_can_have_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot be part of a key"):
        part_for(float)

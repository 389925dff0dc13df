"""What a script has answered becomes what its signature says."""

from typing import Any

import msgspec
import pytest

from townsquare.store.scripts.script import decoder


class Shown(msgspec.Struct, array_like=True):
    found: bool
    name: str
    note: str | None
    count: int
    counts: list[int]
    tags: list[str]


@pytest.mark.parametrize(
    "reply",
    [
        [1, b"n\xc3\xa9", None, 3, [1, 2], [b"a", b"b"]],
        [1, b"n\xc3\xa9", None, b"3", [b"1", 2], [b"a", b"b"]],  # numbers that Redis keeps as texts
    ],
)
def test_texts_are_decoded_and_numbers_may_be_texts(reply: list[Any]) -> None:
    assert decoder(Shown)(reply) == Shown(True, "né", None, 3, [1, 2], ["a", "b"])


@pytest.mark.parametrize("reply", [[1, b"short"], None, b"text", [1, b"n", None, b"much", [], []]])
def test_an_answer_of_another_shape_is_refused(reply: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        decoder(Shown)(reply)


class Longer(Shown, array_like=True):
    more: str = "usual"


def test_an_answer_may_leave_out_what_has_a_default() -> None:
    assert decoder(Longer)([0, b"n", b"x", 0, [], []]).more == "usual"
    assert decoder(Longer)([0, b"n", b"x", 0, [], [], b"own"]).more == "own"


def test_answers_that_are_no_structs() -> None:
    assert decoder(tuple[bool, str])([1, b"a"]) == (True, "a")
    assert decoder(str)(b"a") == "a"
    assert decoder(list[str])([b"a", b"b"]) == ["a", "b"]
    assert decoder(int | None)(None) is None

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from tests.toy.keys import Person, person
from townsquare.keyspace import Keyspace, Visibility, about, reader
from townsquare.keyspace.records import Reader
from townsquare.store.keys import JobRecord, job
from townsquare.store.store import Store

PUBLIC, SYSTEM, SECRET = Visibility.PUBLIC, Visibility.SYSTEM, Visibility.SECRET


class Colour(StrEnum):
    RED = "red"


class Letter(msgspec.Struct, kw_only=True):
    id: Annotated[str, about("UUID", SYSTEM)]
    text: str
    words: Annotated[tuple[str, ...], about(separator=" ")] = ()
    links: tuple[str, ...] = ()
    pages: Annotated[int, about(visibility=SYSTEM)] = msgspec.field(name="pageCount", default=1)
    weight: float | None = None
    sent: bool = False
    colour: Colour = Colour.RED
    kind: Literal["short", "long"] = "short"
    notes: dict[str, int] = msgspec.field(default_factory=dict)
    sealed: Annotated[str | None, about("by whom", SECRET)] = None


class Envelope(msgspec.Struct):
    """A model of the same fields, fewer of them and in another order."""

    page_count: int = msgspec.field(name="pageCount")
    words: tuple[str, ...]
    id: str
    stamped: bool = False


letters = Keyspace("letters", "For these tests.")


@letters.hash("letter:{id}", record=Letter, home="letter:{id}")
def letter(id: str) -> None:
    """A letter."""


WHOLE = {
    b"id": b"a",
    b"text": "grüße".encode(),
    b"words": b"two words",
    b"links": b'["https://example.org"]',
    b"pageCount": b"3",
    b"weight": b"1.5",
    b"sent": b"true",
    b"colour": b"red",
    b"kind": b"long",
    b"notes": b'{"a": 1}',
    b"sealed": b"bob",
}


def decoded(raw: dict[bytes, bytes]) -> Letter | None:
    assert letter.kind.decode is not None
    return letter.kind.decode(raw)


def test_fields_follow_from_the_struct() -> None:
    found = [
        (field.name, field.visibility, field.description, field.required) for field in letter.kind.fields
    ]
    assert found[:5] == [
        ("id", SYSTEM, "UUID", True),
        ("text", PUBLIC, "", True),
        ("words", PUBLIC, "", False),
        ("links", PUBLIC, "", False),
        ("pageCount", SYSTEM, "", False),
    ]
    assert found[-1] == ("sealed", SECRET, "by whom", False)


def test_a_whole_record_is_the_struct() -> None:
    assert decoded(WHOLE) == Letter(
        id="a",
        text="grüße",
        words=("two", "words"),
        links=("https://example.org",),
        pages=3,
        weight=1.5,
        sent=True,
        kind="long",
        notes={"a": 1},
        sealed="bob",
    )


def test_what_is_missing_has_its_default() -> None:
    first, second = decoded({b"id": b"a", b"text": b""}), decoded({b"id": b"a", b"text": b""})
    assert first == Letter(id="a", text="")
    assert first is not None
    assert second is not None
    assert first.notes is not second.notes


@pytest.mark.parametrize("raw", [{}, {b"id": b"a"}, {b"text": b"hello"}])
def test_a_record_without_what_it_needs_is_none(raw: dict[bytes, bytes]) -> None:
    assert decoded(raw) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (b"pageCount", b"many"),
        (b"kind", b"middling"),
        (b"colour", b"blue"),
        (b"notes", b"{"),
        (b"weight", b""),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(field: bytes, value: bytes) -> None:
    with pytest.raises((ValueError, msgspec.ValidationError)):
        decoded({**WHOLE, field: value})


def test_a_reader_asks_for_what_may_be_seen() -> None:
    seen = reader(letter.kind, Letter, PUBLIC, SYSTEM, also=("sealed", "text"))
    assert seen.fields == (
        "id", "text", "words", "links", "pageCount", "weight", "sent", "colour", "kind", "notes", "sealed",
    )  # fmt: skip
    assert seen.fields[seen.index_of("sealed")] == "sealed"
    values: list[Any] = [WHOLE.get(name.encode()) for name in seen.fields]
    assert seen.decode(values) == decoded(WHOLE)
    assert "sealed" not in reader(letter.kind, Letter, PUBLIC, SYSTEM).fields


def test_another_model_is_decoded_by_name_whatever_the_order() -> None:
    for order in (["id", "pageCount", "words"], ["words", "text", "id", "pageCount"]):
        values = [WHOLE.get(name.encode()) for name in order]
        assert Reader(Envelope, order, Letter).decode(values) == Envelope(3, ("two", "words"), "a")


def test_what_a_model_needs_and_its_record_does_not_has_the_default_of_the_record() -> None:
    assert Reader(Envelope, ["id", "pageCount", "words"], Letter).decode([b"a", None, None]) == Envelope(
        1, (), "a"
    )
    assert Reader(Envelope, ["id", "pageCount", "words"], Letter).decode([None, b"3", b"x"]) is None


def test_a_model_with_a_field_that_is_not_read_fails_at_once() -> None:
    with pytest.raises(TypeError, match=r"Envelope\.words is not among the fields \['id', 'pageCount'\]"):
        Reader(Envelope, ["id", "pageCount"], Letter)


async def test_the_store_answers_the_struct(store: Store) -> None:
    await store.call(
        "HSET", job("0" * 33 + "0a3"), "id", "x", "kind", "k", "args", "{}", "state", "open", "done", 2
    )
    assert await store.get(job("0" * 33 + "0a3")) == JobRecord("x", "k", "{}", "open", 2)
    assert await store.get(job("1" * 33 + "0a3")) is None


def test_custom_fields_may_stand_beside_a_struct() -> None:
    space = Keyspace("custom", "For this test.")

    @space.hash("thing:{id}", record=Envelope, custom=Visibility.PRIVATE, home="thing:{id}")
    def thing(id: str) -> None:
        """A thing."""

    assert thing.kind.custom_fields is Visibility.PRIVATE
    assert person.kind.record is Person

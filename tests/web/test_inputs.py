from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest

from townsquare.problems import BadRequest, Invalid, UnknownField, UnsupportedMediaType
from townsquare.web.body import Body, parse_body
from townsquare.web.inputs import InputReader
from townsquare.web.query import Query, parse_pairs


class Colour(StrEnum):
    RED = "red"


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    numbers: list[int] = []


class Given(msgspec.Struct, kw_only=True):
    name: Annotated[str, msgspec.Meta(min_length=2)] = "nobody"
    age: int = 0
    score: float = 0.0
    on: bool = False
    note: str | None = None
    limit: int | None = None
    tags: list[str] = []
    ids: set[int] | None = None
    when: datetime | None = None
    colour: Colour | None = None
    kind: Literal["a", "b"] = "a"
    inner: Inner | None = None


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class Renamed(msgspec.Struct, rename="camel"):
    page_id: str


class Both(msgspec.Struct):
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low must not be above high")


def read(
    query: bytes = b"", body: bytes = b"", path: Mapping[str, str] = {}, struct: type[Any] = Given
) -> Any:
    reader = InputReader(struct, path, besides=("action",))
    return reader.read(path, parse_body(body, b"application/json"), parse_pairs(query))


def errors(query: bytes = b"", body: bytes = b"", struct: type[Any] = Given) -> list[dict[str, str]]:
    with pytest.raises(Invalid) as refused:
        read(query, body, struct=struct)
    found: list[dict[str, str]] = refused.value.extra["errors"]
    return found


@pytest.mark.parametrize(
    ("query", "field", "value"),
    [
        (b"age=7", "age", 7),
        (b"age=-7", "age", -7),
        (b"score=1.5", "score", 1.5),
        (b"on=true", "on", True),
        (b"on=1", "on", True),
        (b"on=false", "on", False),
        (b"on=0", "on", False),
        (b"name=5000", "name", "5000"),
        (b"name=true", "name", "true"),
        (b"note=null", "note", "null"),
        (b"note=", "note", ""),
        (b"limit=", "limit", None),
        (b"age=", "age", 0),
        (b"age=1&age=2", "age", 2),
        (b"tags=a&tags=b", "tags", ["a", "b"]),
        (b"tags=a,b", "tags", ["a", "b"]),
        (b"tags=a,b&tags=c", "tags", ["a", "b", "c"]),
        (b"tags=", "tags", []),
        (b"ids=1,2", "ids", {1, 2}),
        (b"when=2026-01-02T03:04:05Z", "when", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (b"colour=red", "colour", Colour.RED),
        (b"kind=b", "kind", "b"),
        (b"name=a+b%20c", "name", "a b c"),
        (b"name=%E6%97%A5%E6%9C%AC", "name", "日本"),
        ("name=日本".encode(), "name", "日本"),
    ],
)
def test_text_becomes_what_the_field_wants(query: bytes, field: str, value: object) -> None:
    assert getattr(read(query), field) == value


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (b"age=x", "age"),
        (b"age=1.5", "age"),
        (b"on=perhaps", "on"),
        (b"ids=1,x", "ids[1]"),
        (b"when=yesterday", "when"),
        (b"colour=blue", "colour"),
        (b"kind=c", "kind"),
        (b"name=x", "name"),
        (b"name=a%00b", "name"),
        (b"tags=a%00b", "tags"),
    ],
)
def test_text_that_does_not_fit_is_refused_with_its_field(query: bytes, field: str) -> None:
    assert [error["field"] for error in errors(query)] == [field]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"age": "7"}', "age"),
        (b'{"on": 1}', "on"),
        (b'{"name": 5}', "name"),
        (b'{"inner": {"numbers": [1, "x"]}}', "inner.numbers[1]"),
        (b'{"name": "a\\u0000b"}', "name"),
        (b'{"tags": ["a\\u0000b"]}', "tags[0]"),
        (b'{"inner": {"\\u0000": 1}}', "inner"),
        (b'{"age": null}', "age"),
    ],
)
def test_json_is_taken_at_its_word(body: bytes, field: str) -> None:
    assert errors(body=body)[0]["field"] == field


def test_an_escaped_backslash_before_u0000_is_no_nul() -> None:
    assert read(body=b'{"name": "a\\\\u0000"}').name == "a\\u0000"


def test_all_wrong_fields_are_named_at_once() -> None:
    assert {error["field"] for error in errors(b"age=x&on=y&kind=z")} == {"age", "on", "kind"}


def test_a_missing_field_is_named() -> None:
    assert errors(b"high=1", struct=Both) == [{"field": "low", "message": "is required"}]


def test_a_rule_over_several_fields_is_told_without_a_field() -> None:
    assert errors(b"low=2&high=1", struct=Both) == [{"field": "", "message": "low must not be above high"}]


def test_the_path_wins_over_the_body_and_the_body_over_the_query() -> None:
    given = read(query=b"name=query&age=1&kind=b", body=b'{"name": "body", "age": 2}')
    assert (given.name, given.age, given.kind) == ("body", 2, "b")
    assert read(query=b"age=1", path={"name": "path"}).name == "path"


def test_query_values_beside_a_body_are_converted() -> None:
    given = read(
        query=b"age=7&on=1&tags=a,b&ids=1&when=2026-01-02T03:04:05Z&colour=red", body=b'{"name": "ann"}'
    )
    assert (given.age, given.on, given.tags, given.ids, given.colour) == (
        7,
        True,
        ["a", "b"],
        {1},
        Colour.RED,
    )
    assert given.when == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_wrong_query_values_beside_a_body_are_named_with_wrong_body_values() -> None:
    assert {error["field"] for error in errors(b"age=x", b'{"on": 1}')} == {"age", "on"}


def test_a_form_is_read_like_a_query() -> None:
    form = parse_body(b"name=ann&age=7&tags=a&tags=b", b"application/x-www-form-urlencoded; charset=utf-8")
    given = InputReader(Given).read({}, form, parse_pairs(b"age=1&kind=b"))
    assert (given.name, given.age, given.tags, given.kind) == ("ann", 7, ["a", "b"], "b")


def test_a_struct_that_forbids_unknown_fields_still_takes_an_action() -> None:
    assert read(body=b'{"action": "x", "name": "ann"}', struct=Strict).name == "ann"


@pytest.mark.parametrize(
    ("query", "body", "kind"),
    [
        (b"nme=1", b"", b""),
        (b"", b'{"nme": 1}', b"application/json"),
        (b"", b"nme=1", b"application/x-www-form-urlencoded"),
        (b"age=1", b'{"age": 2, "nme": 1}', b"application/json"),
    ],
)
def test_a_name_that_nobody_reads_is_refused_with_the_one_that_was_meant(
    query: bytes, body: bytes, kind: bytes
) -> None:
    with pytest.raises(UnknownField, match="nme: is not known here; did you mean `name`") as refused:
        InputReader(Given).read({}, parse_body(body, kind), parse_pairs(query))
    assert [error["field"] for error in refused.value.extra["errors"]] == ["nme"]


def test_names_inside_an_object_are_refused_too() -> None:
    assert errors(body=b'{"inner": {"nmbers": []}}') == [
        {"field": "inner.nmbers", "message": "is not known here"}
    ]
    with pytest.raises(UnknownField):
        read(body=b'{"inner": {"nmbers": []}}')

    class Lax(msgspec.Struct):
        name: str

    class Outer(msgspec.Struct):
        inside: list[Lax | None]

    with pytest.raises(TypeError, match="Lax comes from outside"):
        InputReader(Outer)


def test_where_nothing_is_near_the_hint_is_told() -> None:
    class Hinting(Strict):
        unknown_hint: ClassVar[str] = "look elsewhere"

    with pytest.raises(UnknownField, match="xyz: is not known here; look elsewhere"):
        InputReader(Hinting).read({}, None, parse_pairs(b"xyz=1"))


def test_unknown_names_are_told_or_ignored_where_that_is_asked_for() -> None:
    query, body = parse_pairs(b"age=1&a=1&b=2"), parse_body(b'{"c": 1, "a": 2}', b"application/json")
    telling = InputReader(Given, unknown="warn")
    assert telling.read({}, body, query).age == 1
    assert set(telling.unread_names(body, query)) == {"a", "b", "c"}
    assert InputReader(Given, unknown="ignore").read({}, body, query).age == 1


@pytest.mark.parametrize(("query", "body"), [(b"name=bob", b""), (b"", b'{"name": "bob"}')])
def test_what_contradicts_the_path_is_refused(query: bytes, body: bytes) -> None:
    with pytest.raises(Invalid, match="name: is not what the path says"):
        read(query, body, path={"name": "ann"})


def test_a_refusal_repeats_little_of_what_a_client_made_up() -> None:
    made_up = b'{"%s": 1, "kind": "%s"}' % (b"n" * 100_000, b"k" * 100_000)
    for unknown in ("refuse", "ignore"):
        reader = InputReader(Given, unknown=unknown)
        with pytest.raises(Invalid) as refused:
            reader.read({}, parse_body(made_up, b"application/json"), [])
        assert len(refused.value.detail) < 500


def test_renamed_fields_go_by_their_public_name() -> None:
    assert read(path={"pageId": "7"}, struct=Renamed).page_id == "7"


def test_a_path_parameter_that_the_input_lacks_fails_at_the_start() -> None:
    with pytest.raises(TypeError, match="other"):
        InputReader(Given, ["other"])


def test_an_input_that_is_no_struct_fails_at_the_start() -> None:
    with pytest.raises(TypeError):
        InputReader(dict)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"[1]",
        b'"text"',
        b"null",
        b'{"a": NaN}',
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
        b'{"a": "\\ud800x"}',
        b'{"a": "\\udc00"}',
        b'{"a": 1e999}',
        b'{"a": "\x00"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xef\xbb\xbf{}",
    ],
)
def test_a_body_that_is_no_json_object_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        InputReader(Given).read({}, parse_body(body, b"application/json"), [])


@pytest.mark.parametrize(
    "content_type", [b"text/plain", b"multipart/form-data; boundary=x", b"application/json; charset=latin-1"]
)
def test_other_media_types_are_refused(content_type: bytes) -> None:
    with pytest.raises(UnsupportedMediaType):
        parse_body(b"{}", content_type)


@pytest.mark.parametrize(
    "content_type",
    [b"", b"application/json", b"Application/JSON; charset=UTF-8", b"application/merge-patch+json"],
)
def test_json_goes_by_several_names(content_type: bytes) -> None:
    assert parse_body(b'{"a": 1}', content_type) == Body({"a": 1}, [])


def test_an_empty_body_says_nothing_whatever_its_type() -> None:
    assert parse_body(b"", b"text/plain") is None


def test_a_query_that_is_not_utf8_is_a_bad_request() -> None:
    with pytest.raises(BadRequest):
        parse_pairs(b"a=%ff")


def test_of_a_repeated_query_name_the_last_counts() -> None:
    query = Query(b"a=1&b&a=2&=x")
    assert dict(query) == {"a": "2", "b": ""}
    assert len(query) == 2

import uuid
from datetime import date
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.keyspace.test_parts import texts
from townsquare.keyspace import (
    AnyDeclared,
    DeclarationError,
    Keyspace,
    Layout,
    Matching,
    Registry,
    Url,
    bucket_of,
    carried_bucket,
    carried_by,
    derived_id,
    mint_id,
)
from townsquare.keyspace.buckets import ALL_BUCKETS

keys = Keyspace("some", "One key for every part.")

Minted = Annotated[str, Matching(r"[0-9a-f-]{33}[0-9a-f]{3}")]


@keys.string("text:{text}", home="text:{text}")
def of_text(text: str) -> None:
    """Of a text."""


@keys.string("url:{kind}:{url}:tail", home="url:{url}")
def of_url(kind: str, url: Url) -> None:
    """Of a URL."""


@keys.string("number:{number}", home="number:{number}")
def of_number(number: int) -> None:
    """Of a number."""


@keys.string("day:{day}", home="day:{day}")
def of_day(day: date) -> None:
    """Of a day."""


@keys.string("id:{id}", home=carried_by("id"))
def of_id(id: Minted) -> None:
    """Of an id that carries its bucket."""


@keys.string("v{number}:{text}", home="text:{text}")
def of_version(number: int, text: str) -> None:
    """Of a piece that is half literal."""


@keys.string("text:{text}:tail", home="text:{text}")
def of_text_with_tail(text: str) -> None:
    """Of a text, between literal pieces."""


@keys.string("numbers:head:{number}", home="number:{number}")
def of_number_after_head(number: int) -> None:
    """Of as many pieces, others of which are literal."""


@keys.channel("text:{text}", home="text:{text}")
def channel_of_text(text: str) -> None:
    """A channel is not a key: it may share a pattern with one."""


registry = Registry([keys])
minted = st.sampled_from(ALL_BUCKETS).map(mint_id)
instances = st.one_of(
    st.tuples(st.just(of_text), texts),
    st.tuples(st.just(of_url), texts, texts),
    st.tuples(st.just(of_number), st.integers()),
    st.tuples(st.just(of_day), st.dates()),
    st.tuples(st.just(of_id), minted),
    st.tuples(st.just(of_version), st.integers(), texts),
    st.tuples(st.just(of_text_with_tail), texts),
    st.tuples(st.just(of_number_after_head), st.integers()),
)
layouts = pytest.mark.parametrize("layout", [Layout("prod"), Layout("prod", clustered=True)])


@layouts
@given(instances)
def test_a_name_leads_back_to_its_key(layout: Layout, instance: tuple[Any, ...]) -> None:
    declared, *values = instance
    key = declared(*values)
    found = registry.parse(layout.name(key), layout)
    assert found == key
    assert found is not None
    assert found.params == key.params
    assert found.bucket == key.bucket


@layouts
@pytest.mark.parametrize(
    "name",
    [
        "prod:some:nothing:1",
        "prod:other:text:a",
        "dev:some:text:a",
        "prod:some:text:",
        "prod:some:text:a b",
        "prod:some:text:%61",
        "prod:some:text:\udcff",
        "prod:some:number:007",
        "prod:some:day:2026-02-30",
        "prod:some",
        "prod:",
        "",
    ],
)
def test_a_name_that_no_key_has_is_not_parsed(layout: Layout, name: str) -> None:
    if layout.clustered:
        name = name.replace("some:", f"some:{{{bucket_of('text:a')}}}:", 1)
    assert registry.parse(name, layout) is None


def test_a_key_in_the_wrong_bucket_is_not_parsed() -> None:
    layout = Layout("prod", clustered=True)
    right = bucket_of("text:a")
    wrong = next(bucket for bucket in ALL_BUCKETS if bucket != right)
    assert registry.parse(f"prod:some:{{{right}}}:text:a", layout) == of_text("a")
    assert registry.parse(f"prod:some:{{{wrong}}}:text:a", layout) is None
    assert registry.parse("prod:some:text:a", layout) is None


def test_both_layouts_read_as_the_architecture_says() -> None:
    id = mint_id("0a3")
    assert Layout("prod").name(of_id(id)) == f"prod:some:id:{id}"
    assert Layout("prod", clustered=True).name(of_id(id)) == f"prod:some:{{0a3}}:id:{id}"


@given(st.sampled_from(ALL_BUCKETS))
def test_a_minted_id_carries_its_bucket(bucket: str) -> None:
    id = mint_id(bucket)
    assert carried_bucket(id) == bucket
    assert (str(uuid.UUID(id)), uuid.UUID(id).version) == (id, 4)


def test_minted_ids_differ() -> None:
    assert len({mint_id("0a3") for _ in range(1000)}) == 1000


@pytest.mark.parametrize("declared", [of_text, of_day])
def test_keys_are_equal_by_what_they_name(declared: AnyDeclared) -> None:
    value = date(2026, 3, 14) if declared is of_day else "a"
    assert declared(value) == declared(value)
    assert len({declared(value), declared(value)}) == 1
    assert of_text("a") != of_text("b")


def test_two_keyspaces_cannot_declare_one_name() -> None:
    with pytest.raises(DeclarationError, match=r"two keyspaces declare some\.of_text"):
        Registry([keys, keys])


def test_a_derived_id_follows_from_its_names() -> None:
    id = derived_id("page", "a", "bc")
    assert id == derived_id("page", "a", "bc") == "890de4f7-a002-5837-934a-1791b26f32a1"
    assert id not in (
        derived_id("page", "ab", "c"),
        derived_id("page", "a:bc"),
        derived_id("page", "a", "bc", ""),
    )
    assert carried_bucket(id) == id[-3:]
    assert derived_id("page", "a", "bc", bucket="0a3") == id[:-3] + "0a3"

import msgspec
import pytest

from tests.toy.keys import REGISTRY
from townsquare.integrity.reference import KeyRow, ServiceRows, as_json, as_markdown, rows
from townsquare.keyspace import Registry


def row_of(pattern: str) -> KeyRow:
    return next(key for service in rows(REGISTRY) for key in service.keys if key.pattern == pattern)


def test_every_declared_key_has_its_row() -> None:
    described = {(key.service, key.name) for service in rows(REGISTRY) for key in service.keys}
    assert described == {(key.service, key.name) for key in REGISTRY}


def test_a_row_says_what_the_declaration_says() -> None:
    row = row_of("person:{name}:visits:{visitor}")
    assert (row.type, row.lifetime, row.role, row.home) == (
        "Counter",
        "1 hour, renewed on use",
        "data",
        "`person:{name}`",
    )
    assert row.description == "How often a visitor looked lately."


def test_a_home_that_is_computed_says_what_from() -> None:
    assert row_of("note:{id}").home == "follows from `{id}`"


def test_fields_of_a_hash_have_their_visibility() -> None:
    fields = {field.name: field for field in row_of("person:{name}").fields}
    assert fields["email"].visibility == "private"
    assert fields["name"].required
    assert fields["deleting"].description == "the job that deletes this person"


def test_fields_of_a_document_have_their_type() -> None:
    types = {field.name: field.type for field in row_of("note:{id}").fields}
    assert types["tags"] == "list of string"
    assert types["answers"] == "string or null"
    assert types["likes_count"] == "integer"


def test_relations_stand_with_every_key_that_they_name() -> None:
    counts = "`person:{name}` follows_count = SCARD `person:{name}:follows`"
    assert counts in row_of("person:{name}").relations
    assert counts in row_of("person:{name}:follows").relations
    assert not row_of("preview:{id}").relations


@pytest.mark.parametrize("service", ["toy", "system"])
def test_one_service_can_be_chosen(service: str) -> None:
    assert [chosen.service for chosen in rows(REGISTRY, service)] == [service]


def test_the_markdown_reads_like_a_reference() -> None:
    text = as_markdown(rows(REGISTRY, "toy"))
    assert text.startswith("# Keys\n")
    assert "\n## toy\n\nPeople, their notes and whom they follow.\n" in text
    assert (
        "### `person:{name}:visits:{visitor}`\n\n"
        "**Counter** · lifetime 1 hour, renewed on use · data · home `person:{name}`\n\n"
        "How often a visitor looked lately.\n"
    ) in text
    assert "    email (private)\n" in text
    assert "    joined_at (system, required): ms\n" in text


def test_the_order_of_keyspaces_does_not_matter() -> None:
    backwards = Registry(reversed(REGISTRY.keyspaces))
    assert as_markdown(rows(REGISTRY)) == as_markdown(rows(backwards))


def test_the_json_can_be_read_back() -> None:
    assert msgspec.json.decode(as_json(rows(REGISTRY)), type=list[ServiceRows]) == rows(REGISTRY)

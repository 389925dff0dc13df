"""What relations say of a record, handed to Lua: unique values, groups and orders are declared once."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.keyspace import (
    DeclarationError,
    Groups,
    Indexes,
    Keyspace,
    Orders,
    Record,
    Registry,
    Value,
    bucket_of,
)
from townsquare.keyspace.relations import value_at
from townsquare.problems import Taken
from townsquare.store.keys import system
from townsquare.store.scripts import LuaFolder, Script, folder
from townsquare.store.scripts.constants import written_out
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect


class Member(msgspec.Struct):
    name: str
    badge: str | None = None
    town: str | None = None
    accounts: dict[str, str] = {}


club = Keyspace("club", "For these tests.")


def home_of(name: str) -> str:
    return bucket_of(name)


@club.json(Member, "member:{name}", home=home_of)
def member(name: str) -> None:
    """A member."""


@club.string("badge:{badge}", home="badge:{badge}")
def badge(badge: str) -> None:
    """Who has this badge."""


@club.string("bank:{number}", home="bank:{number}")
def bank(number: str) -> None:
    """Who has this account."""


@club.set("town:{town}", home="town:{town}")
def town(town: str) -> None:
    """Who lives in a town."""


@club.sorted_set("list:{by}:{value}", home="list:{by}")
def listed(by: str, value: str) -> None:
    """Members by name."""


@club.set("quiet", home="quiet")
def quiet() -> None:
    """Who has no badge."""


def has_no_badge(record: Record) -> bool:
    return record.get("badge") is None


club.relate(
    Indexes(badge, member, owner="name", params={"badge": "badge"}),
    Indexes(bank, member, owner="name", params={"number": "accounts.bank"}),
    Groups(town, member, member="name", params={"town": "town"}),
    Groups(quiet, member, member="name", where=has_no_badge),
    Orders(listed, member, member="name", score="town", params={"by": Value("town"), "value": "town"}),
)
REGISTRY = Registry([system, club])

ENROL = """--[[
  Enrol a member.

  Keys:   member(name)
  Claims: indexes of member (claims) = name
  Input:  name string, document string, claims json
  Output: nothing
]]
redis.call('SET', key.member(name), document)
keep_claims()
"""


class Enrol(Script[None]):
    name: str
    document: str
    claims: list[list[str]]


@pytest.fixture
def known_keys() -> Registry:
    return REGISTRY


@pytest.fixture
async def enrol(
    place: Place, clock: PinnedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[..., Any]]:
    monkeypatch.setitem(folder.SCRIPTS, "club.enrol", None)
    (tmp_path / "enrol.lua").write_text(ENROL)
    LuaFolder(club, tmp_path).script(Enrol)
    store = Store(
        REGISTRY, "test", await connect(place.data_url), await connect(place.cache_url), clock=clock
    )

    async def enrol(name: str, **fields: Any) -> Store:
        document = {"name": name, **fields}
        found = [
            [relation.index.name, *values]
            for relation in club.relations
            if isinstance(relation, Indexes) and (values := relation.values(document))
        ]
        await store.run(Enrol(name=name, document=json.dumps(document), claims=found))
        return store

    yield enrol
    folder.BY_STRUCT.pop(Enrol, None)
    await store.close()


async def test_unique_values_follow_from_the_indexes_of_a_record(enrol: Callable[..., Any]) -> None:
    store: Store = await enrol("ann", badge="7", accounts={"bank": "x y"})
    assert await store.get(badge("7")) == "ann"
    assert await store.get(bank("x y")) == "ann"
    assert await store.call("PTTL", bank("x y")) == -1


@pytest.mark.parametrize(
    ("fields", "index"), [({"badge": "7"}, "badge"), ({"accounts": {"bank": "x y"}}, "bank")]
)
async def test_a_value_of_somebody_else_is_taken(
    enrol: Callable[..., Any], fields: dict[str, Any], index: str
) -> None:
    store: Store = await enrol("ann", badge="7", accounts={"bank": "x y"})
    with pytest.raises(Taken, match=index):
        await enrol("bob", **fields)
    assert await store.get(member("bob")) is None


async def test_who_has_none_claims_none(enrol: Callable[..., Any]) -> None:
    await enrol("ann")
    store: Store = await enrol("bob", badge=None, accounts={})
    assert await store.get(member("bob")) == Member("bob")


@pytest.mark.parametrize(
    ("named", "literal"),
    [
        ("indexes_of.member", "({({'badge', ({({'badge'})})}), ({'bank', ({({'accounts', 'bank'})})})})"),
        ("groups_of.member", "({({'town', ({({'town'})})})})"),
        ("orders_of.member", "({({'listed', ({'town', ({'town'})})})})"),
    ],
)
def test_lua_is_given_what_fields_decide(named: str, literal: str) -> None:
    assert written_out(named, "x.lua", {}, club) == literal


def test_a_record_that_is_not_declared_has_no_relations() -> None:
    with pytest.raises(DeclarationError, match=r"x\.lua: no key 'nobody' is declared"):
        written_out("indexes_of.nobody", "x.lua", {}, club)


def test_an_index_that_a_function_decides_cannot_be_given_to_lua() -> None:
    space = Keyspace("club", "For this test.")
    space.keys |= club.keys
    space.relate(Indexes(badge, member, owner="name", params={"badge": lambda record: record["badge"]}))
    with pytest.raises(DeclarationError, match=r"badge.* is computed by a Python function"):
        written_out("indexes_of.member", "x.lua", {}, space)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("indexes of member", "indexes of nobody", "no key 'nobody' is declared"),
        ("claims json", "claims string", "needs inputs claims json and name"),
        ("(claims) = name", "(claims) = owner", "needs inputs claims json and owner"),
        ("Claims: indexes", "Relations: nobody\n  Claims: indexes", "no key 'nobody' is declared"),
    ],
)
def test_a_wrong_claim_fails_at_import(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    (tmp_path / "enrol.lua").write_text(ENROL.replace(before, after))
    with pytest.raises(DeclarationError, match=complaint):
        LuaFolder(club, tmp_path).script(Enrol)


@pytest.mark.parametrize(
    ("path", "value"), [("a", 1), ("b.c", 2), ("b.d", None), ("x", None), ("x.y", None), ("a.b", None)]
)
def test_a_path_leads_into_a_record(path: str, value: int | None) -> None:
    assert value_at({"a": 1, "b": {"c": 2}}, path) == value

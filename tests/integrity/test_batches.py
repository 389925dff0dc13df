"""A check in batches passes over nothing that a rule would find in a row by itself."""

import random
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import date

import pytest

from tests.integrity import shapes
from tests.integrity.damage import REFUSED, REPAIRABLE, Damage, Town
from tests.integrity.exhaustive import exhaustive, findings
from tests.support.squares import Place, open_store
from tests.toy import keys as toy
from townsquare.integrity import check, row_reader
from townsquare.integrity.findings import FindingKind
from townsquare.integrity.row_reader import RowReader
from townsquare.integrity.rules.rule import Entry, Row, TwoSidedRule
from townsquare.keyspace import DAY, HOUR, AnyKey, mint_id
from townsquare.store.store import Store
from townsquare.store.wire.connection import Arg, ReplyError

ALL = {**REPAIRABLE, **REFUSED}
NOTE = mint_id("0a3")
NAMES: list[Arg] = ["ann", "bob", "cyd", NOTE, "a@b", "7", "007", "2026-02-28", "", b"\xff\x00"]
SEEDS = range(12)
BLOWS = 60  # enough that keys of one relation meet

PEOPLE: list[Callable[[str], AnyKey]] = [toy.person, toy.follows, toy.followers, toy.person_notes]
NOTES: list[Callable[[str], AnyKey]] = [toy.note, toy.note_likes, toy.note_vector, toy.note_readers]
USERS: list[Callable[[str], AnyKey]] = [
    shapes.user,
    shapes.bot,
    shapes.bot_seen,
    shapes.mail,
    shapes.sessions,
    shapes.friends,
    shapes.watches,
    shapes.watchers,
    shapes.blocks,
]


def toy_keys() -> list[AnyKey]:
    keys = [key(name) for name in ("ann", "bob") for key in PEOPLE]
    keys += [key(NOTE) for key in NOTES]
    keys += [toy.visits("ann", "bob"), toy.preview(NOTE), toy.people_joined()]
    return [*keys, toy.email("a@b"), toy.city_people("7"), toy.tag_notes("ann")]


def shapes_keys() -> list[AnyKey]:
    keys = [key(name) for name in ("ann", "bob", "a@b") for key in USERS]
    keys += [key("ann", "bob") for key in (shapes.session, shapes.session_seen)]
    keys += [key(7) for key in (shapes.ways_out, shapes.ways_into)]
    keys += [shapes.visits(date(2026, 2, 28)), shapes.visited_days()]
    return [*keys, shapes.ranks(), shapes.with_sessions()]


def blow(chance: random.Random, key: AnyKey) -> tuple[str, tuple[Arg, ...]]:
    """A write to a key, of its own kind more often than not."""
    name, number = chance.choice(NAMES), chance.randrange(1, 4)
    fields = [field.name for field in key.declared.kind.fields] or ["strange"]
    document = '{"id":"%s","author":"ann","author_display":"%s","text":"","likes_count":%d,"tags":["ann"]}'
    own: dict[str, list[tuple[str, tuple[Arg, ...]]]] = {
        "hash": [("HSET", (chance.choice([*fields, "strange"]), chance.choice([*NAMES, number])))],
        "set": [("SADD", (name,)), ("SREM", (name,))],
        "zset": [("ZADD", (number, name)), ("ZREM", (name,))],
        "string": [("SET", (chance.choice([*NAMES, number, document % (NOTE, "ann", number)]), "KEEPTTL"))],
    }
    other: list[tuple[str, tuple[Arg, ...]]] = [
        ("PERSIST", ()),
        ("EXPIRE", (chance.choice([HOUR, DAY, 2 * DAY]),)),
        ("DEL", ()),
        ("RPUSH", (name,)),
    ]
    return chance.choice(own[key.declared.kind.redis_type] * 8 + other)


async def beat(store: Store, keys: list[AnyKey], seed: int) -> None:
    chance = random.Random(seed)
    blows = [(key, *blow(chance, key)) for key in chance.choices(keys, k=BLOWS)]
    replies = await store.try_pipeline([(verb, key, *args) for key, verb, args in blows])
    assert {reply.code for reply in replies if isinstance(reply, ReplyError)} <= {"WRONGTYPE"}


@pytest.fixture
async def shapes_store(place: Place) -> AsyncIterator[Store]:
    async with open_store(place, shapes.REGISTRY) as store:
        yield store


@pytest.mark.parametrize("damage", [damage for _, damage in ALL.values()], ids=ALL)
async def test_a_check_finds_what_every_row_by_itself_shows(town: Town, damage: Damage) -> None:
    await damage(town)
    expected = await exhaustive(town.store)
    assert expected
    assert findings(await check(town.store)) == expected


@pytest.mark.parametrize("seed", SEEDS)
async def test_so_it_does_after_any_damage(town: Town, seed: int) -> None:
    await beat(town.store, toy_keys(), seed)
    expected = await exhaustive(town.store)
    assert len({kind for kind, _, _ in expected}) > 2
    assert findings(await check(town.store)) == expected


@pytest.mark.parametrize("seed", SEEDS)
async def test_so_it_does_with_keys_of_every_shape(shapes_store: Store, seed: int) -> None:
    await beat(shapes_store, shapes_keys(), seed)
    expected = await exhaustive(shapes_store)
    assert len({kind for kind, _, _ in expected}) > 2
    assert findings(await check(shapes_store)) == expected


@pytest.fixture
def asked_about(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """Entries whose two sides were compared one by one."""
    asked: list[Entry] = []
    rows_of_entries = RowReader.rows_of_entries

    async def note(self: RowReader, rule: TwoSidedRule, entries: Iterable[Entry]) -> list[Row]:
        some = list(entries)
        asked.extend(some)
        return await rows_of_entries(self, rule, some)

    monkeypatch.setattr(RowReader, "rows_of_entries", note)
    return asked


async def test_what_balances_is_not_asked_about(town: Town, asked_about: list[Entry]) -> None:
    assert (await check(town.store)).clean
    assert asked_about == []


async def test_only_what_does_not_balance_is(town: Town, asked_about: list[Entry]) -> None:
    await town.do("SADD", toy.city_people("oslo"), "ann")
    assert not (await check(town.store)).clean
    assert set(asked_about) == {(("oslo",), b"ann", None)}


async def test_members_are_asked_about_in_portions(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_reader, "PORTION", 1)
    await beat(town.store, toy_keys(), 1)
    await town.do("SADD", toy.city_people("rome"), *(f"ghost-{number}" for number in range(600)))
    report = await check(town.store)
    assert findings(report) == await exhaustive(town.store)
    assert sum(report.tallies[FindingKind.GROUPS].values()) > 600

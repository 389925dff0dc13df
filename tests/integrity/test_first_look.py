"""The first look passes over nothing that a question would find."""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import date

import pytest

from tests.integrity import shapes
from tests.integrity.damage import MENDABLE, REFUSED, Damage, Town
from tests.integrity.exhaustive import exhaustive, findings
from tests.support.squares import Place
from tests.toy import keys as toy
from townsquare.integrity import books, check, first_look, membership, pairs
from townsquare.integrity.findings import FindingKind
from townsquare.integrity.members import Stride
from townsquare.integrity.reads import Ground
from townsquare.integrity.survey import Survey
from townsquare.keyspace import DAY, HOUR, AnyKey, Pairs, mint_id
from townsquare.store.store import Store
from townsquare.store.wire.connection import Arg, ReplyError
from townsquare.store.wire.nodes import connect

ALL = {**MENDABLE, **REFUSED}
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
    data, cache = await connect(place.data_url), await connect(place.cache_url)
    store = Store(shapes.REGISTRY, "test", data, cache)
    yield store
    await store.close()


@pytest.mark.parametrize("damage", [damage for _, damage in ALL.values()], ids=ALL)
async def test_a_check_finds_what_every_question_would(town: Town, damage: Damage) -> None:
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
def looked_closer_at(monkeypatch: pytest.MonkeyPatch) -> list[AnyKey]:
    """Members of these sets were held against the other side one by one."""
    looked: list[AnyKey] = []

    def note(strides: Sequence[Stride]) -> None:
        looked.extend(stride.key for stride in strides for _ in stride.members)

    def look_behind(
        ground: Ground, relations: tuple[membership.Membership, ...], strides: Sequence[Stride]
    ) -> Survey:
        note(strides)
        return membership.look_behind_members(ground, relations, strides)

    def look_across(ground: Ground, pair: Pairs, strides: Sequence[Stride], *, from_left: bool) -> Survey:
        note(strides)
        return pairs.look_across(ground, pair, strides, from_left=from_left)

    monkeypatch.setattr(books, "look_behind_members", look_behind)
    monkeypatch.setattr(books, "look_across", look_across)
    return looked


async def test_what_balances_is_not_looked_at_closer(town: Town, looked_closer_at: list[AnyKey]) -> None:
    assert (await check(town.store)).clean
    assert looked_closer_at == []


async def test_only_what_does_not_balance_is(town: Town, looked_closer_at: list[AnyKey]) -> None:
    await town.do("SADD", toy.city_people("oslo"), "ann")
    assert not (await check(town.store)).clean
    assert toy.city_people("oslo") in looked_closer_at
    assert {key.declared for key in looked_closer_at} == {toy.city_people}


async def test_members_are_asked_about_in_portions(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "MEMBERS", 1)
    await beat(town.store, toy_keys(), 1)
    await town.do("SADD", toy.city_people("rome"), *(f"ghost-{number}" for number in range(600)))
    report = await check(town.store)
    assert findings(report) == await exhaustive(town.store)
    assert sum(report.tallies[FindingKind.GROUPS].values()) > 600

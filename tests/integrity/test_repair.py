import pytest

from tests.integrity.damage import Town
from tests.toy.keys import city_people, email, follows, person, visits
from townsquare.integrity import FindingKind, Outcome, check
from townsquare.integrity import repair as repairing
from townsquare.integrity.confirm import Confirmed, Confirmer
from townsquare.integrity.repair import Repairer
from townsquare.integrity.rules import rules_for
from townsquare.integrity.rules.declared import TypeRule
from townsquare.integrity.rules.expires import ExpiresRule
from townsquare.integrity.rules.rule import Row, Rule, Suspicion
from townsquare.integrity.store_reader import StoreReader, Unknown, raw, slot_of
from townsquare.keyspace import DAY, HOUR, AnyKey, Expires, Role
from townsquare.store.keys import quarantine

STRANGE = "test:toy:some thing:{odd}"


async def confirmed(town: Town, rule: Rule, row: Row) -> tuple[Repairer, Confirmed]:
    reader = StoreReader(town.store)
    confirmer = Confirmer(reader)
    found = await confirmer.confirm(Suspicion(rule, row))
    assert isinstance(found, Confirmed)
    return Repairer(reader, confirmer), found


async def confirmed_member(town: Town, key: AnyKey, member: bytes) -> tuple[Repairer, Confirmed]:
    (side,) = [side for side in rules_for(town.store.registry, -1)[key.declared].sides if side.by_members]
    return await confirmed(town, side.rule, Row(key, -1, entry=(key.values, member, None)))


async def test_a_repair_does_not_overwrite_a_newer_write(town: Town) -> None:
    await town.do("SREM", city_people("rome"), "ann")
    repairer, found = await confirmed_member(town, city_people("rome"), b"ann")
    await town.do("SADD", city_people("rome"), "ann")
    assert not await repairer.repair(found)


async def test_a_repair_is_not_made_twice(town: Town) -> None:
    await town.do("SADD", city_people("rome"), "zoe")
    repairer, found = await confirmed_member(town, city_people("rome"), b"zoe")
    assert await repairer.repair(found)
    assert not await repairer.repair(found)


async def test_a_repair_gives_way_when_the_truth_changes_beside_it(town: Town) -> None:
    await town.do("HSET", person("ann"), "city", "oslo")
    repairer, found = await confirmed_member(town, city_people("rome"), b"ann")
    await town.do("SREM", city_people("rome"), "ann")
    await town.do("HSET", person("ann"), "city", "rome")
    await town.do("SADD", city_people("rome"), "ann")
    await repairer.repair(found)
    assert (await check(town.store, repair=True)).clean
    assert await town.store.call("SISMEMBER", city_people("rome"), "ann")


async def test_a_lifetime_that_was_shortened_meanwhile_is_not_prolonged(town: Town) -> None:
    key = visits("ann", "v")
    await town.do("EXPIRE", key, DAY)
    repairer, found = await confirmed(town, ExpiresRule(Expires(key.declared), -1), Row(key, -1))
    await town.do("EXPIRE", key, 60)
    assert await repairer.repair(found)
    assert await town.store.call("TTL", key) <= 60


async def test_a_lifetime_is_the_declared_one(town: Town) -> None:
    key = visits("ann", "v")
    await town.do("PERSIST", key)
    await check(town.store, repair=True)
    assert HOUR - 5 <= await town.store.call("TTL", key) <= HOUR


async def test_what_is_not_understood_is_kept_in_quarantine(town: Town) -> None:
    await town.set_raw(STRANGE, "precious")
    report = await check(town.store, repair=True)
    assert [finding.outcome for finding in report.findings] == [Outcome.QUARANTINED]
    assert await town.store.call("GET", quarantine(STRANGE)) == b"precious"
    assert 6 * DAY < await town.store.call("TTL", quarantine(STRANGE)) <= 7 * DAY


async def test_a_second_key_of_one_name_does_not_replace_the_first(town: Town) -> None:
    for value in ("one", "two"):
        await town.set_raw(STRANGE, value)
        await check(town.store, repair=True)
    assert await town.store.call("GET", quarantine(STRANGE)) == b"one"
    assert await town.store.call("GET", quarantine(f"{STRANGE}~2")) == b"two"


async def test_a_full_quarantine_is_a_reason_to_refuse(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repairing, "COPIES", 1)
    await town.set_raw(STRANGE, "one")
    await check(town.store, repair=True)
    await town.set_raw(STRANGE, "two")
    (finding,) = (await check(town.store, repair=True)).findings
    assert finding.outcome is Outcome.REFUSED
    assert "quarantine has 1 keys of this name" in finding.note


async def test_a_name_that_is_no_text_is_kept_as_well(town: Town) -> None:
    side = town.store.role_stores[Role.DATA]
    name = b"test:toy:\xff\xfe"
    unknown = Unknown(Role.DATA, name.decode(errors="surrogateescape"))
    assert raw(unknown.name) == name
    await side.nodes.execute(slot_of(unknown, side.layout), "SET", name, "x")
    (finding,) = (await check(town.store, repair=True)).findings
    assert finding.key == r"test:toy:\xff\xfe"
    assert await town.store.call("GET", quarantine(finding.key)) == b"x"
    assert not (await check(town.store)).findings


async def test_a_name_that_is_no_text_is_not_a_declared_key(town: Town) -> None:
    side = town.store.role_stores[Role.DATA]
    for name in (town.store.name(follows("zoe")), town.store.name(email("zoe"))):
        unknown = Unknown(Role.DATA, name.replace("zoe", "\udcff"))
        await side.nodes.execute(slot_of(unknown, side.layout), "SADD", raw(unknown.name), "ann")
    report = await check(town.store, repair=True)
    assert report.tallies == {FindingKind.UNDECLARED: {Outcome.QUARANTINED: 2}}
    assert not (await check(town.store)).findings


async def test_an_undeclared_field_is_kept_with_its_value(town: Town) -> None:
    await town.do("HSET", person("ann"), "shoe_size", 39, "hat", "blue")
    await check(town.store, repair=True)
    name = town.store.name(person("ann"))
    assert await town.store.call("GET", quarantine(f"{name}#shoe_size")) == b"39"
    assert await town.store.call("GET", quarantine(f"{name}#hat")) == b"blue"
    assert not await town.store.call("HEXISTS", person("ann"), "hat")


async def test_a_key_that_changes_while_it_is_moved_stays(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = city_people("rome")
    await town.do("DEL", key)
    await town.do("RPUSH", key, "a")
    repairer, found = await confirmed(town, TypeRule(key.declared, derived=True), Row(key, -1))
    keep = Repairer._keep

    async def keep_slowly(self: Repairer, name: str, verb: str, content: bytes) -> AnyKey:
        copy = await keep(self, name, verb, content)
        await town.do("RPUSH", key, "b")
        return copy

    monkeypatch.setattr(Repairer, "_keep", keep_slowly)
    assert not await repairer.repair(found)
    assert await town.store.call("LLEN", key) == 2
    assert not await town.store.call("EXISTS", quarantine(town.store.name(key)))

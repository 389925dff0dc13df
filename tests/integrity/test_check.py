import asyncio

import pytest

from tests.integrity.damage import REFUSED, REPAIRABLE, Damage, Town, build
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from tests.toy.fixtures import open_toy
from tests.toy.keys import city_people, email, note, people_joined, person, tag_notes
from tests.toy.service import Toy
from townsquare.integrity import FindingKind, Outcome, check
from townsquare.integrity.confirm import Confirmer
from townsquare.integrity.findings import DONE
from townsquare.integrity.rules.rule import Suspicion
from townsquare.keyspace import DAY
from townsquare.problems import Unavailable
from townsquare.store.coordination.claims import CLAIM_MS
from townsquare.store.store import Store

ALL = {**REPAIRABLE, **REFUSED}


async def state(store: Store) -> dict[str, object]:
    """Everything that Redis holds, as it would be restored."""
    dumped: dict[str, object] = {}
    for side in store.role_stores.values():
        for node in side.nodes.connections():
            _, names = await node.execute("SCAN", 0, "COUNT", 10_000)
            for name in names:
                dumped[name.decode(errors="replace")] = await node.execute("DUMP", name)
    return dumped


async def test_a_sound_store_is_clean(town: Town) -> None:
    report = await check(town.store)
    assert report.clean
    assert not report.findings
    assert report.keys > 15


async def test_an_empty_store_is_clean(store: Store) -> None:
    assert (await check(store)).clean


@pytest.mark.parametrize(("kind", "damage"), ALL.values(), ids=ALL)
async def test_damage_is_found_and_left_alone(town: Town, kind: FindingKind, damage: Damage) -> None:
    await damage(town)
    before = await state(town.store)
    report = await check(town.store)
    assert kind in report.tallies
    assert not report.clean
    assert {finding.outcome for finding in report.findings} == {Outcome.FOUND}
    assert await state(town.store) == before


@pytest.mark.parametrize(("kind", "damage"), REPAIRABLE.values(), ids=REPAIRABLE)
async def test_damage_is_repaired(town: Town, kind: FindingKind, damage: Damage) -> None:
    await damage(town)
    report = await check(town.store, repair=True)
    assert report.clean, report.findings
    assert set(report.tallies[kind]) <= DONE
    assert all(finding.note for finding in report.findings)
    again = await check(town.store, repair=True)
    assert not again.findings


@pytest.mark.parametrize(("kind", "damage"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_decided_is_refused_with_a_reason(
    town: Town, kind: FindingKind, damage: Damage
) -> None:
    await damage(town)
    report = await check(town.store, repair=True)
    assert report.tallies[kind][Outcome.REFUSED] == 1
    assert not report.clean
    assert all(finding.note for finding in report.findings)
    again = await check(town.store, repair=True)
    assert again.tallies == {kind: {Outcome.REFUSED: 1}}


async def test_all_damage_at_once_is_repaired(town: Town) -> None:
    before = await state(town.store)
    for kind, damage in REPAIRABLE.values():
        if kind is not FindingKind.TYPE:
            await damage(town)
    report = await check(town.store, repair=True)
    assert report.clean, [finding for finding in report.findings if finding.outcome not in DONE]
    assert report.total > 20
    after = await state(town.store)
    kept = {name: dump for name, dump in after.items() if "quarantine" not in name}
    assert set(kept) == set(before)
    assert (await check(town.store)).clean


async def test_a_finding_is_told_once_from_both_sides(town: Town) -> None:
    await REPAIRABLE["wrong score"][1](town)
    report = await check(town.store)
    (finding,) = report.findings
    assert finding.kind is FindingKind.ORDERS
    assert finding.key == town.store.name(people_joined())
    assert finding.problem.startswith("has 'ann' at 1.5, should be at ")


async def test_the_derived_side_follows_the_truth(town: Town) -> None:
    await town.do("HSET", person("ann"), "display", "ANN", "city", "oslo", "email", "new@example.org")
    assert (await check(town.store, repair=True)).clean
    document = await town.store.get(note(town.note_id))
    assert document is not None
    assert document.author_display == "ANN"
    assert await town.store.get(email("new@example.org")) == "ann"
    assert await town.store.get(email("ann@example.org")) is None


async def test_a_repaired_document_keeps_its_nulls_and_empty_lists(town: Town) -> None:
    raw = (
        b'{"id":"%s","author":"ann","author_display":"x","text":"","likes_count":9,"tags":[],"answers":null}'
    )
    await town.do("DEL", tag_notes("a"))
    await town.do("DEL", tag_notes("b"))
    await town.do("SET", note(town.note_id), raw % town.note_id.encode())
    assert (await check(town.store, repair=True)).clean
    repaired = await town.store.call("GET", note(town.note_id))
    assert b'"tags":[],"answers":null' in repaired
    assert b'"author_display":"Ann"' in repaired


async def test_other_environments_are_never_touched(town: Town) -> None:
    await town.set_raw("prod:toy:nonsense", "x")
    await town.set_raw("testing:toy:nonsense", "x")
    await town.set_raw("nonsense", "x")
    before = await state(town.store)
    report = await check(town.store, repair=True)
    assert not report.findings
    assert await state(town.store) == before


async def test_both_roles_in_one_database_are_walked_once(place: Place, clock: PinnedClock) -> None:
    async with open_toy(Place(place.name, place.data_url, place.data_url), clock) as shared:
        await build(shared)
        report = await check(shared.store)
        assert not report.findings


@pytest.mark.parametrize("strays", [0, 1])
async def test_progress_ends_where_it_said(town: Town, strays: int) -> None:
    for number in range(strays):
        await town.do("SADD", city_people("rome"), f"ghost-{number}")
    steps: list[tuple[int, int]] = []
    await check(town.store, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] > 0
    assert steps == sorted(steps)


async def test_a_check_that_fails_says_why_and_leaves_nothing_behind(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    await town.do("HSET", person("ann"), "follows_count", 7)
    await town.do("HSET", person("bob"), "follows_count", 7)

    async def lose_the_store(self: Confirmer, suspicion: Suspicion) -> None:
        raise Unavailable

    monkeypatch.setattr(Confirmer, "confirm", lose_the_store)
    before = asyncio.all_tasks()
    with pytest.raises(Unavailable):
        await check(town.store)
    assert asyncio.all_tasks() == before


@pytest.mark.slow
async def test_large_sets_are_walked_to_the_end(town: Town) -> None:
    strays = [f"ghost-{number}" for number in range(1500)]
    await town.do("SADD", city_people("rome"), *strays)
    report = await check(town.store, repair=True)
    assert report.tallies == {FindingKind.GROUPS: {Outcome.REPAIRED: 1500}}
    assert len(report.findings) == 1000
    assert report.total - len(report.findings) == 500
    assert sorted(await town.store.call("SMEMBERS", city_people("rome"))) == [b"ann", b"bob", b"cyd"]


async def test_a_claim_on_its_way_is_no_fault(service_on_cluster: Toy) -> None:
    store = service_on_cluster.store
    for claim_ms in (20_000, CLAIM_MS):
        await store.call("SET", email("new@example.org"), "zoe", "PX", claim_ms)
        assert (await check(store, repair=True)).total == 0
    await store.call("EXPIRE", email("new@example.org"), DAY)
    assert (await check(store)).tallies.keys() == {FindingKind.INDEXES, FindingKind.EXPIRES}

"""Scripts of other homes that may refuse what they are asked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from tests.toy.crash import crash
from tests.toy.fixtures import open_toy
from tests.toy.keys import home_of, note, note_likes, praises, toy
from tests.toy.service import NoSuchNote, NoSuchPerson, PraiseNote, Toy
from townsquare.keyspace import DeclarationError, Role, mint_id
from townsquare.store.keys import REFUSAL_SECONDS, outbox, outbox_lease, outbox_refused
from townsquare.store.scripts import LuaFolder, Script, folder


async def liked_by(service: Toy, id: str) -> list[bytes]:
    """Who likes a note, which says how many they are."""
    members: list[bytes] = sorted(await service.store.call("SMEMBERS", note_likes(id)))
    record = await service.store.get(note(id))
    assert record is not None
    assert record.likes_count == len(members)
    return members


async def refusals_kept(service: Toy) -> list[str]:
    found = [name for names in [names async for names in service.store.scan(Role.DATA)] for name in names]
    return [name for name in found if ":refused:" in name]


@pytest.fixture
async def id(service: Toy) -> str:
    await service.join("ann")
    await service.join("bob")
    return await service.write("ann", "hello")


async def test_what_is_not_refused_stands_on_both_homes(service: Toy, id: str) -> None:
    assert await service.praise(id, "bob") == 1
    assert await liked_by(service, id) == [b"bob"]
    assert await service.store.call("SMEMBERS", praises("bob")) == [id.encode()]
    await assert_clean(service.store)


async def test_a_refusal_of_another_home_is_raised_and_nothing_stands(service: Toy, id: str) -> None:
    with pytest.raises(NoSuchPerson):
        await service.praise(id, "nobody")
    assert await liked_by(service, id) == []
    assert await refusals_kept(service) == []
    await assert_clean(service.store)


async def test_the_home_itself_refuses_before_it_asks(service: Toy) -> None:
    with pytest.raises(NoSuchNote):
        await service.praise(mint_id("0a3"), "nobody")


async def test_refusals_are_told_apart_where_many_are_asked(service: Toy, id: str) -> None:
    for who in ("bob", "nobody"):
        try:
            _, refusals = await service.store.run_asking(PraiseNote(id=id, who=who))
        except NoSuchPerson:  # on one node it is refused in place
            assert who == "nobody"
        else:
            assert [bool(refusal) for refusal in refusals] in ([], [who == "nobody"])


async def drained_by_another(service: Toy, other: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the other process drains what this one hands over."""

    async def drain(bucket: str) -> None:
        await other.store.effects.drain(bucket)

    monkeypatch.setattr(service.store.effects, "drain", drain)


async def test_a_refusal_is_raised_also_when_another_process_hears_of_it(
    service_on_cluster: Toy, cluster_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = service_on_cluster
    await service.join("ann")
    id = await service.write("ann", "hello")
    async with open_toy(cluster_place, clock) as other:
        await drained_by_another(service, other, monkeypatch)
        with pytest.raises(NoSuchPerson):
            await service.praise(id, "nobody")
        await service.join("bob")
        assert await service.praise(id, "bob") == 1
    assert await liked_by(service, id) == [b"bob"]
    (kept,) = await refusals_kept(service)
    key = service.store.registry.parse(kept, service.store.role_store(note(id)).layout)
    assert key is not None
    assert key.declared is outbox_refused
    assert 0 < await service.store.call("TTL", key) <= REFUSAL_SECONDS
    await assert_clean(service.store)


async def after_crash(service: Toy) -> None:
    await service.store.call("DEL", outbox_lease(home_of("ann")))
    while await service.store.effects.sweep():
        pass
    assert await service.store.call("XLEN", outbox(home_of("ann"))) == 0


@pytest.mark.parametrize("point", ["refused", "taken_back"])
async def test_a_refusal_survives_a_crash_of_who_was_to_take_the_write_back(
    service_on_cluster: Toy, cluster_place: Place, point: str
) -> None:
    service = service_on_cluster
    await service.join("ann")
    id = await service.write("ann", "hello")
    await crash(cluster_place, point, id)
    assert await liked_by(service, id) == ([b"nobody"] if point == "refused" else [])
    await after_crash(service)
    assert await liked_by(service, id) == []
    await assert_clean(service.store)


@pytest.mark.parametrize("point", ["refused", "taken_back"])
async def test_both_sides_agree_when_a_refusal_would_be_none_after_the_crash(
    service_on_cluster: Toy, cluster_place: Place, point: str
) -> None:
    service = service_on_cluster
    await service.join("ann")
    id = await service.write("ann", "hello")
    await crash(cluster_place, point, id)
    await service.join("nobody")
    await after_crash(service)
    theirs = await service.store.call("SMEMBERS", praises("nobody"))
    assert await liked_by(service, id) == ([b"nobody"] if theirs else [])
    await assert_clean(service.store)


ASKING = """--[[
  Asks.

  Keys:   person(name)
  Asks:   answer (no_such_person)
  Input:  name string
  Output: nothing
]]
return ask.answer(name)
"""
ANSWER = """--[[
  Refuses.

  Keys:    person(who)
  Refused: take_back(who)
  Input:   who string
  Output:  nothing
  Errors:  no_such_person
]]
return refuse('no_such_person')
"""
TAKE_BACK = """--[[
  Takes nothing back.

  Keys:   person(name)
  Input:  name string
  Output: nothing
]]
"""


class Asking(Script[None]):
    name: str


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.setattr(folder, "SCRIPTS", {})
    monkeypatch.setattr(folder, "BY_STRUCT", {})

    def load(**changed: tuple[str, str]) -> None:
        (tmp_path / "effects").mkdir()
        for name, source in {"asking": ASKING, "answer": ANSWER, "take_back": TAKE_BACK}.items():
            place = tmp_path if name == "asking" else tmp_path / "effects"
            (place / f"{name}.lua").write_text(source.replace(*changed.get(name, ("", ""))))
        LuaFolder(toy, tmp_path).script(Asking)

    return load


def test_errors_of_what_is_asked_are_those_of_the_script(load: Callable[..., None]) -> None:
    load()
    assert folder.BY_STRUCT[Asking].errors == {"no_such_person"}


@pytest.mark.parametrize(
    ("file", "before", "after", "complaint"),
    [
        ("asking", "Asks:   answer", "Asks:   anser", r"asking\.lua: there is no script toy\.anser"),
        ("asking", "(no_such_person)", "(no_such_note)", r"answer refuses with \['no_such_person'\], not"),
        ("answer", "Output:  nothing", "Output:  outcome string", "must have no output and no asks"),
        ("answer", "  Refused: take_back(who)\n", "", "has no `Refused:` script that undoes the write"),
        ("answer", "take_back(who)", "take_bak(who)", r"answer\.lua: there is no script toy\.take_bak"),
        ("answer", "take_back(who)", "take_back(whom)", r"Refused: take_back takes \(name\) of its inputs"),
        ("answer", "take_back(who)", "take_back()", r"Refused: take_back takes \(name\) of its inputs"),
    ],
)
def test_a_wrong_ask_fails_at_import(
    load: Callable[..., None], file: str, before: str, after: str, complaint: str
) -> None:
    with pytest.raises(DeclarationError, match=complaint):
        load(**{file: (before, after)})

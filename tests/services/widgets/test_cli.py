import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec
import pytest

from tests.services.widgets.given import ID, OTHER_ID, OTHER_URL, TOKEN, URL, visitor
from tests.support.clock import PinnedClock
from tests.support.commands import Say, commands_on
from tests.support.squares import Place, assert_clean, open_square, raw_names
from townsquare.services.widgets import keys
from townsquare.services.widgets.keys import KINDS
from townsquare.square import Square

Do = Callable[[Callable[[Square], Awaitable[Any]]], Any]


@pytest.fixture
def say(place: Place, clock: PinnedClock) -> Iterator[Say]:
    with commands_on(lambda: open_square(place, clock)) as say:
        yield say


@pytest.fixture
def do(place: Place, clock: PinnedClock) -> Do:
    def run(work: Callable[[Square], Awaitable[Any]]) -> Any:
        async def opened() -> Any:
            async with open_square(place, clock) as square:
                return await work(square)

        return asyncio.run(opened())

    return run


async def fill(square: Square) -> None:
    for url in (URL, OTHER_URL):
        for service in square.widgets.by_kind.values():
            await service.create(url, TOKEN)
    for id in (ID, OTHER_ID):
        await square.widgets.counter.increment(id, visitor())
        await square.widgets.like.toggle(id, visitor())
        await square.widgets.ranking.submit(id, visitor(), "ann", 1)
        await square.widgets.bbs.post(id, visitor(), "hi")


def test_show_tells_how_many_keys_there_are(say: Say, do: Do) -> None:
    do(fill)
    shown = say("show")
    assert shown.exit_code == 0, shown.output
    assert "daily:{day}" in shown.output
    widgets = msgspec.json.decode(say("show", "--json").stdout)["children"]["widgets"]["children"]
    assert widgets["url"]["children"]["like"]["children"]["{url}"]["keys"] == 2


def test_show_key_prints_one_key(say: Say, do: Do) -> None:
    do(fill)
    shown = say("show", "key", f"widgets:like:{ID}")
    assert shown.exit_code == 0, shown.output
    assert "does not expire" in shown.output
    assert msgspec.json.decode(say("show", "key", f"widgets:like:{ID}", "--json").stdout)["exists"]
    assert say("show", "key", "system:lease:nobody").exit_code == 1
    assert "No declaration has this key" in say("show", "key", "nothing").output


def test_memory_lists_declarations_and_largest_keys(say: Say, do: Do) -> None:
    do(fill)
    shown = say("memory")
    assert shown.exit_code == 0, shown.output
    assert "Growth: unknown" in shown.output
    report = msgspec.json.decode(say("memory", "--json").stdout)
    assert report["bytes"] == sum(row["bytes"] for row in report["declarations"]) > 0


def test_widgets_are_listed(say: Say, do: Do) -> None:
    do(fill)
    shown = say("show", "widgets")
    assert shown.exit_code == 0, shown.output
    assert "2 counter, 2 like, 2 ranking, 2 bbs" in shown.output
    rows = msgspec.json.decode(say("show", "widgets", "like", "--json").stdout)
    assert {row["id"] for row in rows} == {ID, OTHER_ID}
    assert {row["figure"] for row in rows} == {1}
    assert len(msgspec.json.decode(say("show", "widgets", "--limit", "1", "--json").stdout)) == 4
    assert "$argon2" not in shown.output


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_operator_deletes_a_widget(say: Say, do: Do, kind: str) -> None:
    do(fill)
    assert say("delete", "widget", kind, ID, typed="n\n").exit_code == 1
    deleted = say("delete", "widget", kind, ID, "--yes")
    assert (deleted.exit_code, deleted.output) == (0, f"{kind} {ID} deleted\n")

    async def left(square: Square) -> list[str]:
        await assert_clean(square.store)
        names = await raw_names(square.store)
        return [
            name for name in names if f"{kind}:{ID}" in name or f"url:{kind}:https%3A%2F%2Fexample" in name
        ]

    assert do(left) == []
    again = say("delete", "widget", kind, ID, "--yes")
    assert again.exit_code == 1
    assert "There is no such widget" in again.output
    assert say("delete", "widget", "sofa", ID, "--yes").exit_code == 2


def test_cleanup_says_first_and_removes_when_told(say: Say, do: Do) -> None:
    async def damage(square: Square) -> None:
        await fill(square)
        store = square.store
        await store.call("SET", keys.counter(ID), b"{broken \xff")
        await store.call("DEL", keys.like(ID))
        await store.call("DEL", keys.ranking(ID))
        await store.call("LPUSH", keys.ranking(ID), "not a record")
        record = await store.call("GET", keys.bbs(ID))
        await store.call("SET", keys.bbs(ID), record.replace(b"example.com", b"example.org"))

    do(damage)
    before = do(lambda square: raw_names(square.store))
    dry = say("cleanup")
    assert dry.exit_code == 1, dry.output
    for kind in ("counter", "ranking", "bbs"):
        assert f"invalid: {kind} {ID}" in dry.output
    assert "Nothing was changed" in dry.output
    assert do(lambda square: raw_names(square.store)) == before
    applied = say("cleanup", "--apply")
    assert applied.exit_code == 0, applied.output

    async def after(square: Square) -> set[str]:
        await assert_clean(square.store)
        assert (await square.widgets.counter.get(OTHER_ID)).total == 1
        assert (await square.widgets.counter.create(URL, TOKEN)).total == 0
        await square.widgets.counter.delete(ID, TOKEN)
        left = {name for name in await raw_names(square.store) if ID in name or "example" in name}
        return {name for name in left if "quarantine" not in name}

    assert do(after) == set()
    assert say("cleanup").exit_code == 0

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from click.testing import CliRunner

from tests.integrity.damage import REFUSED, REPAIRABLE, build
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from tests.toy.fixtures import open_toy
from tests.toy.keys import REGISTRY, email
from townsquare.cli.integrity import mount
from townsquare.kit.commands import Commands
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect


@pytest.fixture
def cli(plain_place: Place) -> Commands:
    app = Commands()

    @asynccontextmanager
    async def open_store() -> AsyncIterator[Store]:
        async with open_toy(plain_place, PinnedClock()) as service:
            yield service.store

    mount(app, REGISTRY, open_store)
    return app


def damage(place: Place, *names: str) -> None:
    async def do() -> None:
        async with open_toy(place, PinnedClock()) as service:
            town = await build(service)
            for name in names:
                await {**REPAIRABLE, **REFUSED}[name][1](town)

    asyncio.run(do())


def test_a_clean_store_exits_with_0(cli: Commands, plain_place: Place) -> None:
    damage(plain_place)
    result = CliRunner().invoke(cli, ["check"])
    assert result.exit_code == 0
    assert "keys checked: clean." in result.stdout


def test_findings_exit_with_1_and_are_listed(cli: Commands, plain_place: Place) -> None:
    damage(plain_place, "wrong count in a hash", "undeclared key")
    result = CliRunner().invoke(cli, ["check"])
    assert result.exit_code == 1
    assert "counts test:toy:person:ann follows_count is '7', should be 1" in result.stdout
    assert "undeclared key test:toy:nonsense" in result.stdout
    assert "2 findings left." in result.stdout


def test_a_repair_that_repairs_all_exits_with_0(cli: Commands, plain_place: Place) -> None:
    damage(plain_place, "wrong count in a hash", "stray index")
    result = CliRunner().invoke(cli, ["check", "--repair"])
    assert result.exit_code == 0
    assert "follows_count set to 1" in result.stdout
    assert "Repaired" in result.stdout
    assert CliRunner().invoke(cli, ["check"]).exit_code == 0


def test_a_repair_that_refuses_exits_with_1(cli: Commands, plain_place: Place) -> None:
    damage(plain_place, "required field lost")
    result = CliRunner().invoke(cli, ["check", "--repair"])
    assert result.exit_code == 1
    assert "lacks name — no other key has these values" in result.stdout


def test_json_is_one_document(cli: Commands, plain_place: Place) -> None:
    damage(plain_place, "wrong score")
    result = CliRunner().invoke(cli, ["check", "--json"])
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert not report["clean"]
    assert report["tallies"] == {"orders": {"found": 1}}
    assert report["findings"][0]["key"] == "test:toy:people:joined"


def test_more_than_fifty_findings_are_cut_short(cli: Commands, plain_place: Place) -> None:
    damage(plain_place)

    async def stray() -> None:
        async with open_toy(plain_place, PinnedClock()) as service:
            for number in range(60):
                await service.store.call("SET", email(f"{number}@example.org"), "zoe")

    asyncio.run(stray())
    result = CliRunner().invoke(cli, ["check"])
    assert "… and 10 more" in result.stdout


def test_a_key_name_is_not_taken_for_markup(cli: Commands, plain_place: Place) -> None:
    async def strange() -> None:
        async with open_toy(plain_place, PinnedClock()) as service:
            town = await build(service)
            await town.set_raw("test:toy:[red]x[/blue]", "x")

    asyncio.run(strange())
    assert "test:toy:[red]x[/blue]" in CliRunner().invoke(cli, ["check"]).stdout


def test_a_store_that_is_away_exits_with_2() -> None:
    app = Commands()

    @asynccontextmanager
    async def open_store() -> AsyncIterator[Store]:
        nodes = await connect("redis://127.0.0.1:1")
        yield Store(REGISTRY, "test", nodes, nodes)

    mount(app, REGISTRY, open_store)
    result = CliRunner().invoke(app, ["check"])
    assert result.exit_code == 2
    assert "Cannot check: Cannot reach Redis at" in result.stderr


@pytest.mark.parametrize("format", ["table", "markdown", "json"])
def test_keys_are_printed_in_every_format(cli: Commands, format: str) -> None:
    result = CliRunner().invoke(cli, ["keys", "--format", format], env={"COLUMNS": "140"})
    assert result.exit_code == 0
    assert "city:{city}:people" in result.stdout


def test_keys_of_one_service(cli: Commands) -> None:
    result = CliRunner().invoke(cli, ["keys", "system"])
    assert "outbox:{bucket}" in result.stdout
    assert "city:" not in result.stdout


def test_an_unknown_service_is_named_with_the_known_ones(cli: Commands) -> None:
    result = CliRunner().invoke(cli, ["keys", "nowhere"])
    assert result.exit_code == 2
    assert "there are: system, toy" in result.stderr

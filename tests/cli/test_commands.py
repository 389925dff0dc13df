import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tests.support.engines import throwaway_node
from tests.support.squares import Place
from townsquare.cli.all_commands import application
from townsquare.square import open as open_square
from townsquare.store.keys import job, jobs_open

COMMANDS = ["serve", "keys", "check", "cleanup", "jobs", "settings", "user", "show", "delete", "social"]
ID = "00000000-0000-4000-8000-0000000000aa"


@pytest.fixture
def settings_file(plain_place: Place, tmp_path: Path) -> str:
    file = tmp_path / "townsquare.toml"
    file.write_text(
        f'env = "test"\ndata_url = "{plain_place.data_url}"\ncache_url = "{plain_place.cache_url}"\n'
    )
    return str(file)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    shown = CliRunner().invoke(application(), [command, "--help"])
    assert shown.exit_code == 0
    assert "Usage" in shown.output


def test_the_help_names_every_command() -> None:
    shown = CliRunner().invoke(application(), ["--help"])
    assert all(command in shown.output for command in COMMANDS)


def test_open_jobs_are_listed_with_their_progress(plain_place: Place, settings_file: str) -> None:
    async def leave_a_job() -> None:
        async with open_square(settings=plain_place.settings(), background=False) as square:
            fields = {"id": ID, "kind": "toy.work", "args": "{}", "state": "open", "done": "7", "total": "20"}
            flat = [part for pair in {**fields, "started_at": "0"}.items() for part in pair]
            await square.store.call("HSET", job(ID), *flat)
            await square.store.call("ZADD", jobs_open(), 0, ID)

    asyncio.run(leave_a_job())
    shown = (
        CliRunner(env={"COLUMNS": "200"}).invoke(application(), ["jobs", "--config", settings_file]).output
    )
    assert "toy.work" in shown
    assert "7 of 20" in shown


def test_a_store_can_be_checked_by_its_settings_file(plain_place: Place, settings_file: str) -> None:
    asyncio.run(begin(plain_place))
    assert "No job is open" in CliRunner().invoke(application(), ["jobs", "--config", settings_file]).output
    shown = CliRunner().invoke(application(), ["check", "--config", settings_file])
    assert (shown.exit_code, "clean" in shown.output) == (0, True)


def test_check_refuses_a_redis_that_evicts_data_unless_told_otherwise() -> None:
    with throwaway_node(maxmemory_policy="allkeys-lru") as node:
        urls = {"TOWNSQUARE_DATA_URL": node.url, "TOWNSQUARE_CACHE_URL": node.url}
        refused = CliRunner(env=urls).invoke(application(), ["check"])
        assert refused.exit_code == 2
        assert "CONFIG SET maxmemory-policy noeviction" in refused.stderr
        asyncio.run(begin(Place("plain", node.url, node.url)))
        told = {**urls, "TOWNSQUARE_ALLOW_UNSAFE_STORE": "true", "TOWNSQUARE_ENV": "test"}
        checked = CliRunner(env=told).invoke(application(), ["check"])
        assert checked.exit_code == 0
        assert "a restart loses all accounts" in checked.stderr


async def begin(place: Place) -> None:
    """The first start of a server."""
    async with open_square(settings=place.settings(), background=False):
        pass


def test_the_help_of_a_command_is_known_before_its_module_is_imported() -> None:
    root: Any = application()
    context = click.Context(root)
    for name in root.list_commands(context):
        lazy = root.get_command(context, name)
        assert lazy.help.strip().splitlines()[0] == lazy.loaded.help.strip().splitlines()[0], name


def test_log_lines_are_not_among_what_a_command_prints() -> None:
    program = """
from townsquare.logger import get_logger
get_logger().info("search_texts_ready")
get_logger("townsquare.search").warning("the vector index does not answer", index="edge", password="hush")
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout == ""
    assert shown.stderr == "the vector index does not answer index='edge' password='[redacted]'\n"

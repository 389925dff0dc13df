"""Commands that look at data make none: no folder, no engine, no secret; and they say what is there."""

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support.engines import Node
from tests.support.squares import Place
from townsquare.cli.all_commands import application
from townsquare.open_store import require_folder
from townsquare.settings import Settings
from townsquare.square import open as open_square
from townsquare.store.engine import DataFolderUnusable

READING = [
    ["check"],
    ["check", "--repair"],
    ["cleanup"],
    ["jobs"],
    ["show"],
    ["show", "widgets"],
    ["delete", "record", "social", "user:alice", "--dry-run"],
    ["user", "find", "alice"],
    ["user", "export", "alice"],
]


@pytest.fixture(params=READING, ids=" ".join)
def command(request: pytest.FixtureRequest) -> list[str]:
    found: list[str] = request.param
    return found


def say(*words: str) -> Result:
    unset = {"TOWNSQUARE_DATA_URL": None, "TOWNSQUARE_CACHE_URL": None}
    return CliRunner(env=unset).invoke(application(), list(words), catch_exceptions=False)


def test_a_folder_that_is_not_there_is_not_made(command: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "typo"
    told = say(*command, "--data", str(folder))
    assert told.exit_code != 0
    assert "There is no data in the folder" in told.output
    assert not folder.exists()


def test_the_store_that_is_missing_is_named(tmp_path: Path) -> None:
    """Who gives the data by URL is not told that it is missing."""
    with pytest.raises(DataFolderUnusable, match=r"There is no cache in the folder .* TOWNSQUARE_CACHE_URL"):
        require_folder(Settings(data_url="redis://localhost", data_dir=str(tmp_path / "typo")))


def test_a_folder_of_something_else_stays_as_it_is(command: list[str], tmp_path: Path) -> None:
    told = say(*command, "--data", str(tmp_path))
    assert told.exit_code != 0
    assert list(tmp_path.iterdir()) == []


def test_an_environment_that_is_not_there_is_said(
    command: list[str], plain_place: Place, data_node: Node, tmp_path: Path
) -> None:
    file = settings_file(plain_place, tmp_path)
    told = say(*command, "--config", file)
    assert (told.exit_code != 0, "The store is empty" in told.output) == (True, True)
    asyncio.run(begin(plain_place))
    before = data_node.ask("DBSIZE")
    told = say(*command, "--config", file, "--env", "typo")
    assert told.exit_code != 0
    assert "no environment 'typo'; it has test" in " ".join(told.output.split())
    assert data_node.ask("DBSIZE") == before


def test_an_environment_without_a_kept_secret_gets_none(
    plain_place: Place, data_node: Node, tmp_path: Path
) -> None:
    """Its server has the secret from its settings."""
    asyncio.run(begin(plain_place, secret="a secret of thirty-two characters"))
    before = data_node.ask("DBSIZE")
    assert say("jobs", "--config", settings_file(plain_place, tmp_path)).exit_code == 0
    assert data_node.ask("DBSIZE") == before


def test_a_command_that_creates_may_be_the_first(plain_place: Place, tmp_path: Path) -> None:
    file = settings_file(plain_place, tmp_path)
    assert say("user", "create", "--username", "alice", "--config", file).exit_code == 0
    assert say("user", "find", "alice", "--config", file).exit_code == 0


def test_a_command_that_begins_in_a_new_folder_says_so(tmp_path: Path) -> None:
    """Who stands in another folder than the server would make a site that the server does not know."""
    folder = tmp_path / "data"
    told = say("user", "create", "--username", "alice", "--data", str(folder))
    assert told.exit_code == 0
    assert f"Created a new data folder: {folder}" in told.stderr
    assert "new data folder" not in say("user", "create", "--username", "bob", "--data", str(folder)).stderr


def settings_file(place: Place, folder: Path) -> str:
    file = folder / "townsquare.toml"
    file.write_text(f'env = "test"\ndata_url = "{place.data_url}"\ncache_url = "{place.cache_url}"\n')
    return str(file)


async def begin(place: Place, secret: str = "") -> None:
    async with open_square(settings=place.settings(secret=secret), background=False) as square:
        await square.social.profiles.register("alice")


def test_a_check_of_the_data_alone_says_that_the_cache_is_skipped(plain_place: Place, tmp_path: Path) -> None:
    async def use() -> None:
        async with open_square(settings=plain_place.settings()) as square:
            await square.accounts.sign_up("alice")

    asyncio.run(use())
    runner = CliRunner(env={"TOWNSQUARE_DATA_URL": plain_place.data_url, "TOWNSQUARE_CACHE_URL": None})
    for command in (["check"], ["check", "--repair"]):
        place = ["--env", "test", "--data", str(tmp_path / "none")]
        told = runner.invoke(application(), [*command, *place], catch_exceptions=False)
        assert told.exit_code == 0, told.output
        assert "The cache is skipped: TOWNSQUARE_CACHE_URL is not set" in told.stderr
        assert "clean" in told.stdout

import asyncio
import json
from pathlib import Path

from click.testing import CliRunner

from tests.support.squares import Place, open_square
from townsquare.cli.all_commands import application
from townsquare.clock import SystemClock


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(application(), ["doctor", *arguments])
    return result.exit_code, result.output


def written(place: Place, tmp_path: Path, more: str = "") -> str:
    file = tmp_path / "townsquare.toml"
    file.write_text(f'env = "test"\ndata_url = "{place.data_url}"\ncache_url = "{place.cache_url}"\n{more}')
    return str(file)


async def begin(place: Place) -> None:
    async with open_square(place, SystemClock()) as square:
        await square.accounts.sign_up("ann")


def test_findings_are_printed_with_their_advice_and_exit_code_1(plain_place: Place, tmp_path: Path) -> None:
    asyncio.run(begin(plain_place))
    config = written(plain_place, tmp_path)
    code, shown = run("--config", config)
    assert code == 1
    assert "(not_persistent)" in shown
    assert "→ Set `appendonly yes`" in shown
    code, shown = run("--config", config, "--json")
    findings = json.loads(shown)
    assert code == 1
    assert {"code", "severity", "title", "found", "advice"} == set(findings[0])
    assert "not_persistent" in [one["code"] for one in findings]


def test_a_store_that_does_not_answer_is_exit_code_2(tmp_path: Path) -> None:
    away = Place("plain", "unix:///nowhere/at/all", "unix:///nowhere/at/all")
    code, shown = run("--config", written(away, tmp_path))
    assert code == 2
    assert "Cannot examine" in shown

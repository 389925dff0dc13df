import asyncio
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.engines import Node
from tests.support.mail import mail_server
from townsquare import cli
from townsquare.cli import all_commands
from townsquare.settings import PREFIX, Settings
from townsquare.web.process.__main__ import supervise

runner = CliRunner()


def test_the_version_is_told() -> None:
    assert (
        runner.invoke(all_commands.application(), ["--version"]).stdout
        == f"townsquare {version('townsquare')}\n"
    )


def test_help_shows_examples() -> None:
    told = runner.invoke(all_commands.application(), ["serve", "--help"], env={"COLUMNS": "200"}).stdout
    assert "townsquare serve --port 9000" in told
    for option in ("--host", "--port", "--data", "--workers", "--env", "--config", "--log-format"):
        assert option in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--log-format", "loud"],
        ["serve", "--workers", "0"],
        ["serve", "--env", "No Good"],
        ["serve", "--config", "/no/such/file.toml"],
    ],
)
def test_a_wrong_setting_is_one_line_and_exit_code_2(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["townsquare", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_setting_that_a_service_refuses_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "square.toml"
    file.write_text('disabled_services = ["sociall"]\n')
    command = [sys.executable, "-m", "townsquare", "serve", "--config", str(file), "--port", "0"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr == "disabled_services: there is no sociall; did you mean social?\n"
    assert [*tmp_path.iterdir()] == [file]  # nothing was started


def test_a_settings_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Settings] = []
    monkeypatch.setattr("townsquare.web.process.server.serve", lambda load: seen.append(load()))
    monkeypatch.setattr("townsquare.cli.serve.become_supervisor", supervise)
    file = tmp_path / "square.toml"
    file.write_text('port = 9000\nenv = "staging"\n')
    result = runner.invoke(all_commands.application(), ["serve", "--config", str(file), "--env", "test"])
    assert result.exit_code == 0, result.output
    assert (seen[0].port, seen[0].env) == (9000, "test")


def serve_check(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environ |= {f"{PREFIX}{name.upper()}": value for name, value in settings.items()}
    command = [sys.executable, "-m", "townsquare", "serve", "--check", "--data", str(folder / "data")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environ)


@pytest.mark.slow
def test_serve_check_of_good_settings_starts_nothing(tmp_path: Path, data_node: Node) -> None:
    ended = serve_check(tmp_path, data_url=data_node.url)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0] == "settings  ok"
    assert "data" in ended.stdout
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "code", "message"),
    [
        ({"disabled_services": "sociall"}, 2, "there is no sociall"),
        ({"data_url": "redis://127.0.0.1:1"}, 1, "setting data_url"),
        ({"delivery": "smtp", "smtp_url": "smtp://127.0.0.1:1"}, 1, "mail server"),
    ],
)
def test_serve_check_says_what_is_wrong(
    tmp_path: Path, settings: dict[str, str], code: int, message: str
) -> None:
    ended = serve_check(tmp_path, **settings)
    assert ended.returncode == code
    assert message in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


@pytest.mark.slow
async def test_serve_check_connects_to_the_mail_server(tmp_path: Path) -> None:
    async with mail_server() as server:
        settings = {"delivery": "smtp", "smtp_url": server.url, "mail_from": "us@example.com"}
        ended = await asyncio.to_thread(serve_check, tmp_path, **settings)
    assert ended.returncode == 0, ended.stderr
    assert "mail      ok" in ended.stdout
    assert server.box.tries == 0

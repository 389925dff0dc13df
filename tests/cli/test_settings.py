from click.testing import CliRunner

from townsquare.cli.all_commands import application

WIDTH = 80


def test_values_in_force_are_shown_with_their_sources() -> None:
    environ = {
        "COLUMNS": str(WIDTH),
        "TOWNSQUARE_PORT": "9000",
        "TOWNSQUARE_ADMIN_TOKEN": "a token that nobody may see",
        "TOWNSQUARE_DATA_URL": "redis://me:hunter2@example.org:6379/0",
        "TOWNSQUARE_TRUSTED_PROXIES": ",".join(["10.0.0.0/8"] * 12),
    }
    shown = CliRunner(env=environ).invoke(application(), ["settings", "--env", "staging"])
    assert shown.exit_code == 0, shown.output
    lines = [line.rstrip() for line in shown.output.splitlines()]
    assert "port = 9000  (TOWNSQUARE_PORT)" in lines
    assert "env = staging  (given)" in lines
    assert "workers = 1  (default)" in lines
    assert "admin_token = ***  (TOWNSQUARE_ADMIN_TOKEN)" in lines
    assert "hunter2" not in shown.output
    assert max(map(len, lines)) <= WIDTH


def test_settings_are_printed_with_their_variables() -> None:
    assert "TOWNSQUARE_DATA_URL" in CliRunner().invoke(application(), ["settings", "--markdown"]).output

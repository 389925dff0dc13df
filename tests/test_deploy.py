"""The files of deploy/: accepted by the programs that read them, with metrics and settings that exist."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from townsquare.settings import Settings
from townsquare.web.metric_totals import METRICS, REQUESTS

DEPLOY = Path(__file__).parents[1] / "deploy"
PARTS = ("_bucket", "_count", "_sum")


def run(*command: str | Path) -> None:
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run([*command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "townsquare.service"
    unit.write_text((DEPLOY / unit.name).read_text().replace("/opt/townsquare/bin/townsquare", "/bin/true"))
    run("systemd-analyze", "verify", unit)


def test_caddy_accepts_its_file() -> None:
    run("caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile")


def test_prometheus_accepts_the_alerts() -> None:
    run("promtool", "check", "rules", DEPLOY / "alerts.yaml")


@pytest.mark.parametrize("name", ["alerts.yaml", "grafana.json"])
def test_every_metric_exists(name: str) -> None:
    ours = {REQUESTS + part for part in PARTS} | {f"townsquare_{metric}" for metric in METRICS}
    used = set(re.findall(r"\btownsquare_[a-z_]+\b", (DEPLOY / name).read_text()))
    assert used
    assert used <= ours


def test_the_dashboard_is_json_with_a_query_in_each_panel() -> None:
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    assert all(panel["targets"] for panel in dashboard["panels"])


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "townsquare.service"])
def test_every_setting_exists(name: str) -> None:
    variables = {row.variable for row in Settings.describe()}
    used = set(re.findall(r"\bTOWNSQUARE_[A-Z_]+(?=[:=])", (DEPLOY / name).read_text()))
    assert used
    assert used <= variables

"""The wheel alone serves everything: no file of a checkout is needed."""

import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.web.serving import serving

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[1]
SERVED = ("/", "/social", "/threads", "/widgets", "/guide", "/openapi.json", "/components/comments.js")
EPOCH = {"SOURCE_DATE_EPOCH": "1767225600"}


def build(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, env={**os.environ, **EPOCH}, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_wheel_serves_everything_without_the_checkout(tmp_path: Path) -> None:
    wheel, again = build(tmp_path / "one"), build(tmp_path / "two")
    assert wheel.read_bytes() == again.read_bytes()
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(installed)
    environ = {**os.environ, "PYTHONPATH": str(installed)}
    where = subprocess.run(
        [sys.executable, "-c", "import townsquare; print(townsquare.__file__)"],
        cwd=tmp_path,
        env=environ,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert where.startswith(str(installed))
    with serving(tmp_path / "data", "--port", "0", PYTHONPATH=str(installed)) as served:
        for path in SERVED:
            with urllib.request.urlopen(served.url + path) as answer:
                assert answer.status == 200, path

"""scripts/venv, with which scripts/serve installs: it shows progress, and installs only once."""

import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "venv"
PACKAGES = 12
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "town"
version = "1"
"""
BACKEND = """
import pathlib, zipfile
def build_editable(folder, settings=None, metadata=None):
    with zipfile.ZipFile(pathlib.Path(folder) / "town-1-py3-none-any.whl", "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr("town-1.dist-info/" + name, text.format("town"))
    return "town-1-py3-none-any.whl"
"""
FILES = {
    "METADATA": "Metadata-Version: 2.1\nName: {}\nVersion: 1\n",
    "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "RECORD": "",
}


def write_wheel(folder: Path, name: str) -> str:
    """A package without modules; returns its line of a lock file."""
    path = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in FILES.items():
            wheel.writestr(f"{name}-1.dist-info/{file}", text.format(name))
    return f"{name}==1 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.mark.slow
def test_progress_is_shown_while_packages_are_installed(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "wheels").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts" / "venv")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "backend.py").write_text(f"FILES = {FILES!r}\n{BACKEND}")
    lines = [write_wheel(tmp_path / "wheels", f"part{number}") for number in range(PACKAGES)]
    (tmp_path / "town.lock").write_text("".join(lines))

    def install() -> list[str]:
        environ = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
        command = ["bash", "-c", "source scripts/venv town.lock && pwd"]
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == str(tmp_path)
        return done.stderr.splitlines()

    shown = install()
    assert shown[0] == f"Installing {PACKAGES} packages of town.lock into .venv …"
    assert [line.strip() for line in shown if "found" in line] == ["10 found", "12 found; writing files …"]
    assert install() == []

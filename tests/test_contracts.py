"""Who may import whom: the contracts of pyproject.toml hold, and each fails on a bad sample."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from townsquare.services import OURS

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parent.parent
SERVICES = PROJECT / "src" / "townsquare" / "services"
LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"


def test_every_folder_of_a_service_is_listed() -> None:
    assert set(OURS) == {path.parent.name for path in SERVICES.glob("*/__init__.py")}
    assert all(name == service.name == service.keyspace.service for name, service in OURS.items())


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PROJECT / "src" / "townsquare", folder / "townsquare")
    shutil.copy(PROJECT / "pyproject.toml", folder)
    return folder


@pytest.mark.parametrize(
    ("module", "imports"),
    [
        ("services/social/bad.py", "townsquare.services.widgets.keys"),
        ("services/accounts/bad.py", "townsquare.services.social.keys"),
        ("services/events_bad.py", "townsquare.services.analytics.keys"),
        ("services/widgets/bad.py", "townsquare.web.app"),
        ("kit/bad.py", "townsquare.services.accounts.models"),
        ("store/bad.py", "townsquare.kit.text"),
    ],
)
def test_a_forbidden_import_is_found(copy: Path, module: str, imports: str) -> None:
    bad = copy / "townsquare" / module
    bad.write_text(f"import {imports}\n")
    ended = subprocess.run(
        [sys.executable, "-c", LINT], cwd=copy, env={"PYTHONPATH": str(copy)}, capture_output=True, text=True
    )
    bad.unlink()
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert f"townsquare.{module.removesuffix('.py').replace('/', '.')} -> {imports}" in ended.stdout

"""A service of another package that cannot be used is named in one line, with its package."""

import sys
from pathlib import Path

import pytest

from townsquare import cli
from townsquare.cli import all_commands
from townsquare.extensions import ExtensionError, installed_services
from townsquare.services import OURS, all_services, registry

MANIFEST = """
from townsquare.keyspace import Keyspace
from townsquare.service import Service
SERVICE = Service(name={name!r}, keyspace=Keyspace({keys!r}, "Test."), build=lambda square: None)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("brought_")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def bring(folder: Path, package: str, source: str, value: str = "SERVICE") -> None:
    """Install a package of one module by hand, as far as entry points can tell."""
    module = f"brought_{package}"
    (folder / f"{module}.py").write_text(source)
    information = folder / f"{package}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[townsquare.services]\n{package} = {module}:{value}\n")


def load() -> list[str]:
    return [service.name for service in installed_services(OURS.values(), reserved=("system",))]


def test_services_of_other_packages_are_found(folder: Path) -> None:
    bring(folder, "stalls", MANIFEST.format(name="stalls", keys="stalls"))
    bring(folder, "bakery", MANIFEST.format(name="bakery", keys="bakery"))
    assert load() == ["bakery", "stalls"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("SERVICE = 5", "it is a int, not a townsquare.Service"),
        ("", "AttributeError: module 'brought_stalls' has no attribute 'SERVICE'"),
        (MANIFEST.format(name="social", keys="stalls"), "the name 'social' is taken"),
        (MANIFEST.format(name="stalls", keys="social"), "keys that begin with 'social' are not its own"),
        (MANIFEST.format(name="stalls", keys="system"), "keys that begin with 'system' are not its own"),
        (
            MANIFEST.format(name="no name", keys="stalls"),
            "DeclarationError: a service cannot be named 'no name': use a-z, 0-9 and _",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_package(folder: Path, source: str, why: str) -> None:
    bring(folder, "stalls", source)
    with pytest.raises(ExtensionError) as refused:
        load()
    said = str(refused.value)
    assert said == f"The service stalls (brought_stalls:SERVICE) of stalls cannot be used: {why}"


def test_two_packages_cannot_bring_the_same(folder: Path) -> None:
    bring(folder, "stalls", MANIFEST.format(name="stalls", keys="stalls"))
    bring(folder, "zoo", MANIFEST.format(name="stalls", keys="zoo"))
    with pytest.raises(ExtensionError, match="of zoo cannot be used: the name 'stalls' is taken"):
        load()


def test_the_command_line_says_it_in_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bring(folder, "stalls", "SERVICE = 5")
    monkeypatch.setattr("sys.argv", ["townsquare", "keys"])
    for cached in (all_services, registry, all_commands.application):
        cached.cache_clear()
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        "The service stalls (brought_stalls:SERVICE) of stalls cannot be used: "
        "it is a int, not a townsquare.Service"
    ]

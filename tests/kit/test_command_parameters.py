from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from click.testing import CliRunner

from townsquare.kit.command_parameters import Argument, Option, as_command
from townsquare.kit.commands import Commands


class Colour(StrEnum):
    RED = "dark-red"
    BLUE = "blue"


def paint(
    name: str,
    file: Annotated[Path, Argument(exists=True, dir_okay=False)],
    kind: Annotated[Literal["wall", "door"] | None, Argument(help="Only this.")] = None,
    colour: Annotated[Colour, Option(help="Which.")] = Colour.RED,
    layers: Annotated[int, Option("--layers", "-n", min=1, max=3)] = 2,
    tag: Annotated[list[str] | None, Option("--tag")] = None,
    dry_run: Annotated[bool, Option("--dry-run")] = False,
    note_text: str = "",
) -> None:
    """Paint something.

    With a brush.
    """
    called.append((name, file.name, kind, colour, layers, list(tag or ()), dry_run, note_text))


called: list[tuple[Any, ...]] = []


@pytest.fixture
def file(tmp_path: Path) -> str:
    called.clear()
    (tmp_path / "a.txt").touch()
    return str(tmp_path / "a.txt")


def run(*words: str) -> int:
    return CliRunner().invoke(as_command(paint), words, standalone_mode=True).exit_code


def test_defaults(file: str) -> None:
    assert run("x", file) == 0
    assert called == [("x", "a.txt", None, Colour.RED, 2, [], False, "")]


def test_every_kind_of_parameter(file: str) -> None:
    options = ("--colour", "blue", "-n", "3", "--tag", "a", "--tag", "b", "--dry-run", "--note-text", "t")
    assert run("x", file, "door", *options) == 0
    assert called == [("x", "a.txt", "door", Colour.BLUE, 3, ["a", "b"], True, "t")]
    assert type(called[0][3]) is Colour


@pytest.mark.parametrize(
    "wrong",
    [["--colour", "RED"], ["-n", "0"], ["-n", "4"], ["-n", "x"], ["window"], ["--other"], ["door", "more"]],
)
def test_wrong_input_is_refused(file: str, wrong: list[str]) -> None:
    assert run("x", file, *wrong) == 2
    assert not called


@pytest.mark.parametrize("words", [[], ["x"], ["x", "/missing"], ["x", "/"]])
def test_a_required_argument_is_required_and_a_file_exists(words: list[str]) -> None:
    assert run(*words) == 2


def test_the_help_names_every_parameter(file: str) -> None:
    shown = CliRunner().invoke(as_command(paint), ["--help"]).stdout
    for part in (
        "Paint something.",
        "With a brush.",
        "NAME",
        "Only this.",
        "dark-red|blue",
        "--layers",
        "--tag",
    ):
        assert part in shown
    assert "[default: dark-red]" in shown


def test_a_group_lists_the_whole_first_sentence_in_the_order_of_declarations() -> None:
    group = Commands("things")
    group.command("zebra")(paint)

    @group.command("ant")
    def ant() -> None:
        """Count the ants of every hill that is listed in the file, also those that are asleep. Slow."""

    shown = CliRunner().invoke(group, ["--help"], terminal_width=60).output.split("Commands:")[1].split()
    sentence = "Count the ants of every hill that is listed in the file, also those that are asleep."
    assert shown == ["zebra", "Paint", "something.", "ant", *sentence.split()]

import os
import pty

import pytest

from townsquare.kit.terminal import CLEAR_LINE, ProgressBar, columns, table_lines, wrap


def test_a_table_has_aligned_columns() -> None:
    lines = table_lines(("Key", "Keys"), [("user", "12"), ("映画", "3")], 80)
    assert [line.split("\x1b")[0] for line in lines][1:] == ["────  ────", "user  12", "映画  3"]
    assert "Key   Keys" in lines[0]


def test_a_table_without_rows_or_headers() -> None:
    assert len(table_lines(("Key", "Keys"), [], 80)) == 2
    assert table_lines(("", ""), [("films", "1,277")], 80) == ["films  1,277"]


def test_the_widest_column_wraps_in_a_narrow_terminal() -> None:
    lines = table_lines(("Name", "For"), [("short", "a description of many words")], 24)
    assert all(columns(line) <= 24 for line in lines[1:])
    assert [line[7:] for line in lines[2:]] == ["a description of", "many words"]


@pytest.mark.parametrize("width", [1, 2, 5, 80])
def test_wrapped_text_loses_nothing(width: int) -> None:
    text = "a verylongword 映画 and  two spaces"
    lines = wrap(text, max(width, 2))
    assert all(columns(line) <= max(width, 2) for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_file_gets_the_last_state_only(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar("Loading") as bar:
        for done in range(11):
            bar.update(done, 10)
    assert capsys.readouterr().err == "  Loading " + "━" * 30 + " 10/10\n"


def test_a_file_gets_nothing_of_a_transient_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar("Checking", transient=True) as bar:
        bar.update(1, 2)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_the_bar_in_one_line_and_removes_a_transient_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "60")
    with os.fdopen(theirs, "w") as terminal, os.fdopen(ours, "rb", buffering=0) as screen:
        monkeypatch.setattr("sys.stderr", terminal)
        with ProgressBar("Checking", transient=True) as bar:
            bar.update(500, 1_000)
        print("end", end="", file=terminal, flush=True)
        shown = ""
        while not shown.endswith("end"):  # the kernel passes it on in parts
            shown += screen.read(4096).decode()
    shown = shown.removesuffix("end")
    assert shown.endswith(CLEAR_LINE)
    (line,) = filter(None, shown.split(CLEAR_LINE))
    assert "Checking " + "━" * 15 + "╌" * 15 + " 500/1,000" in line
    assert len(line) < 60

"""Tables and progress bars for the terminal."""

import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self
from unicodedata import combining, east_asian_width

import click

WIDTH_OF_A_FILE = 140  # columns when the output is not a terminal
GAP = "  "
NARROWEST = 8  # columns to which a table may shrink a long column
BAR = 30  # columns
REDRAW_SECONDS = 0.1
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CLEAR_LINE = "\r\x1b[2K"


def terminal_width() -> int:
    return shutil.get_terminal_size((WIDTH_OF_A_FILE, 0)).columns


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table. Long cells wrap where the terminal is too narrow."""
    for line in table_lines(headers, list(rows), terminal_width()):
        click.echo(line)


def table_lines(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    widths = fitted([max(map(columns, cells)) for cells in zip(headers, *rows, strict=True)], width)
    ruled = [GAP.join("─" * one for one in widths)]
    head = [click.style(line, bold=True) for line in row_lines(headers, widths)] if any(headers) else []
    return [*head, *(ruled if head else []), *(line for row in rows for line in row_lines(row, widths))]


def fitted(widths: list[int], available: int) -> list[int]:
    """The widths, of which the widest shrink until all fit."""
    over = sum(widths) + len(GAP) * (len(widths) - 1) - available
    while over > 0 and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
        over -= 1
    return widths


def row_lines(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    wrapped = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, wrapped))
    return [
        GAP.join(
            padded(lines[number] if number < len(lines) else "", width)
            for lines, width in zip(wrapped, widths, strict=True)
        ).rstrip()
        for number in range(height)
    ]


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most so many columns, broken at spaces if possible."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if columns(lines[-1] + character) > width and lines[-1]:
                lines.append("")
            lines[-1] += character
    return lines


def columns(text: str) -> int:
    """The columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


class ProgressBar:
    """A bar on standard error with counts and the remaining time; in a file, only its last state.

    A transient bar disappears at the end, and is not written to a file.
    """

    def __init__(self, description: str = "", total: int | None = None, *, transient: bool = False) -> None:
        self._description = description
        self._total = total
        self._transient = transient
        self._done = 0
        self._count = ""
        self._terminal = sys.stderr.isatty()
        self._started = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            click.echo(CLEAR_LINE if self._transient else f"{CLEAR_LINE}{self.line()}\n", nl=False, err=True)
        elif not self._transient:
            click.echo(self.line(), err=True)

    def update(
        self, done: int, total: int | None = None, *, description: str | None = None, count: str = ""
    ) -> None:
        """Show the progress; `count` replaces the text of the amount, for example in bytes."""
        self._done = done
        self._total = self._total if total is None else total
        now = time.monotonic()
        if description not in (None, self._description):
            self._description, self._started = description, now
        self._count = count
        if self._terminal and now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            click.echo(CLEAR_LINE + self.line(), nl=False, err=True)

    def line(self) -> str:
        seconds = time.monotonic() - self._started
        finished = bool(self._total) and self._done >= (self._total or 0)
        spinner = " " if finished else SPINNER[int(seconds / REDRAW_SECONDS) % len(SPINNER)]
        parts = [spinner, self._description, self._bar(), self._count or self._counts()]
        if self._total and self._done and not finished:
            left = int(seconds * (self._total - self._done) / self._done)
            parts.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}")
        line = " ".join(filter(None, parts))
        return line[: terminal_width() - 1] if self._terminal else line

    def _bar(self) -> str:
        filled = min(BAR * self._done // self._total, BAR) if self._total else 0
        return "━" * filled + "╌" * (BAR - filled)

    def _counts(self) -> str:
        return f"{self._done:,}/{self._total:,}" if self._total else f"{self._done:,}"

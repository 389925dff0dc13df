"""`townsquare settings`: every setting, its variable and its default."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from townsquare.settings import Settings


def settings(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a table for docs/operations.md.")] = False,
) -> None:
    """Print every setting. The file has the same names: port = 9000."""
    if markdown:
        typer.echo(as_markdown())
        return
    table = Table("Setting", "Variable", "Default", "What it is for")
    for row in Settings.describe():
        table.add_row(row.name, row.variable, row.default, row.doc)
    Console().print(table)


def as_markdown() -> str:
    lines = ["| setting | variable | default | what it is for |", "|---|---|---|---|"]
    lines += [
        f"| `{row.name}` | `{row.variable}` | {f'`{row.default}`' if row.default else ''} | {row.doc} |"
        for row in Settings.describe()
    ]
    return "\n".join(lines)

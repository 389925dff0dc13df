"""`townsquare settings`: every setting, its variable and its default."""

import typer
from rich.console import Console
from rich.table import Table

from townsquare.settings import Settings


def mount(app: typer.Typer) -> None:
    def settings(
        markdown: bool = typer.Option(False, "--markdown", help="As a table for docs/operations.md."),
    ) -> None:
        """Print every setting. The file has the same names: port = 9000."""
        rows = Settings.describe()
        if markdown:
            typer.echo(as_markdown())
            return
        table = Table("Setting", "Variable", "Default", "What it is for")
        for row in rows:
            table.add_row(row.name, row.variable, row.default, row.doc)
        Console().print(table)

    typer.Typer.command(app)(settings)


def as_markdown() -> str:
    lines = ["| setting | variable | default | what it is for |", "|---|---|---|---|"]
    lines += [
        f"| `{row.name}` | `{row.variable}` | {f'`{row.default}`' if row.default else ''} | {row.doc} |"
        for row in Settings.describe()
    ]
    return "\n".join(lines)

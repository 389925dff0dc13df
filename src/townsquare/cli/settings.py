"""`townsquare settings`: the current values, and their sources."""

from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from townsquare.kit.commands import chosen_settings_with_sources
from townsquare.settings import Settings
from townsquare.square import check_settings

DEFAULT = "default"


def settings(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a table for docs/operations.md.")
    ] = False,
) -> None:
    """Print every setting with its value, source and description. Secrets are hidden."""
    if markdown:
        typer.echo(as_markdown())
        return
    found, sources = chosen_settings_with_sources()
    check_settings(found)
    shown = found.shown()
    out = Console()
    for row in Settings.describe():
        value, source = shown[row.name], sources.get(row.name, DEFAULT)
        parts = ((row.name, "bold"), f" = {value}".rstrip(), (f"  ({source})", "dim"))
        out.print(Text.assemble(*parts, overflow="fold"))
        out.print(Padding(Text(f"{row.doc}. {row.variable}", style="dim"), (0, 0, 0, 4)))


def as_markdown() -> str:
    lines = ["| setting | variable | default | what it is for |", "|---|---|---|---|"]
    lines += [
        f"| `{row.name}` | `{row.variable}` | {f'`{row.default}`' if row.default else ''} | {row.doc} |"
        for row in Settings.describe()
    ]
    return "\n".join(lines)

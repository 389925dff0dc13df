"""`townsquare settings`: the current values, and their sources."""

from typing import Annotated

import click

from townsquare.kit.command_parameters import Option
from townsquare.kit.commands import chosen_settings_with_sources
from townsquare.kit.terminal import terminal_width, wrap
from townsquare.settings import Settings
from townsquare.square import check_settings

DEFAULT = "default"
INDENT = " " * 4


def settings(
    markdown: Annotated[bool, Option("--markdown", help="Print a table for docs/operations.md.")] = False,
) -> None:
    """Print every setting with its value, source and description. Secrets are hidden."""
    if markdown:
        click.echo(as_markdown())
        return
    found, sources = chosen_settings_with_sources()
    check_settings(found)
    shown = found.shown()
    width = terminal_width()
    for row in Settings.describe():
        value, source = shown[row.name], sources.get(row.name, DEFAULT)
        first, *more = wrap(f"{row.name} = {value}".rstrip() + f"  ({source})", width)
        click.echo("\n".join([click.style(row.name, bold=True) + first.removeprefix(row.name), *more]))
        for line in wrap(f"{row.doc}. {row.variable}", width - len(INDENT)):
            click.secho(INDENT + line, dim=True)


def as_markdown() -> str:
    lines = ["| setting | variable | default | what it is for |", "|---|---|---|---|"]
    lines += [
        f"| `{row.name}` | `{row.variable}` | {f'`{row.default}`' if row.default else ''} | {row.doc} |"
        for row in Settings.describe()
    ]
    return "\n".join(lines)

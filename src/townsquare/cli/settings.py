"""`townsquare settings`: the current values, and their sources."""

from typing import Annotated

import click

from townsquare.kit.command_parameters import Option
from townsquare.kit.commands import chosen_settings_with_sources
from townsquare.kit.terminal import terminal_width, wrap
from townsquare.settings import Settings
from townsquare.square import check_settings

DEFAULT = "default"
SUBJECTS = {  # of the settings from this one on
    "env": "Stores",
    "backup_every": "Backups and checks",
    "host": "Server",
    "rate_limits": "Limits",
    "log_format": "Logs",
    "social_own_posts_in_home": "Social",
    "search_catalogue": "Film search",
    "admin_token": "Access and addresses",
    "delivery": "Mail and messages",
    "jwt_issuer": "Sign-in",
}
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
    lines = []
    for row in Settings.describe():
        if row.name in SUBJECTS:
            head = "| setting | variable | default | what it is for |\n|---|---|---|---|"
            lines.append(f"\n### {SUBJECTS[row.name]}\n\n{head}")
        default = f"`{row.default}`" if row.default else ""
        lines.append(f"| `{row.name}` | `{row.variable}` | {default} | {row.doc} |")
    return "\n".join(lines).strip()

"""The `townsquare` command."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from townsquare.cli import integrity, jobs, settings, social, users, widgets
from townsquare.cli.places import Commands, open_square
from townsquare.cli.serve import serve
from townsquare.services import registry
from townsquare.settings import SettingsError

if TYPE_CHECKING:
    from townsquare.services.accounts.service import Accounts
    from townsquare.store.store import Store

CANNOT_RUN, WRONG_SETTINGS = 1, 2

app = Commands(
    name="townsquare",
    help="The community layer for any website or app, on one Redis.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"townsquare {version('townsquare')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@asynccontextmanager
async def open_store() -> AsyncIterator["Store"]:
    async with open_square() as square:
        yield square.store


@asynccontextmanager
async def open_accounts() -> AsyncIterator["Accounts"]:
    async with open_square() as square:
        yield square.accounts


typer.Typer.command(app)(serve)  # has the options of a place, and more, by itself
integrity.mount(app, registry(), open_store)
users.mount(app, open_accounts)
widgets.mount(app, open_square)
social.mount(app, open_square)
jobs.mount(app, open_square)
settings.mount(app)


def fail(reason: object, code: int) -> None:
    """One red line, and out."""
    typer.secho(str(reason), fg=typer.colors.RED, err=True)
    sys.exit(code)


def main() -> None:
    try:
        app()
    except SettingsError as error:
        fail(error, WRONG_SETTINGS)
    except Exception as error:
        from townsquare.store.engine import EngineError
        from townsquare.web.workers import CannotServe

        if not isinstance(error, CannotServe | EngineError):
            raise
        fail(error, CANNOT_RUN)

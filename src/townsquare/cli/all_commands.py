"""All commands of `townsquare`, including those of the services."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from townsquare.cli import integrity
from townsquare.cli.cleanup import cleanup
from townsquare.cli.jobs import jobs
from townsquare.cli.serve import LOOK, serve
from townsquare.cli.settings import settings
from townsquare.cli.show import delete, show
from townsquare.extensions import refusal
from townsquare.kit import commands
from townsquare.kit.commands import Commands, chosen_settings, command_names
from townsquare.open_existing import open_existing, open_existing_store, without_cache
from townsquare.service import Service
from townsquare.services import all_services, registry
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.square import open as open_settings
from townsquare.store.requirements import require_safe
from townsquare.store.store import Store


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"townsquare {version('townsquare')}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if commands.open_square.get(None) is None:
        commands.open_square.set(open_square)


def open_square() -> AbstractAsyncContextManager[Square]:
    settings = chosen_settings()
    if commands.may_create():
        warn_of_new_folder(settings)
        return open_settings(settings=settings, background=False)
    return open_existing(settings)


def warn_of_new_folder(settings: Settings) -> None:
    """A server on another folder does not see what is created here."""
    folder = Path(settings.data_dir)
    if not settings.data_url and not folder.exists():
        warn(f"Created a new data folder: {folder.absolute()}. To use the folder of a server, pass --data.")


@asynccontextmanager
async def open_store() -> AsyncIterator[Store]:
    """The store without services, for `townsquare check`."""
    settings = chosen_settings()
    for finding in await require_safe(settings):
        warn(str(finding))
    data_only = without_cache(settings)
    if data_only:
        warn(
            "The cache is skipped: TOWNSQUARE_CACHE_URL is not set, and there is no cache in the folder "
            f"{settings.data_dir}"
        )
    async with open_existing_store(data_only or settings) as store:
        yield store


def open_checked() -> AbstractAsyncContextManager[Square]:
    """The square for `townsquare check --repair`."""
    settings = chosen_settings()
    return open_existing(without_cache(settings) or settings)


def warn(text: str) -> None:
    typer.secho(text, fg=typer.colors.YELLOW, err=True)


@cache
def application() -> Commands:
    """Our own commands and those of every service."""
    app = Commands(
        help="The community layer for any website or app, on one Redis.", no_args_is_help=True, **LOOK
    )
    app.callback()(root)
    typer.Typer.command(app)(serve)  # declares the options of a place itself
    app.command()(settings)
    integrity.mount(app, registry(), open_store, open_checked)
    app.command()(cleanup)
    app.command()(jobs)
    for group in (show, delete):
        app.add_typer(copied(group))
    for service in all_services().values():
        for group in service.commands:
            add_group(app, group, service)
    return app


def add_group(app: Commands, group: Commands, service: Service[Any]) -> None:
    """Merge groups of the same name: services add commands to `show` and `delete`."""
    groups = {known.info.name: known for each in app.registered_groups if (known := each.typer_instance)}
    known = groups.get(group.info.name)
    taken = command_names(known) & command_names(group) if known else command_names(app) & {group.info.name}
    if taken:
        raise refusal(service, f"the command {', '.join(sorted(taken))} exists already")
    if known:
        known.registered_commands += group.registered_commands
    else:
        app.add_typer(copied(group))


def copied(group: Commands) -> Commands:
    """A copy of a group, so that added commands do not change the group of the module."""
    twin = copy(group)
    twin.registered_commands = [*group.registered_commands]
    return twin

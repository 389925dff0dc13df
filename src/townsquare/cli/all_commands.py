"""All commands of `townsquare`, including those of the services. Each is imported when it is used."""

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from copy import copy
from functools import cache, cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import click

from townsquare.cli.serve import serve
from townsquare.kit import commands
from townsquare.kit.command_parameters import Option, as_command, first_sentence
from townsquare.kit.commands import Commands, with_store_options

if TYPE_CHECKING:
    from townsquare.service import CommandGroup, Service
    from townsquare.square import Square


class OwnCommand(NamedTuple):
    help: str
    source: str  # "package.module:name" of a function, of a group, or of a function that returns one


OWN = {
    "serve": OwnCommand(
        "Run the server, with its own store unless the settings name a Redis.", "townsquare.cli.serve:serve"
    ),
    "demo": OwnCommand(
        "Fill the store with invented people, posts, comments and widgets, or remove them.",
        "townsquare.cli.demo:demo",
    ),
    "settings": OwnCommand(
        "Print every setting with its value, source and description. Secrets are hidden.",
        "townsquare.cli.settings:settings",
    ),
    "keys": OwnCommand("Print the reference of every declared key.", "townsquare.cli.integrity:commands"),
    "check": OwnCommand(
        "Compare every key with its declaration. Safe on a live system.", "townsquare.cli.integrity:commands"
    ),
    "doctor": OwnCommand(
        "Examine stores, settings, background work and backups. Each finding says what to do.",
        "townsquare.cli.doctor:doctor",
    ),
    "memory": OwnCommand(
        "Estimate the bytes and count the keys of each declaration.", "townsquare.cli.memory:memory"
    ),
    "cleanup": OwnCommand(
        "List invalid records and leftovers; with --apply, remove them.", "townsquare.cli.cleanup:cleanup"
    ),
    "jobs": OwnCommand(
        "List open jobs (deletions, renames, …) and their progress. A running server continues them.",
        "townsquare.cli.jobs:jobs",
    ),
    "backup": OwnCommand(
        "Write all data into one file. Safe on a live system.", "townsquare.cli.backup:backup"
    ),
    "restore": OwnCommand(
        "Replace the data with that of a backup, then check it.", "townsquare.cli.backup:restore"
    ),
    "migrate": OwnCommand(
        "Copy all data from one store to another, then check it.", "townsquare.cli.backup:migrate"
    ),
    "secret": OwnCommand(
        "Replace the generated secret of the server, or forget the former one.",
        "townsquare.cli.secret:secret",
    ),
    "upgrade": OwnCommand(
        "Upgrade the data to this version of Townsquare; a server does this when it starts.",
        "townsquare.cli.upgrade:upgrade",
    ),
    "show": OwnCommand("Show the contents of the store.", "townsquare.cli.show:show"),
    "delete": OwnCommand("Delete records permanently.", "townsquare.cli.show:delete"),
}
EXTENDED = ("show", "delete")  # groups to which services add commands


def show_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"townsquare {version('townsquare')}")
        raise click.exceptions.Exit


def root(
    version: Annotated[
        bool, Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if commands.open_square.get(None) is None:
        commands.open_square.set(open_square)


def open_square() -> "AbstractAsyncContextManager[Square]":
    from townsquare.cli.opening import open_square

    return open_square()


class LazyCommand(click.Command):
    """The name and help of a command whose module is imported when it runs."""

    def __init__(self, name: str, help: str, load: Callable[[], click.Command]) -> None:
        super().__init__(name, help=help, short_help=first_sentence(help))
        self._load = load

    @cached_property
    def loaded(self) -> click.Command:
        return self._load()

    def make_context(self, *args: Any, **options: Any) -> Any:
        command = self.loaded
        gc.freeze()
        gc.enable()
        return command.make_context(*args, **options)


class RootGroup(click.Group):
    """All commands, found one by one, or listed."""

    def get_command(self, ctx: click.Context, name: str) -> LazyCommand | None:
        if name in OWN and name not in EXTENDED:
            return LazyCommand(name, OWN[name].help, lambda: load_own(name))
        if name not in self._groups:
            return None
        help = OWN[name].help if name in OWN else self._groups[name][0].group.help
        return LazyCommand(name, help, lambda: load_group(name, self._groups[name], help))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*OWN, *(name for name in self._groups if name not in OWN)]

    @cached_property
    def _groups(self) -> "Mapping[str, Sequence[ServiceGroup]]":
        return service_groups()


class ServiceGroup(NamedTuple):
    service: "Service[Any]"
    group: "CommandGroup"


def service_groups() -> dict[str, list[ServiceGroup]]:
    """The groups of the services, by name; `show` and `delete` may have none."""
    from townsquare.extensions import refusal

    groups: dict[str, list[ServiceGroup]] = {name: [] for name in EXTENDED}
    for service in all_services().values():
        for group in service.commands:
            if group.name in OWN and group.name not in EXTENDED:
                raise refusal(service, f"the command {group.name} exists already")
            groups.setdefault(group.name, []).append(ServiceGroup(service, group))
    return groups


def all_services() -> "Mapping[str, Service[Any]]":
    from townsquare.services import all_services

    return all_services()


def load_own(name: str) -> click.Command:
    found = resolve_name(OWN[name].source)
    if name in ("keys", "check"):
        return cast(Commands, found()).commands[name]
    # serve has the options of the store itself
    return cast(click.Command, as_command(found if found is serve else with_store_options(found), name))


def load_group(name: str, parts: Sequence[ServiceGroup], help: str) -> click.Group:
    """Our group, if there is one, with the commands of the services."""
    from townsquare.extensions import refusal

    own: list[Commands] = [resolve_name(OWN[name].source)] if name in OWN else []
    merged = copy(own[0] if own else parts[0].group.load())
    merged.help = help
    merged.commands = {**own[0].commands} if own else {}
    for service, part in parts:
        loaded = part.load()
        if taken := merged.commands.keys() & loaded.commands.keys():
            raise refusal(service, f"the command {', '.join(sorted(taken))} exists already")
        merged.commands |= loaded.commands
    return merged


@cache
def application() -> click.Group:
    """Our own commands and those of every service."""
    return cast(
        click.Group,
        as_command(
            root,
            "townsquare",
            RootGroup,
            help="The community layer for any website or app, on one Redis.",
            no_args_is_help=True,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
        ),
    )

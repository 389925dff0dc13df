"""The `townsquare` command."""

import gc
import sys

import typer

from townsquare.failing import CANNOT_RUN, WRONG_SETTINGS, fail
from townsquare.settings import SettingsError


def main() -> None:
    try:
        command_line(sys.argv[1:])()
    except SettingsError as error:
        fail(error, WRONG_SETTINGS)
    except Exception as error:
        from townsquare.extensions import ExtensionError
        from townsquare.store.engine import EngineError

        if not isinstance(error, EngineError | ExtensionError):
            raise
        fail(error, CANNOT_RUN)


def command_line(arguments: list[str]) -> typer.Typer:
    """`serve` skips the other commands: they import every service, which the workers do in parallel."""
    if arguments[:1] == ["serve"]:
        from townsquare.cli.serve import serve_alone

        return serve_alone()
    gc.disable()  # imported objects stay alive; scanning them takes a sixth of the start
    try:
        from townsquare.cli.all_commands import application

        return application()
    finally:
        gc.freeze()
        gc.enable()

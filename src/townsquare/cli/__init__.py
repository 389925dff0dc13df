"""The `townsquare` command."""

import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import typer

from townsquare.settings import SettingsError

CANNOT_RUN, WRONG_SETTINGS = 1, 2


def main() -> None:
    try:
        with logging_to_stderr():
            command_line(sys.argv[1:])()
    except SettingsError as error:
        fail(error, WRONG_SETTINGS)
    except Exception as error:
        from townsquare.extensions import ExtensionError
        from townsquare.store.engine import EngineError
        from townsquare.web.process.workers import CannotServe

        if not isinstance(error, CannotServe | EngineError | ExtensionError):
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


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Log only warnings, and to stderr, because other programs can read the output of a command.

    A server configures its logging itself.
    """
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    try:
        yield
    finally:
        structlog.configure(**before)


def fail(reason: object, code: int) -> None:
    """Print one red line and exit."""
    typer.secho(str(reason), fg=typer.colors.RED, err=True)
    sys.exit(code)

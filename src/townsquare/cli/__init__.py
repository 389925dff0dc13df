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
        with logging_beside_the_output():
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
    """A server does without the other commands: they import every service, which its workers do meanwhile."""
    if arguments[:1] == ["serve"]:
        from townsquare.cli.serve import serve_alone

        return serve_alone()
    gc.disable()  # all that is imported stays: to look through it again and again is a sixth of the start
    try:
        from townsquare.cli.all_commands import application

        return application()
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def logging_beside_the_output() -> Iterator[None]:
    """What a command prints may be read by another program: log lines go to stderr, and only warnings.

    A server says by itself how it logs.
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
    """One red line, and out."""
    typer.secho(str(reason), fg=typer.colors.RED, err=True)
    sys.exit(code)

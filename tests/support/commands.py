"""The `townsquare` command on a square that a test opens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from click.testing import CliRunner, Result

from townsquare.cli.all_commands import application
from townsquare.kit.commands import Open, open_square

Say = Callable[..., Result]


@contextmanager
def commands_on(open: Open) -> Iterator[Say]:
    def say(*words: str, typed: str = "") -> Result:
        return CliRunner().invoke(application(), words, input=typed)

    before = open_square.set(open)
    try:
        yield say
    finally:
        open_square.reset(before)

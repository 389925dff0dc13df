"""Commands that are imported when they are used, so that `--help` and short commands start quickly."""

import gc
from collections.abc import Callable
from functools import cached_property
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

AnyCommand = TyperCommand | TyperGroup


class LazyCommand(TyperCommand):
    """The name and help of a command whose module is imported when it runs."""

    def __init__(self, name: str, help: str, load: Callable[[], AnyCommand]) -> None:
        super().__init__(name, help=help)
        self._load = load

    @cached_property
    def loaded(self) -> AnyCommand:
        return self._load()

    def make_context(self, *args: Any, **options: Any) -> Any:
        command = self.loaded
        gc.freeze()
        gc.enable()
        return command.make_context(*args, **options)


class LazyGroup(TyperGroup):
    """A group whose commands are found one by one, or listed all."""

    def find(self, name: str) -> LazyCommand | None:
        raise NotImplementedError

    def names(self) -> list[str]:
        raise NotImplementedError

    def get_command(self, ctx: typer.Context, cmd_name: str) -> LazyCommand | None:  # type: ignore[override]
        return self.find(cmd_name)

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return self.names()

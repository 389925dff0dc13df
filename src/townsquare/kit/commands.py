"""Commands for the terminal: how a service declares its commands, and shared helpers.

    social = Commands(name="social", help="Load, rename and delete people of the community.")

    @social.command()
    async def rename(square: Resources, username: str, new_username: str) -> None:
        "Give a user another name."

An async command gets the open square as its first argument and returns the exit code, None for 0. It requires
existing data, so a misspelt folder is reported and not created. A command that may write the first data is
declared with `command(creates=True)`.
"""

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from townsquare.kit.command_parameters import Option, as_command
from townsquare.kit.terminal import ProgressBar
from townsquare.problems import Problem
from townsquare.settings import Settings

if TYPE_CHECKING:  # `--help` needs none of these
    from townsquare.store.coordination.jobs import Jobs

REFUSED = 1

Config = Annotated[
    Path | None, Option("--config", metavar="FILE", help="Settings file, otherwise ./townsquare.toml.")
]
Data = Annotated[
    str | None,
    Option("--data", metavar="DIR", help="Folder of the embedded store.", show_default="townsquare-data"),
]
Env = Annotated[
    str | None, Option("--env", metavar="NAME", help="First part of every key.", show_default="prod")
]
Json = Annotated[bool, Option("--json", help="Print it as JSON.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]

OPTIONS = {"config": Config, "data": Data, "env": Env}
Open = Callable[[], AbstractAsyncContextManager[Any]]

chosen: ContextVar[dict[str, Any]] = ContextVar("chosen")
open_square: ContextVar[Open] = ContextVar("open_square")  # set by the program that runs the commands


class Commands(click.Group):
    """A group of commands; each also takes --config, --data and --env."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of their declarations

    def command(  # type: ignore[override]
        self, name: str | None = None, *, creates: bool = False
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.add_command(as_command(with_store_options(function, creates=creates), name))
            return function

        return add


def with_store_options(command: Callable[..., Any], *, creates: bool = False) -> Callable[..., Any]:
    """The command with the options that select the store."""
    on_square = inspect.iscoroutinefunction(command)
    parameters = list(inspect.signature(command).parameters.values())
    own = parameters[1:] if on_square else parameters

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        chosen.set({"creates": creates, **{name: kwargs.pop(name) for name in OPTIONS}})
        if not on_square:
            return command(*args, **kwargs)
        return run_on_square(partial(command, **kwargs))

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in OPTIONS.items()
    ]
    run.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **OPTIONS}
    return run


def chosen_settings() -> Settings:
    """The settings from options, environment and settings file."""
    return chosen_settings_with_sources()[0]


def chosen_settings_with_sources() -> tuple[Settings, dict[str, str]]:
    options = chosen.get()
    return Settings.load_with_sources(options["config"], data_dir=options["data"], env=options["env"])


def may_create() -> bool:
    return bool(chosen.get()["creates"])


def run_on_square(work: Callable[[Any], Awaitable[int | None]]) -> None:
    """Run a command on the open square."""

    async def command() -> int | None:
        async with open_square.get()() as square:
            return await work(square)

    run_command(command())


def run_command(command: Coroutine[Any, Any, int | None]) -> None:
    """Run a command; a problem prints one red line and returns exit code 1."""
    raise click.exceptions.Exit(run_to_end(command) or 0)


def run_to_end(command: Coroutine[Any, Any, int | None]) -> int | None:
    """The result of a command; a problem prints one red line and ends the program."""
    import asyncio

    from townsquare.store.engine import EngineError

    try:
        return asyncio.run(command)
    except Problem as problem:
        known = problem.detail == problem.title
        click.secho(problem.title if known else f"{problem.title}: {problem.detail}", fg="red", err=True)
        raise click.exceptions.Exit(REFUSED) from None
    except EngineError as error:
        click.secho(str(error), fg="red", err=True)
        raise click.exceptions.Exit(REFUSED) from None


def as_written(text: str) -> str:
    """User text for the terminal: without control characters."""
    from townsquare.kit.text import cleaned_line

    return cleaned_line(text)


@contextmanager
def shown_progress() -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows what is being done, how much of it is done, and how much there is in all."""
    with ProgressBar() as bar:
        yield lambda what, done, total: bar.update(done, total, description=what)


async def finish_job(jobs: "Jobs", job: str, says: str) -> None:
    """Run a job to its end and show its progress."""
    import asyncio

    from townsquare.tasks import cancel_tasks

    with ProgressBar(says) as bar:

        async def watch() -> None:
            while True:
                for seen in await jobs.list():
                    if seen.id == job:
                        bar.update(seen.done, seen.total)
                await asyncio.sleep(0.2)

        watching = asyncio.create_task(watch())
        try:
            await jobs.run(job)
        finally:
            await cancel_tasks((watching,))
        await jobs.run_open()

"""Where a command finds its store: three options that every command has, read in one place."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from townsquare.problems import Problem
from townsquare.settings import Settings

if TYPE_CHECKING:
    from townsquare.square import Square
    from townsquare.store.store import Store

T = TypeVar("T")
R = TypeVar("R")

REFUSED = 1

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file, otherwise ./townsquare.toml.")
]
Data = Annotated[
    str | None,
    typer.Option(
        "--data", metavar="DIR", help="Folder of the embedded store.", show_default="townsquare-data"
    ),
]
Env = Annotated[
    str | None, typer.Option("--env", metavar="NAME", help="First part of every key.", show_default="prod")
]

OPTIONS = {"config": Config, "data": Data, "env": Env}
chosen: ContextVar[dict[str, Any]] = ContextVar("chosen")


class Commands(typer.Typer):
    """Commands on a store: each also takes --config, --data and --env."""

    def command(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        decorate = super().command(*args, **kwargs)
        return lambda command: decorate(placed(command))


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        chosen.set({name: kwargs.pop(name) for name in OPTIONS})
        return command(*args, **kwargs)

    own = inspect.signature(command)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in OPTIONS.items()
    ]
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **OPTIONS}
    return run


def chosen_settings() -> Settings:
    """What the options, the environment or the settings file say."""
    place = chosen.get()
    return Settings.load(place["config"], data_dir=place["data"], env=place["env"])


def require_data(settings: Settings) -> None:
    from townsquare.store.engine import DataFolderUnusable, embedded

    if embedded(settings) and not Path(settings.data_dir).expanduser().is_dir():
        raise DataFolderUnusable(f"There is no data in the folder {settings.data_dir}")


@asynccontextmanager
async def open_store() -> AsyncIterator["Store"]:
    """The store alone, for a command that only looks: makes no folder and no secret, runs no service."""
    from townsquare.square import open_store, reachable

    settings = chosen_settings()
    require_data(settings)
    async with reachable(settings) as located:
        store = await open_store(located)
        try:
            yield store
        finally:
            await store.close()


@asynccontextmanager
async def open_square() -> AsyncIterator["Square"]:
    from townsquare.square import open

    async with open(settings=chosen_settings()) as square:
        yield square


def run_on(
    open_thing: Callable[[], AbstractAsyncContextManager[T]],
    work: Callable[[T], Awaitable[R]],
    tell: Callable[[Problem], str] = lambda problem: problem.detail,
) -> R:
    """Do the work of a command on what it opens; a problem is one red line and exit code 1."""

    async def command() -> R:
        async with open_thing() as thing:
            return await work(thing)

    try:
        return asyncio.run(command())
    except Problem as problem:
        typer.secho(tell(problem), fg=typer.colors.RED, err=True)
        raise typer.Exit(REFUSED) from None

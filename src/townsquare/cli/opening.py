"""How the commands open the store and the square."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from townsquare.kit import commands
from townsquare.kit.commands import chosen_settings
from townsquare.open_store import open_existing_store, without_cache
from townsquare.settings import Settings
from townsquare.store.requirements import require_safe
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.square import Square


def open_square() -> "AbstractAsyncContextManager[Square]":
    from townsquare import square

    settings = chosen_settings()
    if commands.may_create():
        warn_of_new_folder(settings)
        return square.open(settings=settings, background=False)
    return square.open_existing(settings)


def warn_of_new_folder(settings: Settings) -> None:
    """A server with another data folder does not use this one."""
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


def open_checked() -> "AbstractAsyncContextManager[Square]":
    from townsquare.square import open_existing

    settings = chosen_settings()
    return open_existing(without_cache(settings) or settings)


def warn(text: str) -> None:
    click.secho(text, fg="yellow", err=True)

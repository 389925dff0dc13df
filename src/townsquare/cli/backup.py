"""`townsquare backup`, `townsquare restore` and `townsquare migrate`"""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import click
from msgspec.structs import replace

from townsquare.backup import run
from townsquare.backup.upgrade import upgrade
from townsquare.cli.integrity import run_check
from townsquare.cli.opening import warn
from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import chosen_settings, run_command, shown_progress
from townsquare.open_store import open_existing_store, opened_store
from townsquare.services import registry
from townsquare.services.images.files import image_folder
from townsquare.settings import Settings
from townsquare.store.requirements import require_safe
from townsquare.store.store import Store

PATIENCE = 60.0  # seconds for one command to Redis

File = Annotated[Path, Argument(metavar="FILE", help="The backup file.")]
Force = Annotated[bool, Option("--force", help="Replace the data that is in the store.")]
Place = Annotated[str, Argument(help="A Redis URL, or the folder of an embedded store.")]


def backup(
    file: File,
    verify: Annotated[bool, Option("--verify", help="Read the file back and check it.")] = False,
) -> None:
    """Write all data into one file. Safe on a live system.

    The file contains secrets and personal data. Only its owner can read it.
    """
    run_command(write_backup(file, verify))


async def write_backup(file: Path, verify: bool) -> None:
    settings = patient_settings()
    async with open_existing_store(settings, any_version=True) as store:
        with shown_progress() as progress:
            report = await run.backup(store, settings, file, progress)
            if verify:
                run.verify(store.registry, file, progress)
    click.echo(f"{report.keys:,} keys in {file}. Consistency: {report.header.consistency}")
    list_secrets(report.header.supply)
    if (images := image_folder(settings)).is_dir():
        click.echo(f"Images are not in the file. Back up their folder as well: {images}")


def restore(
    file: File,
    force: Force = False,
    verify: Annotated[bool, Option("--verify", help="Only check the file; write nothing.")] = False,
) -> None:
    """Replace the data with that of a backup, then check it.

    Stop all servers first. Exit code 1 if the check has findings.
    """
    run_command(restore_backup(file, force, verify))


async def restore_backup(file: Path, force: bool, verify: bool) -> int:
    settings = patient_settings()
    if verify:
        with shown_progress() as progress:
            report = run.verify(registry(), file, progress)
        click.echo(
            f"{file} is complete: {report.keys:,} keys of {report.header.env}, {report.header.made_at}"
        )
        return 0
    await require_safe(settings)
    async with opened_store(settings) as store, services_of(settings, store):
        with shown_progress() as progress:
            report = await run.restore(store, file, progress, force=force)
            await upgrade(store, progress)
            await store.effects.sweep()  # of a cluster; on one node nothing else applies them
        click.echo(f"{report.keys:,} keys restored from a backup of {report.header.made_at}")
        list_secrets([name for name in report.header.supply if not is_set(settings, name)])
        return await run_check(store)


def migrate(source: Place, target: Place, force: Force = False) -> None:
    """Copy all data from one store to another, then check it.

    Stop all servers first.

    townsquare migrate townsquare-data redis://db:6379/0

    townsquare migrate redis://db:6379/0 redis+cluster://a:6379,b:6379,c:6379
    """
    run_command(move_data(source, target, force))


async def move_data(source: str, target: str, force: bool) -> int:
    settings = patient_settings()
    old, new = settings_at(settings, source), settings_at(settings, target)
    await require_safe(new)
    async with (
        open_existing_store(old, any_version=True) as former,
        services_of(old, former),
        opened_store(new) as store,
        services_of(new, store),
    ):
        with shown_progress() as progress:
            keys = await run.move(former, store, progress, force=force)
            await upgrade(store, progress)
        click.echo(f"{keys:,} keys copied. The source is unchanged.")
        return await run_check(store)


def patient_settings() -> Settings:
    """A slow store delays these commands and does not end them."""
    settings = chosen_settings()
    return replace(settings, command_timeout=max(PATIENCE, settings.command_timeout))


def settings_at(settings: Settings, place: str) -> Settings:
    """The settings with this data store. Its own Redis is the cache too: that of a server stays as it is."""
    if "://" in place:
        return replace(settings, data_url=place, cache_url=place)
    return replace(settings, data_url="", cache_url="", data_dir=place)


@asynccontextmanager
async def services_of(settings: Settings, store: Store) -> AsyncIterator[None]:
    """The services of the store, whose scripts apply effects that are left."""
    from townsquare.square import Square

    square = Square(settings, store, secrets.token_hex(32))
    try:
        yield
    finally:
        await square.close()


def is_set(settings: Settings, variable: str) -> bool:
    return bool(getattr(settings, variable.removeprefix("TOWNSQUARE_").lower(), ""))


def list_secrets(names: list[str]) -> None:
    if names:
        warn(f"These secrets are settings and not in the backup. Supply them again: {', '.join(names)}")

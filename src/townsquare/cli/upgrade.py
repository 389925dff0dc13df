"""`townsquare upgrade`"""

from typing import Annotated

import click

from townsquare.backup import upgrade as upgrading
from townsquare.kit.command_parameters import Option
from townsquare.kit.commands import chosen_settings, run_command, shown_progress
from townsquare.open_store import open_existing_store

DryRun = Annotated[bool, Option("--dry-run", help="Only show what would be changed.")]


def upgrade(dry_run: DryRun = False) -> None:
    """Upgrade the data to this version of Townsquare; a server does this when it starts.

    Stop all servers first. An interrupted upgrade continues when it is started again.
    """
    run_command(upgrade_data(dry_run))


async def upgrade_data(dry_run: bool) -> None:
    async with open_existing_store(chosen_settings(), any_version=True) as store:
        with shown_progress() as progress:
            run = upgrading.preview if dry_run else upgrading.upgrade
            done = await run(store, progress)
    for (keyspace, version, migration), changed in done:
        keys = f"{changed:,} keys {'would change' if dry_run else 'changed'}"
        click.echo(f"{keyspace.service} {version}: {migration.summary}: {keys}")
    if not done:
        click.echo("The data is up to date.")

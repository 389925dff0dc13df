"""`townsquare upgrade`"""

from typing import Annotated

import typer

from townsquare.backup import upgrade as upgrading
from townsquare.kit.commands import chosen_settings, run_command, shown_progress
from townsquare.open_store import opened_store, require_environment, require_folder

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be changed.")]


def upgrade(dry_run: DryRun = False) -> None:
    """Upgrade the data to this version of Townsquare; a server does this when it starts.

    Stop all servers first. An interrupted upgrade continues when it is started again.
    """
    run_command(upgrade_data(dry_run))


async def upgrade_data(dry_run: bool) -> None:
    settings = chosen_settings()
    require_folder(settings)
    async with opened_store(settings) as store:
        await require_environment(store, settings.env)
        with shown_progress() as progress:
            run = upgrading.preview if dry_run else upgrading.upgrade
            done = await run(store, progress)
    for (keyspace, version, migration), changed in done:
        keys = f"{changed:,} keys {'would change' if dry_run else 'changed'}"
        typer.echo(f"{keyspace.service} {version}: {migration.summary}: {keys}")
    if not done:
        typer.echo("The data is up to date.")

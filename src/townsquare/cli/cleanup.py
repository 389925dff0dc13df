"""`townsquare cleanup`: removes invalid records and leftovers."""

from typing import Annotated

import click

from townsquare.cli.integrity import print_report
from townsquare.integrity.check import check
from townsquare.kit.command_parameters import Option
from townsquare.square import Square

CLEAN, FOUND = 0, 1


async def cleanup(
    square: Square,
    apply: Annotated[bool, Option("--apply", help="Remove them; otherwise only list them.")] = False,
) -> int:
    """List invalid records and leftovers; with --apply, remove them."""
    found = 0
    for service in square.manifests.values():
        if service.cleanup:
            async for line in service.cleanup(square.store, apply):
                found += 1
                click.echo(line)
    report = await check(square.store, repair=apply, jobs=square.jobs)  # repairs what those records owned
    print_report(report)
    if not apply and (found or not report.clean):
        click.echo("Nothing was changed. Run it with --apply to remove what is invalid.")
    return CLEAN if report.clean and (apply or not found) else FOUND

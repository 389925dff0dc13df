"""`townsquare jobs`: lists unfinished jobs."""

import click

from townsquare.clock import iso
from townsquare.kit.terminal import print_table
from townsquare.square import Square


async def jobs(square: Square) -> None:
    """List open jobs (deletions, renames, …) and their progress. A running server continues them."""
    found = await square.jobs.list()
    if not found:
        click.echo("No job is open.")
        return
    rows = []
    for job in found:
        done = f"{job.done:,} of {job.total:,}" if job.total else f"{job.done:,}"
        rows.append((job.id, job.kind, job.state, done, iso(job.started_at), job.error))
    print_table(("Job", "Kind", "State", "Done", "Since", "Trouble"), rows)

"""`townsquare jobs`: lists unfinished jobs."""

import typer
from rich.console import Console
from rich.table import Table

from townsquare.clock import iso
from townsquare.square import Square


async def jobs(square: Square) -> None:
    """List open jobs (deletions, renames, …) and their progress. A running server continues them."""
    found = await square.jobs.list()
    if not found:
        typer.echo("No job is open.")
        return
    table = Table("Job", "Kind", "State", "Done", "Since", "Trouble")
    for job in found:
        done = f"{job.done:,} of {job.total:,}" if job.total else f"{job.done:,}"
        table.add_row(job.id, job.kind, job.state, done, iso(job.started_at), job.error)
    Console().print(table)

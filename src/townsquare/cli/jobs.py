"""`townsquare jobs`: long work that is not finished."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from townsquare.cli.places import run_on
from townsquare.clock import iso

if TYPE_CHECKING:
    from townsquare.square import Square


def mount(app: typer.Typer, open_square: "Callable[[], AbstractAsyncContextManager[Square]]") -> None:
    @app.command()
    def jobs() -> None:
        """List open jobs (deletions, renames, …) and how far they are. A running server continues them."""

        async def work(square: "Square") -> None:
            found = await square.jobs.list()
            if not found:
                typer.echo("No job is open.")
                return
            table = Table("Job", "Kind", "State", "Done", "Since", "Trouble")
            for job in found:
                done = f"{job.done:,} of {job.total:,}" if job.total else f"{job.done:,}"
                table.add_row(job.id, job.kind, job.state, done, iso(job.started_at), job.error)
            Console().print(table)

        run_on(open_square, work)

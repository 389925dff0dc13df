"""`townsquare social …`: what an operator does to the community from a terminal."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from townsquare.cli.places import REFUSED, Commands, run_on
from townsquare.services.social.load_file import KINDS, LoadTally, load
from townsquare.services.social.service import Social
from townsquare.store.coordination.jobs import Jobs

if TYPE_CHECKING:
    from townsquare.square import Square

SHOWN = 20  # refusals on the terminal

OpenSquare = Callable[[], AbstractAsyncContextManager["Square"]]
Work = Callable[["Square"], Awaitable[bool]]  # whether all went well
Name = Annotated[str, typer.Argument(help="A username.")]


def mount(app: typer.Typer, open_square: OpenSquare) -> None:
    """Add `social` with its commands to an application."""
    commands = Commands(help="Load, rename and delete people of the community.", no_args_is_help=True)
    app.add_typer(commands, name="social")

    @commands.command(name="load")
    def load_file(
        file: Annotated[
            Path, typer.Argument(metavar="FILE.jsonl", exists=True, dir_okay=False, help="A record a line.")
        ],
    ) -> None:
        """Load users, posts, follows and likes from a file; again is safe."""
        size = file.stat().st_size

        async def work(square: "Square") -> bool:
            tally = await load_with_progress(square.social, file, size)
            report(tally)
            return not tally.refused

        run(open_square, work)

    @commands.command()
    def delete(
        username: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False
    ) -> None:
        """Delete a user with everything of theirs. This cannot be undone."""
        if not yes:
            typer.confirm(f"Delete {username} and everything of theirs?", abort=True)

        async def work(square: "Square") -> bool:
            await finish(square.jobs, await square.social.begin_delete_user(username), f"Deleting {username}")
            return True

        run(open_square, work)

    @commands.command()
    def rename(username: Name, new_username: Name) -> None:
        """Give a user another name; the old one leads to it for 30 days."""

        async def work(square: "Square") -> bool:
            job = await square.social.begin_rename_profile(username, new_username)
            await finish(square.jobs, job, f"{username} becomes {new_username}")
            return True

        run(open_square, work)


async def load_with_progress(social: Social, file: Path, size: int) -> LoadTally:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[records]:,} records"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress, file.open("rb") as lines:
        bar = progress.add_task("Loading", total=size, records=0)
        return await load(
            social,
            lines,
            lambda tally: progress.update(bar, completed=tally.bytes, records=tally.records),
        )


def report(tally: LoadTally) -> None:
    table = Table("", "created", "updated", "unchanged", "refused")
    for kind in (*KINDS, "?"):
        counts = [tally.outcomes[kind, status] for status in ("created", "updated", "unchanged", "refused")]
        if any(counts):
            table.add_row(kind, *(f"{count:,}" for count in counts))
    Console().print(table)
    for refused in tally.refused[:SHOWN]:
        typer.secho(f"line {refused.line}: {refused.detail} ({refused.code})", fg=typer.colors.RED, err=True)


async def finish(jobs: Jobs, job: str, says: str) -> None:
    """Do a job to its end, and show how far it is."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(says, total=None)

        async def watch() -> None:
            while True:
                for seen in await jobs.list():
                    if seen.id == job:
                        progress.update(bar, completed=seen.done, total=seen.total)
                await asyncio.sleep(0.2)

        watching = asyncio.create_task(watch())
        try:
            await jobs.run(job)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        await jobs.run_open()


def run(open_square: OpenSquare, work: Work) -> None:
    if not run_on(open_square, work):
        raise typer.Exit(REFUSED)

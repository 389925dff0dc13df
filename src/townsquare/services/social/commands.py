"""`townsquare social …`: commands for the operator."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from townsquare.kit.commands import REFUSED, Commands, Yes, finish_job, progress_bar
from townsquare.service_resources import Resources
from townsquare.services.social.load_file import KINDS, LoadTally, load
from townsquare.services.social.service import Social

SHOWN = 20  # refusals on the terminal

Name = Annotated[str, typer.Argument(help="A username.")]

commands = Commands(name="social", no_args_is_help=True)


@commands.command(name="load", creates=True)
async def load_file(
    square: Resources,
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", exists=True, dir_okay=False, help="A record a line.")
    ],
) -> int:
    """Load users, posts, follows and likes from a file; again is safe."""
    tally = await load_with_progress(square.service(Social), file, file.stat().st_size)
    report(tally)
    return REFUSED if tally.refused else 0


@commands.command()
async def delete(square: Resources, username: Name, yes: Yes = False) -> None:
    """Delete a user and all data of the user. This cannot be undone."""
    if not yes:
        typer.confirm(f"Delete {username} and everything of theirs?", abort=True)
    job = await square.service(Social).users.begin_delete(username)
    if job:
        await finish_job(square.jobs, job, f"Deleting {username}")


@commands.command()
async def rename(square: Resources, username: Name, new_username: Name) -> None:
    """Rename a user and the account, if there is one. The old name redirects for 30 days."""
    job = await square.service(Social).users.begin_rename(username, new_username)
    if job:
        await finish_job(square.jobs, job, f"{username} becomes {new_username}")


async def load_with_progress(social: Social, file: Path, size: int) -> LoadTally:
    count = TextColumn("{task.fields[records]:,} records")
    columns = (TaskProgressColumn(), count, TimeRemainingColumn())
    with progress_bar(*columns) as progress, file.open("rb") as lines:
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

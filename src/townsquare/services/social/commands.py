"""`townsquare social …`: commands for the operator."""

from pathlib import Path
from typing import Annotated

import click

from townsquare.kit.command_parameters import Argument
from townsquare.kit.commands import REFUSED, Commands, Yes, finish_job
from townsquare.kit.terminal import ProgressBar, print_table
from townsquare.service_resources import Resources
from townsquare.services.social.load_file import KINDS, LoadTally, load
from townsquare.services.social.service import Social

SHOWN = 20  # refusals on the terminal

Name = Annotated[str, Argument(help="A username.")]

commands = Commands(name="social", no_args_is_help=True)


@commands.command(name="load", creates=True)
async def load_file(
    square: Resources,
    file: Annotated[
        Path, Argument(metavar="FILE.jsonl", exists=True, dir_okay=False, help="A record a line.")
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
        click.confirm(f"Delete {username} and everything of theirs?", abort=True)
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
    with ProgressBar("Loading", size) as bar, file.open("rb") as lines:
        return await load(
            social, lines, lambda tally: bar.update(tally.bytes, count=f"{tally.records:,} records")
        )


def report(tally: LoadTally) -> None:
    statuses = ("created", "updated", "unchanged", "refused")
    counts = {kind: [tally.outcomes[kind, status] for status in statuses] for kind in (*KINDS, "?")}
    rows = [(kind, *(f"{one:,}" for one in counted)) for kind, counted in counts.items() if any(counted)]
    print_table(("", *statuses), rows)
    for refused in tally.refused[:SHOWN]:
        click.secho(f"line {refused.line}: {refused.detail} ({refused.code})", fg="red", err=True)

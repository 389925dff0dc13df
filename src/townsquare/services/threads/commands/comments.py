"""`townsquare comments …`: import and export."""

from pathlib import Path
from typing import Annotated

import click

from townsquare.comment_files.formats import FormatName
from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Commands
from townsquare.kit.terminal import ProgressBar, print_table
from townsquare.service_resources import Resources
from townsquare.services.threads.commands.sites import SiteArgument, found
from townsquare.services.threads.models.imports import ImportReport
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.exporting import ExportReport

SHOWN = 20  # skipped comments on the terminal

comment_commands = Commands(name="comments", no_args_is_help=True)


@comment_commands.command(name="import")
async def import_comments(
    square: Resources,
    site: SiteArgument,
    file: Annotated[
        Path,
        Argument(
            exists=True,
            dir_okay=False,
            help="An export of Disqus, WordPress, Isso, Remark42, Commento, Comentario or Townsquare.",
        ),
    ],
    format: Annotated[FormatName | None, Option(help="The format, if it is not detected.")] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only report what would be imported.")] = False,
) -> None:
    """Import the comments of a file into a site; repeating it changes nothing."""
    known = await found(square, site)
    with ProgressBar("Reading") as bar:

        def on_progress(report: ImportReport) -> None:
            if report.total:
                bar.update(report.done, report.total, description="Importing")
            else:
                bar.update(report.read)

        report = await square.service(Threads).importing.import_file(
            known.id,
            file,
            format=format,
            dry_run=dry_run,
            on_progress=on_progress,
        )
    show(report)


@comment_commands.command(name="export")
async def export_comments(
    square: Resources,
    site: SiteArgument,
    file: Annotated[Path, Argument(metavar="FILE.jsonl", dir_okay=False, help="Gzipped if it ends in .gz.")],
) -> None:
    """Write all comments of a site to a file, including pending and deleted ones."""
    known = await found(square, site)
    with ProgressBar("Exporting pages") as bar:

        def on_progress(report: ExportReport) -> None:
            bar.update(report.pages, report.total_pages)

        report = await square.service(Threads).exporting.export_file(known.id, file, on_progress=on_progress)
    click.echo(f"{report.comments:,} comments of {report.pages:,} pages")


def show(report: ImportReport) -> None:
    counts = {"new": report.created, "imported before": report.unchanged}
    counts |= {f"skipped: {reason}": count for reason, count in sorted(report.skipped.items())}
    what = "Nothing was changed: it would be" if report.dry_run else str(report.format)
    print_table((what, "comments"), [(says, f"{count:,}") for says, count in counts.items()])
    click.echo(f"{report.pages:,} pages, {report.authors:,} new authors")
    if report.orphans:
        click.echo(f"{report.orphans:,} replies without their parent in the file are top-level comments")
    if report.shortened:
        click.echo(f"{report.shortened:,} texts were truncated at 10,000 characters")
    for repaired in report.repaired[:SHOWN]:
        click.secho(f"corrected in {repaired}", err=True)
    for skipped in report.samples[:SHOWN]:
        click.secho(f"{skipped.id or '?'}: {skipped.reason} {skipped.detail}".rstrip(), err=True)

"""`townsquare keys` and `townsquare check`."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import click
import msgspec

from townsquare.cli.opening import open_checked, open_store
from townsquare.integrity.check import check, collect_rarely
from townsquare.integrity.findings import Outcome, Report
from townsquare.integrity.reference import HEADERS, as_json, as_markdown, as_table, rows
from townsquare.keyspace import Registry
from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Commands
from townsquare.kit.terminal import ProgressBar, print_table
from townsquare.problems import Problem
from townsquare.services import registry
from townsquare.services.accounts.audit import AuditLog, terminal
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.engine import EngineError
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.square import Square

LISTED = 50
CLEAN, FAULTS, CANNOT_RUN = 0, 1, 2


class Format(StrEnum):
    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"


def mount(
    app: Commands,
    registry: Registry,
    open_store: Callable[[], AbstractAsyncContextManager[Store]],
    open_square: "Callable[[], AbstractAsyncContextManager[Square]] | None" = None,
) -> None:
    """Add both commands to an application. The registry must have the keys of *all* services.

    With `open_square`, the services of the square run the jobs that repairs start.
    """

    @app.command("keys")
    def keys_command(
        service: Annotated[
            str | None, Argument(show_default="all", help="Only the keys of this service.")
        ] = None,
        format: Annotated[Format, Option(help="How to print it.")] = Format.TABLE,
    ) -> None:
        """Print the reference of every declared key."""
        raise click.exceptions.Exit(print_keys(registry, format, service))

    @app.command("check")
    def check_command(
        repair: Annotated[bool, Option("--repair", help="Repair what can be repaired.")] = False,
        json: Annotated[bool, Option("--json", help="Print the report as JSON.")] = False,
    ) -> None:
        """Compare every key with its declaration. Safe on a live system."""

        async def command() -> int:
            collect_rarely()
            async with open_store() as store:
                if not repair or not open_square:
                    return await run_check(store, repair=repair, json=json)
            async with open_square() as square:
                await AuditLog(square.store).add(terminal().user_id, "integrity.repair")
                return await run_check(square.store, repair=True, json=json, jobs=square.jobs)

        try:
            raise click.exceptions.Exit(asyncio.run(command()))
        except (Problem, OSError, EngineError) as problem:
            click.echo(f"{click.style('Cannot check:', fg='red')} {problem}", err=True)
            raise click.exceptions.Exit(CANNOT_RUN) from None


def print_keys(registry: Registry, format: Format, service: str | None) -> int:
    services = rows(registry, service)
    if service and not services:
        known = ", ".join(sorted(space.service for space in registry.keyspaces))
        click.echo(f"There is no service {service!r}; there are: {known}", err=True)
        return CANNOT_RUN
    match format:
        case Format.TABLE:
            print_table(HEADERS, as_table(services))
        case Format.MARKDOWN:
            click.echo(as_markdown(services))
        case Format.JSON:
            click.echo(as_json(services))
    return CLEAN


async def run_check(
    store: Store, *, repair: bool = False, json: bool = False, jobs: Jobs | None = None
) -> int:
    with ProgressBar("Checking", transient=True) as bar:
        report = await check(store, repair=repair, jobs=jobs, progress=bar.update)
    if json:
        click.echo(msgspec.json.encode({**msgspec.to_builtins(report), "clean": report.clean}).decode())
    else:
        print_report(report)
    return CLEAN if report.clean else FAULTS


def print_report(report: Report) -> None:
    if report.total:
        print_summary(report)
    for finding in report.findings[:LISTED]:
        note = f" — {finding.note}" if finding.note else ""
        click.echo(f"{click.style(finding.kind, bold=True)} {finding.key} {finding.problem}{note}")
    if report.total > LISTED:
        click.echo(f"… and {report.total - LISTED} more (--json lists up to {len(report.findings)})")
    for line in notices(report):
        click.echo(line)


def print_summary(report: Report) -> None:
    repair = [Outcome.REPAIRED, Outcome.QUARANTINED, Outcome.REFUSED]
    outcomes = repair if report.repair else [Outcome.FOUND]
    headers = ("Kind", *(outcome.capitalize() for outcome in outcomes))
    rows = [
        (kind, *(str(tally.get(outcome, 0)) for outcome in outcomes))
        for kind, tally in report.tallies.items()
    ]
    print_table(headers, rows)


def notices(report: Report) -> list[str]:
    lines = []
    if quarantined := sum(tally.get(Outcome.QUARANTINED, 0) for tally in report.tallies.values()):
        lines.append(f"{quarantined} findings moved to system:quarantine:<key>, where they stay for 7 days.")
    if report.waiting:
        lines.append(f"{report.waiting} buckets had unapplied effects: a running server applies them.")
    if report.busy:
        busy = f"{report.busy} suspicions kept changing or belong to an open job (see `townsquare jobs`)"
        lines.append(f"{busy}: check again later.")
    left = f"{report.left} findings left" if report.left else "clean"
    lines.append(f"{report.keys} keys checked: {left}.")
    return lines


def commands() -> Commands:
    """Both commands, with every service."""
    app = Commands()
    mount(app, registry(), open_store, open_checked)
    return app

"""`townsquare doctor`: what an operator should change."""

import click
import msgspec

from townsquare.doctor import DoctorFinding, examine
from townsquare.kit.commands import Json, chosen_settings
from townsquare.open_store import open_existing_store, without_cache
from townsquare.problems import Problem
from townsquare.store.engine import EngineError

FINE, FINDINGS, CANNOT_RUN = 0, 1, 2
COLOURS = {"critical": "red", "warning": "yellow", "notice": "cyan"}


def doctor(json: Json = False) -> None:
    """Examine stores, settings, background work and backups. Each finding says what to do.

    Writes nothing. Exit code 0: nothing but notices, 1: findings, 2: a store does not answer.
    """
    import asyncio

    try:
        findings = asyncio.run(examine_chosen())
    except (Problem, OSError, EngineError) as problem:
        click.secho(f"Cannot examine: {problem}", fg="red", err=True)
        raise click.exceptions.Exit(CANNOT_RUN) from None
    if json:
        click.echo(msgspec.json.encode(findings).decode())
    else:
        print_findings(findings)
    raise click.exceptions.Exit(FINDINGS if any(one.severity != "notice" for one in findings) else FINE)


async def examine_chosen() -> list[DoctorFinding]:
    settings = chosen_settings()
    async with open_existing_store(without_cache(settings) or settings, any_version=True) as store:
        return await examine(store, settings)


def print_findings(findings: list[DoctorFinding]) -> None:
    for one in findings:
        severity = click.style(f"{one.severity:<8}", fg=COLOURS[one.severity])
        click.echo(f"{severity} {click.style(one.title, bold=True)} ({one.code})")
        click.echo(f"         {one.found}\n         → {one.advice}")
    if not findings:
        click.echo("No findings.")

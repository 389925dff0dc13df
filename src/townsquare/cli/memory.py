"""`townsquare memory`: bytes and keys per declaration."""

from typing import Annotated

import click
import msgspec

from townsquare.explorer.memory import SAMPLE, MemoryReport, measure_memory
from townsquare.kit.command_parameters import Option
from townsquare.kit.commands import Json, as_written
from townsquare.kit.terminal import print_table
from townsquare.service_resources import Resources

KB = 1024
UNITS = ("B", "kB", "MB", "GB", "TB")


async def memory(
    square: Resources,
    sample: Annotated[int, Option(min=2, help="Keys to measure of each declaration.")] = SAMPLE,
    top: Annotated[int, Option(min=1, help="Declarations to list.")] = 25,
    json: Json = False,
) -> None:
    """Estimate the bytes and count the keys of each declaration.

    Also lists the largest keys, the growth and when maxmemory is reached. Writes nothing.
    """
    report = await measure_memory(square.store, sample=sample)
    if json:
        click.echo(msgspec.json.encode(report).decode())
    else:
        print_report(report, top)


def print_report(report: MemoryReport, top: int) -> None:
    print_table(
        ("Service", "Pattern", "Role", "Keys", "Bytes", "± (95 %)", "Share"),
        [
            (
                row.service,
                row.pattern,
                row.role,
                f"{row.keys:,}",
                shown(row.bytes),
                shown(row.error) if row.error else "",
                f"{row.bytes / report.bytes if report.bytes else 0:.1%}",
            )
            for row in report.declarations[:top]
        ],
    )
    click.echo(f"All keys: {shown(report.bytes)} ± {shown(report.error)}. {used(report)}\n")
    largest = [(as_written(one.name), shown(one.bytes)) for one in report.largest[:10]]
    print_table(("Largest measured keys", "Bytes"), largest)
    click.echo(forecast(report))


def used(report: MemoryReport) -> str:
    limit = f" of {shown(report.limit)} (maxmemory)" if report.limit else ", without maxmemory"
    return f"The data store uses {shown(report.used)}{limit}."


def forecast(report: MemoryReport) -> str:
    growth = report.growth
    if growth is None:
        return "Growth: unknown until a server has run on three days."
    text = f"Growth: {shown(growth.bytes_per_day)} a day over {growth.days} days."
    if growth.days_until_full is not None:
        text += f" At this rate maxmemory is reached in {growth.days_until_full:,.0f} days."
    return text


def shown(size: float) -> str:
    sign, size = "-" if size < 0 else "", abs(size)
    for unit in UNITS:
        if size < KB or unit == UNITS[-1]:
            break
        size /= KB
    return f"{sign}{size:,.0f} {unit}" if unit == "B" else f"{sign}{size:,.1f} {unit}"

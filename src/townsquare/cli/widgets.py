"""`townsquare show`, `delete widget` and `cleanup`: what an operator does to widgets from a terminal."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from itertools import groupby
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from townsquare.cli.integrity import print_report
from townsquare.cli.places import Commands, placed, run_on
from townsquare.integrity.check import check
from townsquare.services.widgets import admin_listing
from townsquare.services.widgets.keys import KINDS
from townsquare.square import Square

CLEAN, FOUND = 0, 1
WIDTH_OF_A_FILE = 140  # columns when the output is not a terminal
UNDECLARED = "(not declared)"

OpenSquare = Callable[[], AbstractAsyncContextManager[Square]]
Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


class Kind(StrEnum):
    COUNTER = "counter"
    LIKE = "like"
    RANKING = "ranking"
    BBS = "bbs"


def mount(app: typer.Typer, open_square: OpenSquare) -> None:
    """Add the commands to an application."""
    show = Commands(help="Show what the store holds.", invoke_without_command=True)
    app.add_typer(show, name="show")
    delete = Commands(help="Delete things for good.", no_args_is_help=True)
    app.add_typer(delete, name="delete")

    @show.callback()
    @placed
    def overview(context: typer.Context, json: Json = False) -> None:
        """Show how many keys of each sort the store holds, or list one kind of thing."""
        if context.invoked_subcommand is None:
            run(open_square, lambda square: print_sorts(square, json=json))

    @show.command("widgets")
    def show_widgets(
        kind: Annotated[Kind | None, typer.Argument(help="Only of this kind.")] = None,
        limit: Annotated[int, typer.Option(min=1, help="At most so many of a kind, the newest.")] = 50,
        json: Json = False,
    ) -> None:
        """List the widgets, the newest first."""
        kinds = [kind.value] if kind else list(KINDS)
        run(open_square, lambda square: print_widgets(square, kinds, limit, json=json))

    @delete.command("widget")
    def delete_widget(
        kind: Annotated[Kind, typer.Argument(help="counter, like, ranking or bbs.")],
        id: Annotated[str, typer.Argument(metavar="ID", help="As `townsquare show widgets` lists it.")],
        yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    ) -> None:
        """Delete a widget with its URL, its data and everything that would end by itself."""
        if not yes:
            typer.confirm(f"Delete the {kind.value} {id} and everything of its own?", abort=True)
        run(open_square, lambda square: remove(square, kind.value, id))

    @app.command("cleanup")
    def cleanup(
        apply: Annotated[bool, typer.Option("--apply", help="Remove them; otherwise only say so.")] = False,
    ) -> None:
        """Find widget records that cannot be right, and what is left over; with --apply remove them."""
        run(open_square, lambda square: clean_up(square, apply=apply))


def run(open_square: OpenSquare, work: Callable[[Square], Awaitable[int]]) -> None:
    raise typer.Exit(run_on(open_square, work))


async def print_sorts(square: Square, *, json: bool) -> int:
    counts = await sorts(square)
    if json:
        typer.echo(msgspec.json.encode({f"{service} {sort}": n for (service, sort), n in counts}).decode())
        return CLEAN
    table = Table("Service", "Keys like", "How many")
    for service, group in groupby(counts, key=lambda row: row[0][0]):
        for place, ((_, sort), count) in enumerate(group):
            table.add_row("" if place else service, sort, f"{count:,}")
    console().print(table)
    return CLEAN


async def sorts(square: Square) -> list[tuple[tuple[str, str], int]]:
    """Service and pattern of every key there is, with their number."""
    found: Counter[tuple[str, str]] = Counter()
    seen: set[str] = set()
    for role, side in square.store.sides.items():
        async for names in square.store.scan(role):
            for name in set(names) - seen:
                seen.add(name)
                key = square.store.registry.parse(name, side.layout)
                found[(key.declared.service, key.declared.pattern) if key else (UNDECLARED, name)] += 1
    return sorted(found.items())


async def print_widgets(square: Square, kinds: list[str], limit: int, *, json: bool) -> int:
    sizes = await admin_listing.sizes(square.store)
    rows: list[admin_listing.WidgetSummary] = []
    for kind in kinds:
        count = 0
        async for one in admin_listing.listed(square.store, kind):
            rows.append(one)
            count += 1
            if count == limit:
                break
    if json:
        typer.echo(msgspec.json.encode([one._asdict() for one in rows]).decode())
        return CLEAN
    table = Table("Kind", "Id", "URL", "Made", "Figure", "Last used")
    for one in rows:
        table.add_row(one.kind, one.id, one.url, one.created[:10], f"{one.figure:,}", (one.last or "")[:16])
    console().print(table)
    typer.echo(", ".join(f"{sizes[kind]:,} {kind}" for kind in kinds))
    return CLEAN


async def remove(square: Square, kind: str, id: str) -> int:
    await square.widgets.by_kind[kind].delete_as_operator(id)
    typer.echo(f"{kind} {id} deleted")
    return CLEAN


async def clean_up(square: Square, *, apply: bool) -> int:
    """Records first; what they owned, their URLs and their places in the index follow by the checker."""
    found = 0
    async for record in admin_listing.invalid_records(square.store):
        found += 1
        verb = "removed" if apply and await admin_listing.discard(square.store, record) else "invalid"
        typer.echo(f"{verb}: {record.kind} {record.id} {record.why}")
    report = await check(square.store, repair=apply)
    print_report(report)
    if not apply and (found or not report.clean):
        typer.echo("Nothing was changed. Run it with --apply to remove what is invalid.")
    return CLEAN if report.clean and (apply or not found) else FOUND


def console() -> Console:
    wide = Console()
    return wide if wide.is_terminal else Console(width=WIDTH_OF_A_FILE)

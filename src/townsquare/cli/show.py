"""`townsquare show` and `townsquare delete`: groups to which services add commands."""

from collections import Counter
from itertools import groupby

import msgspec
import typer
from rich.table import Table

from townsquare.cli.delete_record import delete_record
from townsquare.kit.commands import Commands, Json, console, run_on_square, with_store_options
from townsquare.store.store import Store

UNDECLARED = "(not declared)"

show = Commands(name="show", help="Show the contents of the store.", invoke_without_command=True)
delete = Commands(name="delete", help="Delete records permanently.", no_args_is_help=True)
delete.command("record")(delete_record)


@show.callback()
@with_store_options
def overview(context: typer.Context, json: Json = False) -> None:
    """Show the number of keys per pattern, or list one kind of record."""
    if context.invoked_subcommand is None:
        run_on_square(lambda square: print_counts(square.store, json=json))


async def print_counts(store: Store, *, json: bool) -> None:
    counts = await keys_by_pattern(store)
    if json:
        typer.echo(msgspec.json.encode({f"{service} {sort}": n for (service, sort), n in counts}).decode())
        return
    table = Table("Service", "Pattern", "Keys")
    for service, group in groupby(counts, key=lambda row: row[0][0]):
        for row, ((_, sort), count) in enumerate(group):
            table.add_row("" if row else service, sort, f"{count:,}")
    console().print(table)


async def keys_by_pattern(store: Store) -> list[tuple[tuple[str, str], int]]:
    found: Counter[tuple[str, str]] = Counter()
    seen: set[str] = set()
    for role, side in store.role_stores.items():
        async for names in store.scan(role):
            for name in set(names) - seen:
                seen.add(name)
                key = store.registry.parse(name, side.layout)
                found[(key.declared.service, key.declared.pattern) if key else (UNDECLARED, name)] += 1
    return sorted(found.items())

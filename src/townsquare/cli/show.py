"""`townsquare show` and `townsquare delete`: groups to which services add commands."""

from collections.abc import Iterator
from typing import Annotated

import click
import msgspec

from townsquare.cli.delete_record import delete_record
from townsquare.explorer.key_tree import KeyTree, read_tree
from townsquare.explorer.show_key import KeyDetails, read_key
from townsquare.kit.command_parameters import Argument, as_command
from townsquare.kit.commands import Commands, Json, as_written, run_on_square, with_store_options
from townsquare.service_resources import Resources
from townsquare.store.store import Store

delete = Commands(name="delete", help="Delete records permanently.", no_args_is_help=True)
delete.command("record")(delete_record)


@with_store_options
def overview(context: click.Context, json: Json = False) -> None:
    """Show the key space as a tree with the number of keys, or one key, or one kind of record."""
    if context.invoked_subcommand is None:
        run_on_square(lambda square: print_tree(square.store, json=json))


show: Commands = as_command(overview, "show", Commands, invoke_without_command=True)


async def print_tree(store: Store, *, json: bool) -> None:
    tree = await read_tree(store)
    if json:
        click.echo(msgspec.json.encode(tree).decode())
    else:
        for line in drawn(tree):
            click.echo(line)


def drawn(tree: KeyTree, joined: str = "") -> Iterator[str]:
    """The lines of a tree. A branch with one child and no keys of its own is drawn with it on one line."""
    name = f"{joined}{tree.name}"
    children = list(tree.children.values())
    if len(children) == 1 and children[0].keys == tree.keys:
        yield from drawn(children[0], f"{name}:")
        return
    yield f"{as_written(name)}  {click.style(f'{tree.keys:,}', fg='cyan')}"
    for child in children:
        first, below = ("└── ", "    ") if child is children[-1] else ("├── ", "│   ")
        head, *rest = drawn(child)
        yield first + head
        yield from (below + line for line in rest)


@show.command("key")
async def show_key(
    square: Resources,
    key: Annotated[str, Argument(help="The full name, or from its service on: social:user:alice")],
    json: Json = False,
) -> int:
    """Show one key: its value, declaration, relations and lifetime. Secrets are hidden."""
    details = await read_key(square.store, key)
    if json:
        click.echo(msgspec.json.encode(details).decode())
    else:
        print_details(details)
    return 0 if details.exists else 1


def print_details(details: KeyDetails) -> None:
    declared = details.declaration
    facts = [
        ("Key", details.name if details.exists else f"{details.name} (does not exist)"),
        ("Declaration", f"{declared.service} {declared.pattern}"),
        ("Type", declared.type + (f", {details.members:,} members" if details.members is not None else "")),
        ("For", declared.description),
        ("Lifetime", f"{lifetime(details.lifetime_ms)} (declared: {declared.lifetime})"),
        ("Memory", f"{details.bytes:,} bytes, {declared.role} store"),
        *(("Relation", relation) for relation in declared.relations),
        *(("Related", one.name if one.exists else f"{one.name} (does not exist)") for one in details.related),
    ]
    for label, text in facts:
        click.echo(click.style(f"{label:<12}", bold=True) + as_written(text))
    value = msgspec.json.format(msgspec.json.encode(details.value), indent=2).decode()
    click.echo(value)


def lifetime(left: int | None) -> str:
    return "does not expire" if left is None else f"{left / 1000:,.0f} s left"

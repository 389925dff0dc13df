"""`townsquare show` and `townsquare delete`: groups to which services add commands."""

from typing import Annotated

import msgspec
import typer
from rich.text import Text
from rich.tree import Tree

from townsquare.cli.delete_record import delete_record
from townsquare.explorer.key_tree import KeyTree, read_tree
from townsquare.explorer.show_key import KeyDetails, read_key
from townsquare.kit.commands import Commands, Json, as_written, console, run_on_square, with_store_options
from townsquare.service_resources import Resources
from townsquare.store.store import Store

show = Commands(name="show", help="Show the contents of the store.", invoke_without_command=True)
delete = Commands(name="delete", help="Delete records permanently.", no_args_is_help=True)
delete.command("record")(delete_record)


@show.callback()
@with_store_options
def overview(context: typer.Context, json: Json = False) -> None:
    """Show the key space as a tree with the number of keys, or one key, or one kind of record."""
    if context.invoked_subcommand is None:
        run_on_square(lambda square: print_tree(square.store, json=json))


async def print_tree(store: Store, *, json: bool) -> None:
    tree = await read_tree(store)
    if json:
        typer.echo(msgspec.json.encode(tree).decode())
    else:
        console().print(drawn(tree))


def drawn(tree: KeyTree, joined: str = "") -> Tree:
    """A branch with one child and no keys of its own is drawn with it on one line."""
    name = f"{joined}{tree.name}"
    if len(tree.children) == 1:
        (child,) = tree.children.values()
        if child.keys == tree.keys:
            return drawn(child, f"{name}:")
    branch = Tree(Text.assemble(as_written(name), (f"  {tree.keys:,}", "cyan")))
    for child in tree.children.values():
        branch.add(drawn(child))
    return branch


@show.command("key")
async def show_key(
    square: Resources,
    key: Annotated[str, typer.Argument(help="The full name, or from its service on: social:user:alice")],
    json: Json = False,
) -> int:
    """Show one key: its value, declaration, relations and lifetime. Secrets are hidden."""
    details = await read_key(square.store, key)
    if json:
        typer.echo(msgspec.json.encode(details).decode())
    else:
        print_details(details)
    return 0 if details.exists else 1


def print_details(details: KeyDetails) -> None:
    declared = details.declaration
    out = console()
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
        out.print(Text.assemble((f"{label:<12}", "bold"), as_written(text)), soft_wrap=True)
    value = msgspec.json.format(msgspec.json.encode(details.value), indent=2).decode()
    out.print(Text(value), soft_wrap=True)


def lifetime(left: int | None) -> str:
    return "does not expire" if left is None else f"{left / 1000:,.0f} s left"

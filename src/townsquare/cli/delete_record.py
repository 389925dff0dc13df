"""`townsquare delete record`: any declared record, with all that belongs to it or names it."""

from typing import Annotated

import typer
from rich.table import Table

from townsquare.integrity.preview import DeletionPreview, preview_deletion
from townsquare.keyspace import AnyKey, Registry
from townsquare.kit.commands import Yes, console, finish_job
from townsquare.problems import Invalid
from townsquare.square import Square

Service = Annotated[str, typer.Argument(help="The service that has it: social, widgets, …")]
Name = Annotated[str, typer.Argument(metavar="KEY", help="Its key as `townsquare keys` tells it: user:alice")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only tell what would go.")]


async def delete_record(
    square: Square, service: Service, key: Name, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Delete a record with all that belongs to it or names it. Tells first what that is.

    townsquare delete record social user:alice --dry-run
    """
    record = find_record(square.store.registry, service, key)
    if not square.deletion.can_delete(record.declared):
        raise Invalid(f"{record.text} is not deleted by itself: delete what it belongs to, or by its service")
    along = await square.deletion.goes_along(record)
    print_preview(await preview_deletion(square.store, record, *along))
    if dry_run:
        return
    if not yes:
        typer.confirm(f"Delete {record.text} for good?", abort=True)
    job = await square.deletion.begin(record)
    if job:
        await finish_job(square.jobs, job, f"Deleting {record.text}")
    typer.echo(f"{record.text} deleted")


def find_record(registry: Registry, service: str, text: str) -> AnyKey:
    spaces = [space for space in registry.keyspaces if space.service == service]
    if not spaces:
        known = ", ".join(space.service for space in registry.keyspaces)
        raise Invalid(f"There is no service {service}: use one of {known}")
    for declared in spaces[0].keys.values():
        key = declared.parse(text)
        if key:
            return key
    raise Invalid(f"{service} has no key like {text}")


def print_preview(told: DeletionPreview) -> None:
    table = Table("What", "Keys that go", "Members that others lose")
    for name in sorted({*told.keys, *told.members}):
        table.add_row(name, f"{told.keys.get(name, 0):,}", f"{told.members.get(name, 0):,}")
    console().print(table)

"""`townsquare delete record`: deletes any declared record with everything that belongs or refers to it."""

from typing import Annotated

import click

from townsquare.integrity.preview import DeletionPreview, preview_deletion
from townsquare.keyspace import AnyKey, Registry
from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Yes, finish_job
from townsquare.kit.terminal import print_table
from townsquare.problems import Invalid
from townsquare.services.accounts.audit import terminal
from townsquare.services.accounts.service import Accounts
from townsquare.square import Square

Service = Annotated[str, Argument(help="The service of the record: social, widgets, …")]
Name = Annotated[str, Argument(metavar="KEY", help="Its key, see `townsquare keys`: user:alice")]
DryRun = Annotated[bool, Option("--dry-run", help="Only show what would be deleted.")]


async def delete_record(
    square: Square, service: Service, key: Name, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Show and then delete a record with everything that belongs or refers to it.

    townsquare delete record social user:alice --dry-run
    """
    record = find_record(square.store.registry, service, key)
    if not square.deletion.can_delete(record.declared):
        raise Invalid(f"{record.text} cannot be deleted by itself: delete its owner, or use its service")
    along = await square.deletion.goes_along(record)
    print_preview(await preview_deletion(square.store, record, *along))
    if dry_run:
        return
    if not yes:
        click.confirm(f"Delete {record.text} for good?", abort=True)
    async with square.service(Accounts).audit.recorded(
        terminal(), "record.delete", f"{service} {record.text}"
    ):
        job = await square.deletion.begin(record)
        if job:
            await finish_job(square.jobs, job, f"Deleting {record.text}")
    click.echo(f"{record.text} deleted")


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


def print_preview(preview: DeletionPreview) -> None:
    print_table(
        ("Key", "Keys", "Members of other keys"),
        [
            (name, f"{preview.keys.get(name, 0):,}", f"{preview.members.get(name, 0):,}")
            for name in sorted({*preview.keys, *preview.members})
        ],
    )

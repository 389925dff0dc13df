"""`townsquare show widgets`, `delete widget` and the widgets' part of `cleanup`."""

from collections.abc import AsyncIterator
from typing import Annotated, Literal

import click
import msgspec

from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Commands, Json, Yes
from townsquare.kit.terminal import print_table
from townsquare.service_resources import Resources
from townsquare.services.accounts.audit import terminal
from townsquare.services.accounts.service import Accounts
from townsquare.services.widgets import admin_listing
from townsquare.services.widgets.keys import KINDS
from townsquare.services.widgets.service import Widgets
from townsquare.store.store import Store

WidgetKind = Literal["counter", "like", "ranking", "bbs"]

show = Commands(name="show")
delete = Commands(name="delete")


@show.command("widgets")
async def show_widgets(
    square: Resources,
    kind: Annotated[WidgetKind | None, Argument(help="Only of this kind.")] = None,
    limit: Annotated[int, Option(min=1, help="At most so many of a kind, the newest.")] = 50,
    json: Json = False,
) -> None:
    """List the widgets, the newest first."""
    kinds = [kind] if kind else list(KINDS)
    rows = [one for each in kinds for one in await admin_listing.newest(square.store, each, limit)]
    if json:
        click.echo(msgspec.json.encode([one._asdict() for one in rows]).decode())
        return
    print_table(
        ("Kind", "Id", "URL", "Made", "Figure", "Last used"),
        [
            (one.kind, one.id, one.url, one.created[:10], f"{one.figure:,}", (one.last or "")[:16])
            for one in rows
        ],
    )
    sizes = await admin_listing.sizes(square.store)
    click.echo(", ".join(f"{sizes[each]:,} {each}" for each in kinds))


@delete.command("widget")
async def delete_widget(
    square: Resources,
    kind: Annotated[WidgetKind, Argument(help="counter, like, ranking or bbs.")],
    id: Annotated[str, Argument(metavar="ID", help="As `townsquare show widgets` lists it.")],
    yes: Yes = False,
) -> None:
    """Delete a widget, its URL and all its data, including keys that would expire."""
    if not yes:
        click.confirm(f"Delete the {kind} {id} and everything of its own?", abort=True)
    async with square.service(Accounts).audit.recorded(terminal(), "widget.delete", f"{kind} {id}"):
        await square.service(Widgets).by_kind[kind].delete_as_operator(id)
    click.echo(f"{kind} {id} deleted")


async def clean_up(store: Store, apply: bool) -> AsyncIterator[str]:
    async for record in admin_listing.invalid_records(store):
        verb = "removed" if apply and await admin_listing.discard(store, record) else "invalid"
        yield f"{verb}: {record.kind} {record.id} {record.why}"

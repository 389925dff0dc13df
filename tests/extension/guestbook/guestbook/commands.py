"""`townsquare guestbook …`"""

import click

from guestbook.service import Guestbook
from townsquare.kit.commands import Commands
from townsquare.service_resources import Resources

commands = Commands(name="guestbook", no_args_is_help=True)


@commands.command()
async def read(square: Resources) -> None:
    """Print the newest entries."""
    for entry in await square.service(Guestbook).newest():
        click.echo(entry.text)


@commands.command()
async def write(square: Resources, user_id: str, text: str) -> None:
    """Write for somebody."""
    click.echo((await square.service(Guestbook).write(user_id, text)).id)

"""`townsquare site …`: manage sites from a terminal."""

import sys
from pathlib import Path
from typing import Annotated

import click
import msgspec

from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Commands
from townsquare.kit.urls import server_url
from townsquare.service_resources import Resources
from townsquare.services.accounts.audit import terminal
from townsquare.services.accounts.service import Accounts
from townsquare.services.threads.models.sites import Site, SiteRole, SiteSettings
from townsquare.services.threads.problems import BadSite
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.sites import KeyType

SiteArgument = Annotated[str, Argument(metavar="SITE", help="The id of a site, or its public key.")]


site_commands = Commands(name="site", no_args_is_help=True)


@site_commands.command(creates=True)
async def create(
    square: Resources,
    name: Annotated[str, Argument(help="The name of the site.")],
    domain: Annotated[str, Argument(help="Its host name, as in blog.example.org.")],
    admin: Annotated[
        str | None,
        Option(metavar="WHO", help="The account that administers it: id, email, phone or username."),
    ] = None,
) -> None:
    """Create a site. Print its keys and its HTML, and the site as JSON if the output is not a terminal."""
    account = await square.service(Accounts).users.find(admin) if admin else None
    async with square.service(Accounts).audit.recorded(terminal(), "site.create", "", domain):
        made = await square.service(Threads).sites.create(
            name, domain, admin_id=account.id if account else None
        )
    home = server_url(square.settings) or "https://your-server"
    html = (
        f'<script type="module" src="{home}/components/comments.js"></script>\n'
        f'<ts-comments site="{made.api_key_public}"></ts-comments>'
    )
    click.echo(f"public key  {made.api_key_public}", err=True)
    click.echo(f"secret key  {made.api_key_secret}  (keep it: it is not shown again)\n\n{html}\n", err=True)
    if sys.stdout.isatty():
        click.echo(f"The settings: townsquare site show {made.id}", err=True)
    else:
        click.echo(pretty(made))


@site_commands.command(name="list")
async def list_sites(square: Resources) -> None:
    """List all sites, newest first."""
    cursor = None
    while True:
        page = await square.service(Threads).sites.list_all(cursor, 100)
        for one in page.items:
            click.echo(f"{one.id}  {one.api_key_public}  {one.domain}  {one.name}")
        cursor = page.next
        if cursor is None:
            return


@site_commands.command()
async def show(square: Resources, site: SiteArgument) -> None:
    """Print a site with its settings, as JSON."""
    click.echo(pretty(await found(square, site)))


@site_commands.command()
async def settings(
    square: Resources,
    site: SiteArgument,
    file: Annotated[Path, Argument(help="JSON file with the settings; the output of `show` is valid.")],
) -> None:
    """Replace the settings of a site."""
    known = await found(square, site)
    try:
        written = msgspec.json.decode(file.read_bytes())
        settings = written.get("settings", written) if isinstance(written, dict) else written
        given = msgspec.convert(settings, SiteSettings)
    except OSError as error:
        raise BadSite(f"{file}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise BadSite(f"{file}: {error}") from None
    async with square.service(Accounts).audit.recorded(terminal(), "site.change", known.id, "settings"):
        changed = await square.service(Threads).sites.change(known.id, settings=given)
    click.echo(pretty(changed))


@site_commands.command()
async def role(
    square: Resources,
    site: SiteArgument,
    who: Annotated[str, Argument(help="An id, email address, phone number (+…) or username.")],
    given: Annotated[SiteRole, Argument(metavar="ROLE", help="admin, moderator or user.")],
) -> None:
    """Set the role of a user on a site: admin, moderator or user."""
    known = await found(square, site)
    account = await square.service(Accounts).users.find(who)
    accounts = square.service(Accounts)
    async with accounts.audit.recorded(terminal(), "site.role", known.id, f"{account.id} {given}"):
        changed = await square.service(Threads).sites.set_role(known.id, account.id, given)
    click.echo(f"{account.username or account.id} is {given} of {known.name}{'' if changed else ' already'}")


@site_commands.command()
async def rotate(
    square: Resources,
    site: SiteArgument,
    which: Annotated[KeyType, Argument(metavar="KEY", help="public or secret.")],
) -> None:
    """Replace the public or secret key. The old one is invalid at once."""
    known = await found(square, site)
    async with square.service(Accounts).audit.recorded(terminal(), "site.rotate_key", known.id, which):
        rotated = await square.service(Threads).sites.rotate_keys(known.id, which)
    click.echo(pretty(rotated))


async def found(square: Resources, site: str) -> Site:
    """A site by its id or one of its keys."""
    sites = square.service(Threads).sites
    if site.startswith("tsq_"):
        return await sites.get((await sites.by_key(site)).site_id)
    return await sites.get(site)


def pretty(shown: Site) -> str:
    return msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()

"""`townsquare user …`: what an operator does to accounts from a terminal."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import UNSET, UnsetType

from townsquare.kit.commands import Commands, Yes
from townsquare.service_resources import Resources
from townsquare.services.accounts.models import AccountStatus, AdminUser, Facts, User, UserProfile, UserRole
from townsquare.services.accounts.service import Accounts

Who = Annotated[str, typer.Argument(help="An id, email address, phone number (+…) or username.")]

commands = Commands(
    name="user", help="Create, find, suspend, export and delete accounts.", no_args_is_help=True
)


@commands.command(creates=True)
async def create(
    square: Resources,
    email: Annotated[str | None, typer.Option(help="Email address.")] = None,
    username: Annotated[str | None, typer.Option(help="1 to 30 letters, digits, _ . or -.")] = None,
    phone: Annotated[str | None, typer.Option(help="Phone number with + and country code.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="May do everything.")] = False,
) -> None:
    """Create an account; its owner signs in with a code or resets the password."""
    role = UserRole.ADMIN if admin else UserRole.USER
    said = UserProfile(email=email or UNSET, username=username or UNSET, phone=phone or UNSET)
    show(await square.service(Accounts).users.create(said, Facts(role=role), vouched=True))


@commands.command()
async def find(square: Resources, who: Who) -> None:
    """Show an account as JSON."""
    accounts = square.service(Accounts)
    user = await accounts.users.find(who)
    show(user, await accounts.updates.open_job(user.id))


@commands.command()
async def suspend(square: Resources, who: Who) -> None:
    """Keep somebody out; live sessions end at once."""
    await set_status(square.service(Accounts), who, AccountStatus.SUSPENDED)


@commands.command()
async def activate(square: Resources, who: Who) -> None:
    """Let somebody in again."""
    await set_status(square.service(Accounts), who, AccountStatus.ACTIVE)


@commands.command()
async def export(
    square: Resources,
    who: Who,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there.")
    ] = None,
) -> None:
    """Everything that all services know of somebody, as JSON."""
    accounts = square.service(Accounts)
    user = await accounts.users.find(who)
    text = pretty(await accounts.privacy.export(user.id))
    if output is None:
        typer.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        typer.echo(f"{user.id} written to {output}")


@commands.command()
async def delete(square: Resources, who: Who, yes: Yes = False) -> None:
    """Delete somebody from every service. This cannot be undone."""
    accounts = square.service(Accounts)
    user = await accounts.users.find(who)
    if not yes:
        typer.confirm(f"Delete {name_of(user)} ({user.id}) and everything of theirs?", abort=True)
    await accounts.privacy.delete(user.id)
    typer.echo(f"{user.id} deleted")


async def set_status(accounts: Accounts, who: str, status: AccountStatus) -> None:
    user = await accounts.users.find(who)
    after = await accounts.users.set_status(user.id, status)
    typer.echo(f"{after.id} {after.account_status}")


def name_of(user: User) -> str:
    return user.username or user.email or user.phone or "a visitor"


def show(user: User, updating: str | UnsetType | None = UNSET) -> None:
    typer.echo(pretty(AdminUser.of(user, updating)))


def pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()

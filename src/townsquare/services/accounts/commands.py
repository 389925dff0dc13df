"""`townsquare user …`: commands for the operator's work on accounts."""

from pathlib import Path
from typing import Annotated

import click
import msgspec
from msgspec import UNSET, UnsetType

from townsquare.keyspace import Owns, Role
from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Commands, Yes
from townsquare.service_resources import Resources
from townsquare.services.accounts.audit import terminal
from townsquare.services.accounts.ids import USER_ID
from townsquare.services.accounts.keys import user as user_key
from townsquare.services.accounts.models import (
    AccountStatus,
    AdminUser,
    Facts,
    User,
    UserProfile,
    UserRole,
    name_of,
)
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.store.store import Store

Who = Annotated[
    str,
    Argument(help="An id, email address, phone number (+…), username, device id or provider's id."),
]
DISPLAY_NAMES = ("name", "display_name")  # fields of the records that services keep of an account
LISTED = 20  # accounts with one display name

commands = Commands(name="user", no_args_is_help=True)


@commands.command(creates=True)
async def create(
    square: Resources,
    email: Annotated[str | None, Option(help="Email address.")] = None,
    username: Annotated[str | None, Option(help="1 to 30 letters, digits, _ . or -.")] = None,
    phone: Annotated[str | None, Option(help="Phone number with + and country code.")] = None,
    admin: Annotated[bool, Option("--admin", help="May do everything.")] = False,
) -> None:
    """Create an account; its owner signs in with a code or resets the password."""
    role = UserRole.ADMIN if admin else UserRole.USER
    said = UserProfile(email=email or UNSET, username=username or UNSET, phone=phone or UNSET)
    accounts = square.service(Accounts)
    async with accounts.audit.recorded(terminal(), "user.create", "", role):
        user = await accounts.users.create(said, Facts(role=role), vouched=True)
    show(user)


@commands.command()
async def find(square: Resources, who: Who) -> None:
    """Show an account as JSON."""
    accounts = square.service(Accounts)
    user = await account_of(square, who)
    show(user, await accounts.updates.open_job(user.id))


@commands.command()
async def suspend(square: Resources, who: Who) -> None:
    """Suspend an account; its sessions end at once."""
    await set_status(square, who, AccountStatus.SUSPENDED)


@commands.command()
async def activate(square: Resources, who: Who) -> None:
    """Activate a suspended account."""
    await set_status(square, who, AccountStatus.ACTIVE)


@commands.command()
async def export(
    square: Resources,
    who: Who,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write it there.")] = None,
) -> None:
    """Export all data of a user as JSON."""
    accounts = square.service(Accounts)
    user = await account_of(square, who)
    async with accounts.audit.recorded(terminal(), "user.export", user.id):
        text = pretty(await accounts.privacy.export(user.id))
    if output is None:
        click.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        click.echo(f"{user.id} written to {output}")


@commands.command()
async def delete(square: Resources, who: Who, yes: Yes = False) -> None:
    """Delete a user from every service. This cannot be undone."""
    accounts = square.service(Accounts)
    user = await account_of(square, who)
    if not yes:
        click.confirm(f"Delete {name_of(user)} ({user.id}) and everything of theirs?", abort=True)
    async with accounts.audit.recorded(terminal(), "user.delete", user.id):
        await accounts.privacy.delete(user.id)
    click.echo(f"{user.id} deleted")


async def account_of(square: Resources, who: str) -> User:
    """The account with this identifier. For a display name, which is not unique, the error lists accounts."""
    users = square.service(Accounts).users
    if user := await users.find_by_any(who):
        return user
    if USER_ID.matches(who):
        raise UserNotFound()
    named = await users.get_many(await accounts_named(square.store, who))
    if not named:
        raise UserNotFound(f"Nobody has the identifier or display name {who}")
    listed = "".join(f"\n  {user.id}  {name_of(user)}" for user in named if user)
    raise UserNotFound(f"{who} is a display name. Use the id of one of these accounts:{listed}")


async def accounts_named(store: Store, name: str) -> list[str]:
    """Ids of the accounts that have this display name in a service. Reads all keys: no index has them."""
    owners = {
        one.owner: one.account for one in store.registry.relations if isinstance(one, Owns) and one.account
    }
    layout = store.role_stores[Role.DATA].layout
    found: dict[str, None] = {}
    async for names in store.scan(Role.DATA):
        parsed = (store.registry.parse(one, layout) for one in names)
        keys = [key for key in parsed if key and key.declared in owners and key.declared.kind.record]
        replies = await store.pipeline([("HMGET", key, *DISPLAY_NAMES) for key in keys])
        for key, values in zip(keys, replies, strict=True):
            if name.casefold() in (value.decode().casefold() for value in values if value):
                account = owners[key.declared](*key.values)
                id = key.values[0] if account.declared is user_key else await store.get(account)
                if id and len(found) < LISTED:
                    found[id] = None
    return list(found)


async def set_status(square: Resources, who: str, status: AccountStatus) -> None:
    user = await account_of(square, who)
    accounts = square.service(Accounts)
    async with accounts.audit.recorded(terminal(), "user.status", user.id, status):
        after = await accounts.users.set_status(user.id, status)
    click.echo(f"{after.id} {after.account_status}")


def show(user: User, updating: str | UnsetType | None = UNSET) -> None:
    click.echo(pretty(AdminUser.of(user, updating)))


def pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()

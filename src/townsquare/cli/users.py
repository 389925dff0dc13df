"""`townsquare user …`: what an operator does to accounts from a terminal."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import UNSET

from townsquare.cli.places import Commands, run_on
from townsquare.problems import Problem
from townsquare.services.accounts.models import AccountStatus, AdminUser, Facts, User, UserProfile, UserRole
from townsquare.services.accounts.service import Accounts

OpenAccounts = Callable[[], AbstractAsyncContextManager[Accounts]]
Who = Annotated[str, typer.Argument(help="An id, email address, phone number (+…) or username.")]


def mount(app: typer.Typer, open_accounts: OpenAccounts) -> None:
    """Add `user` with its commands to an application."""
    users = Commands(help="Create, find, suspend, export and delete accounts.", no_args_is_help=True)
    app.add_typer(users, name="user")

    @users.command()
    def create(
        email: Annotated[str | None, typer.Option(help="Email address.")] = None,
        username: Annotated[str | None, typer.Option(help="1 to 30 letters, digits, _ . or -.")] = None,
        phone: Annotated[str | None, typer.Option(help="Phone number with + and country code.")] = None,
        admin: Annotated[bool, typer.Option("--admin", help="May do everything.")] = False,
    ) -> None:
        """Create an account; its owner signs in with a code or resets the password."""
        role = UserRole.ADMIN if admin else UserRole.USER
        said = UserProfile(email=email or UNSET, username=username or UNSET, phone=phone or UNSET)

        async def work(accounts: Accounts) -> None:
            show(await accounts.users.create(said, Facts(role=role), vouched=True))

        run(open_accounts, work)

    @users.command()
    def find(who: Who) -> None:
        """Show an account as JSON."""

        async def work(accounts: Accounts) -> None:
            show(await accounts.users.find(who))

        run(open_accounts, work)

    @users.command()
    def suspend(who: Who) -> None:
        """Keep somebody out; live sessions end at once."""
        run(open_accounts, lambda accounts: set_status(accounts, who, AccountStatus.SUSPENDED))

    @users.command()
    def activate(who: Who) -> None:
        """Let somebody in again."""
        run(open_accounts, lambda accounts: set_status(accounts, who, AccountStatus.ACTIVE))

    @users.command()
    def export(
        who: Who,
        output: Annotated[
            Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there.")
        ] = None,
    ) -> None:
        """Everything that all services know of somebody, as JSON."""

        async def work(accounts: Accounts) -> None:
            user = await accounts.users.find(who)
            text = pretty(await accounts.privacy.export(user.id))
            if output is None:
                typer.echo(text)
            else:
                output.write_text(text + "\n", encoding="utf-8")
                typer.echo(f"{user.id} written to {output}")

        run(open_accounts, work)

    @users.command()
    def delete(
        who: Who, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False
    ) -> None:
        """Delete somebody from every service. This cannot be undone."""

        async def work(accounts: Accounts) -> None:
            user = await accounts.users.find(who)
            if not yes:
                typer.confirm(f"Delete {name_of(user)} ({user.id}) and everything of theirs?", abort=True)
            await accounts.privacy.delete(user.id)
            typer.echo(f"{user.id} deleted")

        run(open_accounts, work)


def run(open_accounts: OpenAccounts, work: Callable[[Accounts], Awaitable[None]]) -> None:
    run_on(open_accounts, work, told)


def told(problem: Problem) -> str:
    return f"{problem.title}: {problem.detail}" if problem.detail != problem.title else problem.title


async def set_status(accounts: Accounts, who: str, status: AccountStatus) -> None:
    user = await accounts.users.find(who)
    after = await accounts.users.set_status(user.id, status)
    typer.echo(f"{after.id} {after.account_status}")


def name_of(user: User) -> str:
    return user.username or user.email or user.phone or "a visitor"


def show(user: User) -> None:
    typer.echo(pretty(AdminUser.of(user)))


def pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()

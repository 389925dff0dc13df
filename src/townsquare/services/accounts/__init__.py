"""One identity for all services: the user is one JSON document with indexes."""

from pathlib import Path
from typing import TYPE_CHECKING

from townsquare.service import CommandGroup, Imported, Link, Pages, Service
from townsquare.services.accounts.keys import accounts as keyspace

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.accounts.service import Accounts


def build(square: "Resources") -> "Accounts":
    from townsquare.services.accounts.notifications import MAIL_SECONDS
    from townsquare.services.accounts.service import Accounts

    secret, former = square.secret, square.former_secrets.last
    accounts = Accounts(square.store, square.jobs, square.settings, secret, former_secret=former)
    square.background.in_one_process(MAIL_SECONDS, "notifications", accounts.notifications.mail)
    return accounts


SERVICE: "Service[Accounts]" = Service(
    name="accounts",
    keyspace=keyspace,
    build=build,
    endpoints=Imported("townsquare.services.accounts.routes:endpoints"),
    pages=Pages(
        links=[
            Link(
                "Account",
                "/accounts/sign-in",
                "Sign in, see sessions, export or delete data",
                signed_in="/accounts/account",
            )
        ],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[
        CommandGroup(
            "user",
            "Create, find, suspend, export and delete accounts.",
            "townsquare.services.accounts.commands:commands",
        )
    ],
    check_settings=Imported("townsquare.services.accounts.service:check_settings"),
    privacy=None,  # this service runs the export and the deletion
    close=lambda accounts: accounts.close(),
)

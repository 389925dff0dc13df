"""One identity for all services: the user is one JSON document with indexes."""

from pathlib import Path

from townsquare.service import Link, Pages, Service
from townsquare.service_resources import Resources
from townsquare.services.accounts import routes
from townsquare.services.accounts.commands import commands
from townsquare.services.accounts.keys import accounts as keyspace
from townsquare.services.accounts.service import Accounts, check_settings


def build(square: Resources) -> Accounts:
    return Accounts(square.store, square.jobs, square.settings, square.secret)


SERVICE: Service[Accounts] = Service(
    name="accounts",
    keyspace=keyspace,
    build=build,
    endpoints=routes.endpoints,
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
    commands=[commands],
    check_settings=check_settings,
    privacy=None,  # this service runs the export and the deletion
    close=Accounts.close,
)

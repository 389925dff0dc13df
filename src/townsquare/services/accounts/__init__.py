"""One identity for all services: the user as one JSON document, and everything that leads to it."""

from townsquare.resources import Resources
from townsquare.service import Link, Pages, Service
from townsquare.services.accounts import routes
from townsquare.services.accounts.keys import accounts as keyspace
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin import SignIn


def build(square: Resources) -> Accounts:
    accounts = Accounts(square.store, square.jobs, square.events)
    accounts.sign_in = SignIn(square.store, accounts.users, square.settings, square.secret)
    return accounts


SERVICE: Service[Accounts] = Service(
    name="accounts",
    keyspace=keyspace,
    build=build,
    endpoints=lambda accounts: routes.endpoints(accounts, accounts.sign_in),
    pages=Pages(links=[Link("Account", "/accounts/sign-in", "Sign in, see sessions, export or delete data")]),
    privacy=None,  # leads the export and the deletion, in which the others take part
    close=lambda accounts: accounts.sign_in.close(),
)

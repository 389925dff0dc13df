"""Accounts over HTTP: signing in, one's own account, administration, and the pages for people."""

from collections.abc import Awaitable, Callable

from townsquare.api import AnyEndpoint, Call, Identity
from townsquare.services.accounts.routes.admin import admin_endpoints
from townsquare.services.accounts.routes.me import me_endpoints
from townsquare.services.accounts.routes.pages import page_endpoints
from townsquare.services.accounts.routes.signing_in import sign_in_endpoints
from townsquare.services.accounts.service import Accounts


def endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    return [
        *sign_in_endpoints(accounts),
        *me_endpoints(accounts),
        *admin_endpoints(accounts),
        *page_endpoints(),
    ]


def authentication(accounts: Accounts) -> Callable[[Call, str], Awaitable[Identity | None]]:
    """Who presents a bearer token, in the form that the web layer asks it."""

    async def authenticate(call: Call, token: str) -> Identity | None:
        return await accounts.authenticate(token)

    return authenticate

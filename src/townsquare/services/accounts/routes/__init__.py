"""Accounts over HTTP: sign-in, own account, administration and pages."""

from townsquare.api import AnyEndpoint
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

"""Accounts over HTTP: sign-in, own account, administration and pages."""

from pathlib import Path

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing
from townsquare.kit.templates import Templates
from townsquare.routes import Routes
from townsquare.services.accounts.routes.admin import admin_endpoints
from townsquare.services.accounts.routes.me import me_endpoints
from townsquare.services.accounts.routes.signing_in import sign_in_endpoints
from townsquare.services.accounts.service import Accounts

templates = Templates(Path(__file__).parent.parent / "pages")


def endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    return [
        *sign_in_endpoints(accounts),
        *me_endpoints(accounts),
        *admin_endpoints(accounts),
        *page_endpoints(),
    ]


def page_endpoints() -> list[AnyEndpoint]:
    routes = Routes("/accounts", tag="accounts")

    @routes.page("/sign-in")
    async def sign_in(call: Call, given: Nothing) -> HtmlPage:
        return page("Sign in", "signin")

    @routes.page("/account")
    async def account(call: Call, given: Nothing) -> HtmlPage:
        return page("Your account", "account")

    return routes.endpoints


def page(title: str, name: str) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=templates.fill(f"{name}.html"),
        styles=("/accounts/assets/accounts.css",),
        scripts=(f"/accounts/assets/{name}.js",),
        headers={"Referrer-Policy": "no-referrer"},  # the URL may contain a code
    )

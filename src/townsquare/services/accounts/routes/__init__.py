"""Accounts over HTTP: sign-in, own account, administration and pages."""

from pathlib import Path

import msgspec

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing
from townsquare.kit.templates import NOTHING, Markup, Templates, fill
from townsquare.routes import Routes
from townsquare.services.accounts.routes.admin import admin_endpoints
from townsquare.services.accounts.routes.me import me_endpoints
from townsquare.services.accounts.routes.signing_in import sign_in_endpoints
from townsquare.services.accounts.service import Accounts


class MailToken(msgspec.Struct):
    token: str


templates = Templates(Path(__file__).parent.parent / "pages")


def endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    return [
        *sign_in_endpoints(accounts),
        *me_endpoints(accounts),
        *admin_endpoints(accounts),
        *page_endpoints(accounts),
    ]


def page_endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    routes = Routes("/accounts", tag="accounts")

    @routes.page("/sign-in")
    async def sign_in(call: Call, given: Nothing) -> HtmlPage:
        return page("Sign in", "signin")

    @routes.page("/account")
    async def account(call: Call, given: Nothing) -> HtmlPage:
        return page("Your account", "account")

    @routes.page("/welcome")
    async def welcome(call: Call, given: Nothing) -> HtmlPage:
        return page("Welcome", "welcome")

    @routes.page("/notifications")
    async def notifications(call: Call, given: Nothing) -> HtmlPage:
        return page("Notifications", "notifications")

    @routes.page("/mail/unsubscribe")
    async def ask_unsubscribe(call: Call, given: MailToken) -> HtmlPage:
        accounts.notifications.check_link(given.token)
        form = fill(
            '<form method="post"><input type="hidden" name="token" value="$token">'
            "<button>Unsubscribe</button></form>",
            token=given.token,
        )
        return unsubscribe_page("Unsubscribe", "You will find these notifications in the app only.", form)

    @routes.post("/mail/unsubscribe", unknown="ignore", documented=False)
    async def unsubscribe(call: Call, given: MailToken) -> HtmlPage:
        await accounts.notifications.unsubscribe(given.token)
        return unsubscribe_page("Unsubscribed", "You will get no more of these mails.", NOTHING)

    return routes.endpoints


def unsubscribe_page(title: str, text: str, form: Markup) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=fill(
            '<main class="column"><h1>$title</h1><p>$text</p>$form</main>', title=title, text=text, form=form
        ),
        headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"},
        listed=False,
    )


def page(title: str, name: str) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=templates.fill(f"{name}.html"),
        styles=("/accounts/assets/accounts.css",),
        scripts=(f"/accounts/assets/{name}.js",),
        headers={"Referrer-Policy": "no-referrer"},  # the URL may contain a code
    )

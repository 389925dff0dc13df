"""Pages of this server: create a site, moderate, and the window to sign in with Google or GitHub."""

from typing import Literal

import msgspec

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing
from townsquare.routes import Routes
from townsquare.services.threads.pages import templates
from townsquare.services.threads.problems import BadApiKey, OriginNotAllowed, SignInToComment
from townsquare.services.threads.routes.access import key_from_url, require_allowed
from townsquare.services.threads.service import Threads

PROVIDERS = {"google": "Google", "github": "GitHub"}


class SignInQuery(msgspec.Struct, kw_only=True):
    """Set by the page that opens the window; a redirect from the provider has none of these."""

    site: str = ""
    origin: str = ""
    provider: Literal["google", "github"] = "google"


def shell_pages(threads: Threads) -> list[AnyEndpoint]:
    routes = Routes("/threads", tag="threads")

    @routes.page("")
    async def make_site(call: Call, given: Nothing) -> HtmlPage:
        return page("Comments for your site", "make")

    @routes.page("/moderation")
    async def moderation_page(call: Call, given: Nothing) -> HtmlPage:
        return page("Moderation", "moderation", listed=False)

    @routes.page("/sign-in", errors=(BadApiKey, OriginNotAllowed, SignInToComment))
    async def sign_in_page(call: Call, given: SignInQuery) -> HtmlPage:
        if not given.site:
            return window("Sign in", templates.fill("signing_in.html"))
        site = await threads.sites.by_key(key_from_url(given.site))
        require_allowed(given.origin, site)
        if given.provider not in threads.sign_in.methods(site):
            raise SignInToComment()
        body = templates.fill(
            "signin.html",
            name=site.name,
            key=given.site,
            origin=given.origin,
            host=given.origin.partition("://")[2],
            provider=given.provider,
            provider_name=PROVIDERS[given.provider],
        )
        return window(f"Sign in to {site.name}", body)

    return routes.endpoints


def window(title: str, body: str) -> HtmlPage:
    """A page that can message its opener. Its URL may contain a code of the provider."""
    return HtmlPage(
        title=title,
        body=body,
        styles=("/threads/assets/threads.css",),
        scripts=("/threads/assets/signin.js",),
        headers={
            "Cross-Origin-Opener-Policy": "unsafe-none",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        },
        listed=False,
    )


def page(title: str, name: str, *, listed: bool = True) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=templates.fill(f"{name}.html"),
        styles=("/threads/assets/threads.css",),
        scripts=(f"/threads/assets/{name}.js",),
        images_from_anywhere=True,  # avatars, and images in comments
        listed=listed,
    )

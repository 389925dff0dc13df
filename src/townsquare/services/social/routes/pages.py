"""The web client: one page whose URL determines the view."""

from pathlib import Path

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing
from townsquare.kit.templates import Templates
from townsquare.routes import Routes

templates = Templates(Path(__file__).parent.parent / "pages")


def page_endpoints() -> list[AnyEndpoint]:
    routes = Routes(tag="social")

    @routes.page("/social")
    async def client(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(
            title="Social",
            body=templates.fill("social.html"),
            styles=("/social/assets/social.css",),
            scripts=("/social/assets/social.js",),
            skip="Skip to the posts",
            skip_to="#stream",
            images_from_anywhere=True,  # avatars and media are on any host
            headers={"Referrer-Policy": "same-origin"},
        )

    return routes.endpoints

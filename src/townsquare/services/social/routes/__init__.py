"""The social service over HTTP, and its web client: one page whose URL determines the view."""

from pathlib import Path

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing
from townsquare.kit.templates import Templates
from townsquare.routes import Routes
from townsquare.services.social.routes.feeds_and_search import feed_endpoints
from townsquare.services.social.routes.posts import post_endpoints
from townsquare.services.social.routes.redis_gateway import gateway_endpoints
from townsquare.services.social.routes.users import name_endpoints, user_endpoints, with_redirects
from townsquare.services.social.service import Social

templates = Templates(Path(__file__).parent.parent / "pages")


def endpoints(social: Social) -> list[AnyEndpoint]:
    return [
        *post_endpoints(social),
        *with_redirects(social, [*user_endpoints(social), *name_endpoints(social)]),
        *feed_endpoints(social),
        *gateway_endpoints(social),
        *page_endpoints(social),
    ]


def page_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social")

    @routes.page("/social")
    async def client(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(
            title="Social",
            body=templates.fill(
                "social.html", uploads="data-uploads" if social.images and social.images.accepted else ""
            ),
            styles=("/social/assets/social.css",),
            scripts=("/social/assets/social.js",),
            skip="Skip to the posts",
            skip_to="#stream",
            images_from_anywhere=True,  # avatars and media are on any host
            headers={"Referrer-Policy": "same-origin"},
        )

    return routes.endpoints

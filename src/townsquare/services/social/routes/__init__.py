"""The social service over HTTP."""

from townsquare.api import AnyEndpoint
from townsquare.services.social.routes.feeds_and_search import feed_endpoints
from townsquare.services.social.routes.pages import page_endpoints
from townsquare.services.social.routes.posts import post_endpoints
from townsquare.services.social.routes.redis_gateway import gateway_endpoints
from townsquare.services.social.routes.users import name_endpoints, user_endpoints, with_redirects
from townsquare.services.social.service import Social


def endpoints(social: Social) -> list[AnyEndpoint]:
    return [
        *post_endpoints(social),
        *with_redirects(social, [*user_endpoints(social), *name_endpoints(social)]),
        *feed_endpoints(social),
        *gateway_endpoints(social),
        *page_endpoints(),
    ]

"""The threads service over HTTP."""

from townsquare.api import AnyEndpoint
from townsquare.services.threads.routes.access import SiteAccess
from townsquare.services.threads.routes.comments import comment_endpoints
from townsquare.services.threads.routes.sites import site_endpoints
from townsquare.services.threads.service import Threads

PREFIX = "/threads/v1"


def endpoints(threads: Threads) -> list[AnyEndpoint]:
    access = SiteAccess(threads)
    return [*comment_endpoints(threads, access), *site_endpoints(threads, access)]

"""The threads service over HTTP."""

from townsquare.api import AnyEndpoint, AnySocket, AnyStream
from townsquare.services.threads.routes.access import SiteAccess
from townsquare.services.threads.routes.comments import comment_endpoints
from townsquare.services.threads.routes.live import live_sockets
from townsquare.services.threads.routes.pageviews import pageview_endpoints
from townsquare.services.threads.routes.sites import site_endpoints
from townsquare.services.threads.routes.streams import event_endpoints, event_streams
from townsquare.services.threads.service import Threads

PREFIX = "/threads/v1"


def endpoints(threads: Threads) -> list[AnyEndpoint]:
    access = SiteAccess(threads)
    return [
        *comment_endpoints(threads, access),
        *site_endpoints(threads, access),
        *event_endpoints(threads, access),
        *pageview_endpoints(threads, access),
    ]


def sockets(threads: Threads) -> list[AnySocket | AnyStream]:
    access = SiteAccess(threads)
    return [*live_sockets(threads, access), *event_streams(threads, access)]

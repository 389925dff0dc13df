"""The threads service over HTTP."""

from townsquare.api import AnyEndpoint, AnySocket, AnyStream
from townsquare.services.threads.routes.access import SiteAccess
from townsquare.services.threads.routes.comments import comment_endpoints
from townsquare.services.threads.routes.embed import embed_endpoints
from townsquare.services.threads.routes.live import event_endpoints, event_streams, live_sockets
from townsquare.services.threads.routes.mail import mail_endpoints
from townsquare.services.threads.routes.moderation import moderation_endpoints
from townsquare.services.threads.routes.pages import page_endpoints, site_page_endpoints
from townsquare.services.threads.routes.post_comments import post_comment_endpoints
from townsquare.services.threads.routes.session import session_endpoints
from townsquare.services.threads.routes.shell_pages import shell_pages
from townsquare.services.threads.routes.sites import site_endpoints
from townsquare.services.threads.routes.threadkit import threadkit_endpoints
from townsquare.services.threads.routes.threadkit_media import threadkit_media_endpoints
from townsquare.services.threads.routes.threadkit_socket import threadkit_sockets
from townsquare.services.threads.routes.transfers import transfer_endpoints
from townsquare.services.threads.routes.users import user_endpoints
from townsquare.services.threads.service import Threads


def endpoints(threads: Threads) -> list[AnyEndpoint]:
    access = SiteAccess(threads)
    return [
        *comment_endpoints(threads, access),
        *embed_endpoints(threads, access),
        *session_endpoints(threads, access),
        *post_comment_endpoints(threads),
        *site_endpoints(threads, access),
        *moderation_endpoints(threads, access),
        *page_endpoints(threads, access),
        *user_endpoints(threads, access),
        *site_page_endpoints(threads, access),
        *transfer_endpoints(threads, access),
        *shell_pages(threads),
        *threadkit_endpoints(threads, threads.accounts, access),
        *(threadkit_media_endpoints(threads.images, access) if threads.images else ()),
        *mail_endpoints(threads, access),
        *event_endpoints(threads, access),
    ]


def sockets(threads: Threads) -> list[AnySocket | AnyStream]:
    access = SiteAccess(threads)
    return [
        *live_sockets(threads, access),
        *threadkit_sockets(threads, access),
        *event_streams(threads, access),
    ]

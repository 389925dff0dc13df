"""The threads service over HTTP."""

from townsquare.api import AnyEndpoint
from townsquare.services.threads.routes.access import SiteAccess
from townsquare.services.threads.routes.alerts import alert_endpoints
from townsquare.services.threads.routes.comments import comment_endpoints
from townsquare.services.threads.routes.feeds import feed_endpoints
from townsquare.services.threads.routes.mail import mail_endpoints
from townsquare.services.threads.routes.moderation import moderation_endpoints
from townsquare.services.threads.routes.notifications import notification_endpoints
from townsquare.services.threads.routes.pages import page_endpoints
from townsquare.services.threads.routes.site_pages import site_page_endpoints
from townsquare.services.threads.routes.sites import site_endpoints
from townsquare.services.threads.routes.users import user_endpoints
from townsquare.services.threads.service import Threads

PREFIX = "/threads/v1"


def endpoints(threads: Threads) -> list[AnyEndpoint]:
    access = SiteAccess(threads)
    return [
        *comment_endpoints(threads, access),
        *site_endpoints(threads, access),
        *moderation_endpoints(threads, access),
        *notification_endpoints(threads, access),
        *page_endpoints(threads, access),
        *user_endpoints(threads, access),
        *site_page_endpoints(threads, access),
        *feed_endpoints(threads, access),
        *mail_endpoints(threads, access),
        *alert_endpoints(threads),
    ]

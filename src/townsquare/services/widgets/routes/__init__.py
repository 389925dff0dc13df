"""The widgets over HTTP: everything is operable by URL, as it always was."""

from townsquare.api import AnyEndpoint
from townsquare.services.widgets.routes.bbs import bbs_endpoints
from townsquare.services.widgets.routes.counting import counter_endpoints, like_endpoints
from townsquare.services.widgets.routes.pages import page_endpoints
from townsquare.services.widgets.routes.ranking import ranking_endpoints
from townsquare.services.widgets.service import Widgets


def endpoints(widgets: Widgets) -> list[AnyEndpoint]:
    return [
        *counter_endpoints(widgets.counter),
        *like_endpoints(widgets.like),
        *ranking_endpoints(widgets.ranking),
        *bbs_endpoints(widgets.bbs),
        *page_endpoints(widgets),
    ]

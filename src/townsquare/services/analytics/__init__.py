"""What people do with products and pages: counted once, as it arrives, and reported from the counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from townsquare.service import Privacy, Service
from townsquare.services.analytics import keys

if TYPE_CHECKING:
    from townsquare.api import AnyEndpoint
    from townsquare.service_resources import Resources
    from townsquare.services.analytics.service import Analytics


def build(square: "Resources") -> "Analytics":
    from townsquare.services.analytics.service import Analytics

    return Analytics(square.store, square.jobs)


def endpoints(analytics: "Analytics") -> "Sequence[AnyEndpoint]":
    from townsquare.services.analytics import routes

    return routes.endpoints(analytics)


SERVICE: "Service[Analytics]" = Service(
    name="analytics",
    keyspace=keys.analytics,
    build=build,
    endpoints=endpoints,
    privacy=Privacy(
        export=lambda analytics, user: analytics.export(user.id),
        record=lambda user: keys.forgetting(user.id),
        remains="counts that name nobody",
    ),
)

"""What people do with products and pages: counted once, as it arrives, and reported from the counts."""

from typing import TYPE_CHECKING

from townsquare.service import Imported, Privacy, Service
from townsquare.services.analytics import keys

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.analytics.service import Analytics


def build(square: "Resources") -> "Analytics":
    from townsquare.services.analytics.service import Analytics

    return Analytics(square.store, square.jobs)


SERVICE: "Service[Analytics]" = Service(
    name="analytics",
    keyspace=keys.analytics,
    build=build,
    endpoints=Imported("townsquare.services.analytics.routes:endpoints"),
    privacy=Privacy(
        export=lambda analytics, user: analytics.export(user.id),
        record=lambda user: keys.forgetting(user.id),
        remains="counts that name nobody",
    ),
)

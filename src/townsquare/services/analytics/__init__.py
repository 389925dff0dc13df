"""What people do with products and pages: counted once, as it arrives, and reported from the counts."""

from townsquare.service import Privacy, Service
from townsquare.services.analytics import keys, routes
from townsquare.services.analytics.service import Analytics

SERVICE: Service[Analytics] = Service(
    name="analytics",
    keyspace=keys.analytics,
    build=lambda square: Analytics(square.store, square.jobs),
    endpoints=routes.endpoints,
    privacy=Privacy(
        export=lambda analytics, user: analytics.export(user.id),
        record=lambda user: keys.forgetting(user.id),
        remains="counts that name nobody",
    ),
)

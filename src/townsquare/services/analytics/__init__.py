"""What people do with products and pages: counted once, as it arrives, and reported from the counts."""

from townsquare.service import Privacy, Service
from townsquare.services.accounts.models import User
from townsquare.services.analytics import routes
from townsquare.services.analytics.keys import analytics as keyspace
from townsquare.services.analytics.service import Analytics


async def forget(analytics: Analytics, user: User) -> int:
    await analytics.forget(user.id)  # a job of its own, done when this returns
    return 0


SERVICE: Service[Analytics] = Service(
    name="analytics",
    keyspace=keyspace,
    build=lambda square: Analytics(square.store, square.jobs),
    endpoints=routes.endpoints,
    privacy=Privacy(
        export=lambda analytics, user: analytics.export(user.id),
        delete=forget,
        remains="counts that name nobody",
    ),
)

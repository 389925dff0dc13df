"""Analytics over HTTP. Everyone can send events; administrators read reports."""

from datetime import date, timedelta
from typing import Annotated, Literal

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, Limit
from townsquare.kit.paging import Page, PageSize
from townsquare.problems import BadCursor
from townsquare.routes import Routes
from townsquare.services.analytics import models, problems
from townsquare.services.analytics.keys import BATCH_LENGTH
from townsquare.services.analytics.periods import Span
from townsquare.services.analytics.service import Analytics
from townsquare.services.analytics.service.reports import PAGE, Ranking

EVENTS = Limit("events", 600, 60)  # batches: ten a second from one address
DAYS_SHOWN = 30


class Send(msgspec.Struct):
    events: Annotated[list[models.Event], msgspec.Meta(min_length=1, max_length=BATCH_LENGTH)]
    visitor: Annotated[
        str | None, msgspec.Meta(description="who it is, for as long as nobody is signed in")
    ] = None


class Top(msgspec.Struct):
    ranking: Ranking
    period: Literal["all", "day", "week", "month"] = "all"
    day: Annotated[date | None, msgspec.Meta(description="a day of the period; today if absent")] = None
    limit: PageSize = PAGE
    cursor: str | None = None


class Terms(msgspec.Struct):
    period: Span = "day"
    day: date | None = None
    limit: PageSize = PAGE
    cursor: str | None = None


class ActivityQuery(msgspec.Struct):
    since: date | None = None
    until: date | None = None


class NamedProduct(msgspec.Struct):
    product: str


class Journey(msgspec.Struct):
    user_id: str
    limit: PageSize = PAGE
    cursor: str | None = None


class Viewed(msgspec.Struct):
    user_id: str
    product: str


def endpoints(analytics: Analytics) -> list[AnyEndpoint]:
    routes = Routes("/analytics", tag="analytics", auth=Auth.ADMIN)

    @routes.post(
        "/events",
        auth=Auth.OPTIONAL,
        limit=EVENTS,
        errors=(problems.BadBatch, problems.BadEvent, problems.WhoIsMissing, problems.BeingForgotten),
    )
    async def record_events(call: Call, given: Send) -> models.Recorded:
        """Record 1 to 100 events of the signed-in user or of a visitor."""
        user_id = call.identity.user_id if call.identity else None
        return await analytics.record(given.events, user_id=user_id, visitor=given.visitor)

    @routes.get("/top/{ranking}", errors=(BadCursor, problems.BadPeriod))
    async def top_products(call: Call, given: Top) -> Page[models.RankedProduct]:
        """Products by views (of all time or a period), by weighted rating, or by wishlists."""
        if given.period == "all":
            return await analytics.top(given.ranking, limit=given.limit, cursor=given.cursor)
        if given.ranking != "viewed":
            raise problems.BadPeriod()
        return await analytics.top_viewed_in(given.period, given.day, limit=given.limit, cursor=given.cursor)

    @routes.get("/terms", errors=(BadCursor,))
    async def top_terms(call: Call, given: Terms) -> Page[models.RankedTerm]:
        """Search terms by searches in a day, week or month."""
        return await analytics.top_terms(given.period, given.day, limit=given.limit, cursor=given.cursor)

    @routes.get("/activity", errors=(problems.BadRange,))
    async def show_activity(call: Call, given: ActivityQuery) -> models.Activity:
        """Events by kind, day and hour, and active users; the last 30 days if no range is given."""
        until = given.until or analytics.today()
        return await analytics.activity(given.since or until - timedelta(days=DAYS_SHOWN - 1), until)

    @routes.get("/products/{product}")
    async def show_product(call: Call, given: NamedProduct) -> models.ProductFigures:
        """Views, ratings and wishlists of one product."""
        return await analytics.product(given.product)

    @routes.get("/users/{user_id}/journey", errors=(BadCursor, problems.WhoIsMissing))
    async def show_journey(call: Call, given: Journey) -> Page[models.Step]:
        """What a user (or visitor.<id>) did in the last 30 days, newest first."""
        return await analytics.journey(given.user_id, limit=given.limit, cursor=given.cursor)

    @routes.get("/users/{user_id}/views", errors=(problems.WhoIsMissing,))
    async def view_history(call: Call, given: Viewed) -> models.ViewHistory:
        """When a user viewed a product: the last 100 times, newest first."""
        return await analytics.history(given.user_id, given.product)

    return routes.endpoints

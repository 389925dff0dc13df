"""Analytics over HTTP: anybody sends events, admins read analytics."""

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Annotated, Literal, TypeVar

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, Endpoint, Limit
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Problem
from townsquare.services.analytics.models import (
    Activity,
    Event,
    ProductFigures,
    RankedProduct,
    RankedTerm,
    Recorded,
    Step,
    ViewHistory,
)
from townsquare.services.analytics.periods import Span
from townsquare.services.analytics.problems import (
    BadBatch,
    BadEvent,
    BadPeriod,
    BadRange,
    BeingForgotten,
    WhoIsMissing,
)
from townsquare.services.analytics.service import Analytics
from townsquare.services.analytics.service.recording import BATCH_LENGTH
from townsquare.services.analytics.service.reports import LONGEST_PAGE, PAGE, Ranking

I = TypeVar("I", bound=msgspec.Struct)  # noqa: E741 - the input struct

EVENTS = Limit("events", 600, 60)  # batches: ten a second from one address
DAYS_SHOWN = 30

Count = Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PAGE)]


class Send(msgspec.Struct):
    events: Annotated[list[Event], msgspec.Meta(min_length=1, max_length=BATCH_LENGTH)]
    visitor: Annotated[
        str | None, msgspec.Meta(description="who it is, for as long as nobody is signed in")
    ] = None


class Top(msgspec.Struct):
    ranking: Ranking
    period: Literal["all", "day", "week", "month"] = "all"
    day: Annotated[date | None, msgspec.Meta(description="a day of the period; today if absent")] = None
    limit: Count = PAGE
    cursor: str | None = None


class Terms(msgspec.Struct):
    period: Span = "day"
    day: date | None = None
    limit: Count = PAGE
    cursor: str | None = None


class Range(msgspec.Struct):
    since: date | None = None
    until: date | None = None


class Named(msgspec.Struct):
    product: str


class Journey(msgspec.Struct):
    user_id: str
    limit: Count = PAGE
    cursor: str | None = None


class Viewed(msgspec.Struct):
    user_id: str
    product: str


def endpoints(analytics: Analytics) -> list[AnyEndpoint]:
    async def send(call: Call, given: Send) -> Recorded:
        """Record 1 to 100 events of the signed-in user or of a visitor."""
        user_id = call.identity.user_id if call.identity else None
        return await analytics.record(given.events, user_id=user_id, visitor=given.visitor)

    async def top(call: Call, given: Top) -> Page[RankedProduct]:
        """Products by views (of all time or a period), by weighted rating, or by wishlists."""
        if given.period == "all":
            return await analytics.top(given.ranking, limit=given.limit, cursor=given.cursor)
        if given.ranking != "viewed":
            raise BadPeriod()
        return await analytics.top_viewed_in(given.period, given.day, limit=given.limit, cursor=given.cursor)

    async def terms(call: Call, given: Terms) -> Page[RankedTerm]:
        """Search terms by searches in a day, week or month."""
        return await analytics.top_terms(given.period, given.day, limit=given.limit, cursor=given.cursor)

    async def activity(call: Call, given: Range) -> Activity:
        """Events by kind, day and hour, and active users; the last 30 days if no range is given."""
        until = given.until or analytics.today()
        return await analytics.activity(given.since or until - timedelta(days=DAYS_SHOWN - 1), until)

    async def product(call: Call, given: Named) -> ProductFigures:
        """Views, ratings and wishlists of one product."""
        return await analytics.product(given.product)

    async def journey(call: Call, given: Journey) -> Page[Step]:
        """What a user (or visitor.<id>) did in the last 30 days, newest first."""
        return await analytics.journey(given.user_id, limit=given.limit, cursor=given.cursor)

    async def history(call: Call, given: Viewed) -> ViewHistory:
        """When a user viewed a product: the last 100 times, newest first."""
        return await analytics.history(given.user_id, given.product)

    return [
        Endpoint(
            method="POST",
            path="/analytics/events",
            run=send,
            input=Send,
            output=Recorded,
            tag="analytics",
            auth=Auth.OPTIONAL,
            limit=EVENTS,
            errors=(BadBatch, BadEvent, WhoIsMissing, BeingForgotten),
        ),
        report("/analytics/top/{ranking}", top, Top, Page[RankedProduct], BadCursor, BadPeriod),
        report("/analytics/terms", terms, Terms, Page[RankedTerm], BadCursor),
        report("/analytics/activity", activity, Range, Activity, BadRange),
        report("/analytics/products/{product}", product, Named, ProductFigures),
        report("/analytics/users/{user_id}/journey", journey, Journey, Page[Step], BadCursor, WhoIsMissing),
        report("/analytics/users/{user_id}/views", history, Viewed, ViewHistory, WhoIsMissing),
    ]


def report(
    path: str,
    run: Callable[[Call, I], Awaitable[object]],
    input: type[I],
    output: type[object],
    *errors: type[Problem],
) -> AnyEndpoint:
    return Endpoint(
        method="GET",
        path=path,
        run=run,
        input=input,
        output=output,
        tag="analytics",
        auth=Auth.ADMIN,
        errors=errors,
    )

"""`/widgets/visit`: called `visit` because ad blockers hide "counter"."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.services.widgets.drawing import draw_number
from townsquare.services.widgets.models.counter import CounterExport, Figures, History
from townsquare.services.widgets.problems import BadTimezone, BadWebhook
from townsquare.services.widgets.routes.actions import OWNERS, Actions, visitor_of
from townsquare.services.widgets.routes.answers import Success, svg, text
from townsquare.services.widgets.routes.inputs import (
    Numeric,
    Owned,
    SetTotal,
    Timezone,
    Token,
    Webhook,
    Which,
)
from townsquare.services.widgets.service.counter import LONGEST_HISTORY, CounterService

PERIODS = ("total", "today", "yesterday", "week", "month")


class CreateCounter(msgspec.Struct):
    url: str
    token: Token
    timezone: Timezone = "UTC"


class Show(Numeric, kw_only=True):
    type: Annotated[str | None, Meta(description="total, today, yesterday, week or month")] = None


class Days(Which, kw_only=True):
    days: Annotated[int, Meta(ge=1, le=LONGEST_HISTORY)] = 30


class UpdateCounter(Owned, kw_only=True):
    webhook: Webhook


def counter_endpoints(counter: CounterService) -> list[AnyEndpoint]:
    actions = Actions("visit", counter)

    @actions.add_create(BadTimezone)
    async def create(call: Call, given: CreateCounter) -> Success[Figures]:
        """Make the counter of a URL, or with its token find it."""
        return Success(await counter.create(given.url, given.token, timezone=given.timezone))

    @actions.add("increment", limit=WRITE)
    async def increment(call: Call, given: Show) -> Success[Figures] | Content:
        """Count this visitor, once a day, and show the counter."""
        return show(await counter.increment(await actions.id_of(given), visitor_of(call)), given)

    @actions.add("get", "display")
    async def get(call: Call, given: Show) -> Success[Figures] | Content:
        """Show the counter without counting."""
        return show(await counter.get(await actions.id_of(given)), given)

    @actions.add("history")
    async def history(call: Call, given: Days) -> Success[History]:
        """Counts of the last days, today first."""
        return Success(await counter.history(await actions.id_of(given), given.days))

    @actions.add("set", limit=OWNER, errors=OWNERS)
    async def set_total(call: Call, given: SetTotal) -> Success[Figures]:
        """Set the total (owner)."""
        return Success(await counter.set(await actions.id_of(given), given.token, given.total))

    @actions.add("update", limit=OWNER, errors=(*OWNERS, BadWebhook))
    async def update(call: Call, given: UpdateCounter) -> Success[Figures]:
        """Say where to tell what is counted (owner)."""
        id, secret = await actions.set_webhook(given, given.webhook)
        return await actions.changed(call, id, secret)

    actions.add_shared(Figures, CounterExport)
    return actions.endpoints


def show(figures: Figures, look: Show) -> Success[Figures] | Content:
    if look.format == "json":
        return Success(figures)
    kind = look.type if look.type in PERIODS else "total"
    number = str(getattr(figures, kind)).rjust(look.digits or 1, "0")
    if look.format == "text":
        return text(number)
    return svg(draw_number(number, look.theme, "visits"))

"""`/widgets/visit`: called `visit` because ad blockers hide "counter"."""

from typing import Annotated

from msgspec import Meta

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.problems import Invalid
from townsquare.services.widgets.drawing import DIGIT_THEMES, draw_number
from townsquare.services.widgets.models.counter import CounterExport, Figures, History
from townsquare.services.widgets.problems import BadTimezone, BadWebhook
from townsquare.services.widgets.routes.actions import OWNERS, Actions, known_theme, visitor_of, warn_if_given
from townsquare.services.widgets.routes.counting import add_counting
from townsquare.services.widgets.routes.inputs import (
    Creation,
    Numeric,
    Owned,
    OwnersView,
    SetTotal,
    Timezone,
    Total,
    Webhook,
    WidgetReference,
    owners_cost,
    settings_of,
)
from townsquare.services.widgets.routes.responses import Success, svg, text, unused
from townsquare.services.widgets.service.counter import LONGEST_HISTORY, CounterService

PERIODS = ("total", "today", "yesterday", "week", "month")
NOT_GIVEN = (None, "", "null")  # an earlier client writes `type=null` where its element has no type


class CreateCounter(Creation, kw_only=True):
    timezone: Timezone | None = None


class CounterDisplay(Numeric, kw_only=True):
    type: Annotated[str | None, Meta(description="total, today, yesterday, week or month")] = None


class GetCounter(CounterDisplay, kw_only=True):
    token: OwnersView = ""


class Days(WidgetReference, kw_only=True):
    days: Annotated[int, Meta(ge=1, le=LONGEST_HISTORY)] = 30


class UpdateCounter(Owned, kw_only=True):
    total: Total = None
    webhook: Webhook = None


def counter_endpoints(counter: CounterService) -> list[AnyEndpoint]:
    actions = Actions("visit", counter, pictures=("display",))

    @actions.add_create(Figures, BadTimezone)
    async def create(call: Call, given: CreateCounter) -> Success[Figures]:
        """Make the counter of a URL, or with its token find it."""
        settings = settings_of(given)
        return Success(await counter.create(given.url, given.token, webhook=given.webhook or "", **settings))

    @actions.add("increment", limit=WRITE)
    async def increment(call: Call, given: CounterDisplay) -> Success[Figures] | Content:
        """Count this visitor, once a day, and show the counter."""
        counted = await counter.increment(await actions.id_of(call, given), visitor_of(call))
        return show(call, counted, given, actions.format_of(call, given))

    @actions.add("get", reads=True, cost=owners_cost)
    async def get(call: Call, given: GetCounter) -> Success[Figures] | Content:
        """Show the counter without counting; to its owner with the webhook."""
        figures = await counter.get(await actions.id_of(call, given))
        if given.token:
            await actions.add_owner_settings(given, figures)
        return show(call, figures, given, actions.format_of(call, given))

    @actions.add("display", reads=True)
    async def display(call: Call, given: CounterDisplay) -> Success[Figures] | Content:
        """Draw the counter without counting, or return it in the requested format."""
        figures = await counter.get(await actions.id_of(call, given))
        return show(call, figures, given, actions.format_of(call, given, "image"))

    @actions.add("history", reads=True)
    async def history(call: Call, given: Days) -> Success[History]:
        """Counts of the last days, today first."""
        return Success(await counter.history(await actions.id_of(call, given), given.days))

    @actions.add("set", limit=OWNER, errors=(*OWNERS, Invalid))
    async def set_total(call: Call, given: SetTotal) -> Success[Figures]:
        """Set the total (owner)."""
        return Success(await counter.set(await actions.id_of(call, given), given.token, given.total))

    @actions.add("update", "updateSettings", limit=OWNER, errors=(*OWNERS, BadWebhook, Invalid))
    async def update(call: Call, given: UpdateCounter) -> Success[Figures]:
        """Set the total or the webhook (owner)."""
        counter.check_webhook(given.webhook)
        id = await actions.id_of(call, given)
        if given.total is not None:
            await counter.set(id, given.token, given.total)
        verified = given.total is not None
        return await actions.finish_update(call, id, given.token, given.webhook, verified=verified)

    add_counting(actions, counter)
    actions.add_shared(Figures, CounterExport)
    return actions.endpoints


def show(call: Call, figures: Figures, options: CounterDisplay, format: str) -> Success[Figures] | Content:
    if format == "json":
        warn_if_given(call, options, format, "theme", "digits", "type")
        return Success(figures)
    kind = options.type if options.type in PERIODS else "total"
    if options.type not in (*NOT_GIVEN, kind):
        unused(call, "type", "there is no such period; this is the total")
    number = str(getattr(figures, kind)).rjust(options.digits or 1, "0")
    if format == "text":
        warn_if_given(call, options, format, "theme")
        return text(number)
    return svg(draw_number(number, known_theme(call, options, *DIGIT_THEMES), "visits"))

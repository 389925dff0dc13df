"""Widgets with a total: `/widgets/like`, and `/widgets/visit`, as ad blockers hide "counter"."""

from typing import Annotated, Any

from msgspec import Meta

from townsquare.api import CREATE, OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.problems import Invalid
from townsquare.services.widgets.drawing import DIGIT_THEMES, draw_like, draw_number
from townsquare.services.widgets.models import CounterExport, Figures, History, LikeExport, Likes, WidgetView
from townsquare.services.widgets.problems import BadTimezone, BadToken, BadUrl, BadWebhook, WidgetBeingDeleted
from townsquare.services.widgets.routes import inputs
from townsquare.services.widgets.routes.actions import OWNERS, Actions, known_theme, visitor_of, warn_if_given
from townsquare.services.widgets.routes.inputs import OwnersView, Timezone, Total, Webhook, owners_cost
from townsquare.services.widgets.routes.responses import CreatedMany, Success, Sum, svg, text, unused
from townsquare.services.widgets.service.counter import LONGEST_HISTORY, CounterService
from townsquare.services.widgets.service.daily import DailyWidgetService
from townsquare.services.widgets.service.like import LikeService

PERIODS = ("total", "today", "yesterday", "week", "month")
NOT_GIVEN = (None, "", "null")  # an earlier client writes `type=null` where its element has no type
UPDATED = (*OWNERS, BadWebhook, Invalid)


class CreateCounter(inputs.Creation, kw_only=True):
    timezone: Timezone | None = None


class CounterDisplay(inputs.Numeric, kw_only=True):
    type: Annotated[str | None, Meta(description="total, today, yesterday, week or month")] = None


class GetCounter(CounterDisplay, kw_only=True):
    token: OwnersView = ""


class Days(inputs.WidgetReference, kw_only=True):
    days: Annotated[int, Meta(ge=1, le=LONGEST_HISTORY)] = 30


class UpdateCounter(inputs.Owned, kw_only=True):
    total: Total = None
    webhook: Webhook = None


class CreateLike(CreateCounter, kw_only=True):
    icon: str | None = None


class GetLike(inputs.Numeric, kw_only=True):
    token: OwnersView = ""


class UpdateLike(UpdateCounter, kw_only=True):
    icon: str | None = None


def counter_endpoints(counter: CounterService) -> list[AnyEndpoint]:
    actions = Actions("visit", counter, pictures=("display",))

    @actions.add_create(Figures, BadTimezone)
    async def create(call: Call, given: CreateCounter) -> Success[Figures]:
        """Make the counter of a URL, or with its token find it."""
        return Success(await counter.create(given.url, given.token, **inputs.creation_of(given)))

    @actions.add("increment", limit=WRITE)
    async def increment(call: Call, given: CounterDisplay) -> Success[Figures] | Content:
        """Count this visitor, once a day, and show the counter."""
        counted = await counter.increment(await actions.id_of(call, given), visitor_of(call))
        return show_counter(call, counted, given, actions.format_of(call, given))

    @actions.add("get", reads=True, cost=owners_cost)
    async def get(call: Call, given: GetCounter) -> Success[Figures] | Content:
        """Show the counter without counting; to its owner with the webhook."""
        figures = await counter.get(await actions.id_of(call, given))
        if given.token:
            await actions.add_owner_settings(given, figures)
        return show_counter(call, figures, given, actions.format_of(call, given))

    @actions.add("display", reads=True)
    async def display(call: Call, given: CounterDisplay) -> Success[Figures] | Content:
        """Draw the counter without counting, or return it in the requested format."""
        figures = await counter.get(await actions.id_of(call, given))
        return show_counter(call, figures, given, actions.format_of(call, given, "image"))

    @actions.add("history", reads=True)
    async def history(call: Call, given: Days) -> Success[History]:
        """Counts of the last days, today first."""
        return Success(await counter.history(await actions.id_of(call, given), given.days))

    @actions.add("update", "updateSettings", limit=OWNER, errors=UPDATED)
    async def update(call: Call, given: UpdateCounter) -> Success[Figures]:
        """Set the total or the webhook (owner)."""
        return await actions.update(call, given, counter.set)

    add_counting(actions, counter, Figures)
    actions.add_shared(Figures, CounterExport)
    return actions.endpoints


def like_endpoints(like: LikeService) -> list[AnyEndpoint]:
    actions = Actions("like", like)

    @actions.add_create(Likes, BadTimezone, Invalid)
    async def create(call: Call, given: CreateLike) -> Success[Likes]:
        """Create the like button of a URL, or find it by its token."""
        return Success(await like.create(given.url, given.token, **inputs.creation_of(given)))

    @actions.add("toggle", limit=WRITE)
    async def toggle(call: Call, given: inputs.Numeric) -> Success[Likes] | Content:
        """Like, or remove today's like."""
        likes = await like.toggle(await actions.id_of(call, given), visitor_of(call))
        return show_like(call, likes, given, actions.format_of(call, given))

    @actions.add("get", "display", reads=True, cost=owners_cost)
    async def get(call: Call, given: GetLike) -> Success[Likes] | Content:
        """Show the likes, and whether this visitor likes it today."""
        likes = await like.get(await actions.id_of(call, given), visitor_of(call))
        if given.token:
            await actions.add_owner_settings(given, likes)
        return show_like(call, likes, given, actions.format_of(call, given))

    @actions.add("update", "updateSettings", limit=OWNER, errors=UPDATED)
    async def update(call: Call, given: UpdateLike) -> Success[Likes]:
        """Set the icon, the total or the webhook (owner)."""
        return await actions.update(call, given, like.update)

    add_counting(actions, like, Likes)
    actions.add_shared(Likes, LikeExport)
    return actions.endpoints


def add_counting(
    actions: Actions, service: DailyWidgetService[Any, Any, Any], view: type[WidgetView]
) -> None:
    """Set the total, sum totals, and create many at once."""

    @actions.add("set", limit=OWNER, errors=(*OWNERS, Invalid), output=Success[view])  # type: ignore[valid-type]
    async def set_total(call: Call, given: inputs.SetTotal) -> Success[Any]:
        """Set the total (owner)."""
        return Success(await service.set(await actions.id_of(call, given), given.token, given.total))

    @actions.add("sumByPrefix", reads=True, errors=(Invalid,))
    async def sum_by_prefix(call: Call, given: inputs.Prefix) -> Sum:
        """The totals of all widgets whose id begins so."""
        return Sum(await service.sum_by_prefix(given.prefix))

    @actions.add("batchCreate", limit=CREATE, errors=(BadUrl, BadToken, WidgetBeingDeleted, Invalid))
    async def batch_create(call: Call, given: inputs.CreateMany) -> CreatedMany:
        """Make the widgets of many URLs; those that have one are skipped."""
        items = inputs.document(given.items, list[inputs.NewWidget], "items")
        made = await service.create_many([item.url for item in items], given.token)
        for item, one in zip(items, made, strict=True):
            if item.id not in ("", one.id):
                unused(call, "items", f"the id of {item.url[:100]} is {one.id}, which follows from its URL")
        created = sum(one.outcome == "made" for one in made)
        ids = {item.url: one.id for item, one in zip(items, made, strict=True)}
        return CreatedMany(created, len(made) - created, ids)


def show_counter(
    call: Call, figures: Figures, options: CounterDisplay, format: str
) -> Success[Figures] | Content:
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


def show_like(call: Call, likes: Likes, options: inputs.Numeric, format: str) -> Success[Likes] | Content:
    if format == "json":
        warn_if_given(call, options, format, "theme", "digits")
        return Success(likes)
    number = str(likes.total).rjust(options.digits or 1, "0")
    if format == "text":
        warn_if_given(call, options, format, "theme")
        return text(number)
    return svg(draw_like(likes.icon, number, known_theme(call, options), liked=likes.liked))

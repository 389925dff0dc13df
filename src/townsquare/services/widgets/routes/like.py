"""`/widgets/like`."""

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.problems import Invalid
from townsquare.services.widgets.drawing import draw_like
from townsquare.services.widgets.models.like import LikeExport, Likes
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
    owners_cost,
    settings_of,
)
from townsquare.services.widgets.routes.responses import Success, svg, text
from townsquare.services.widgets.service.like import LikeService


class CreateLike(Creation, kw_only=True):
    icon: str | None = None
    timezone: Timezone | None = None


class GetLike(Numeric, kw_only=True):
    token: OwnersView = ""


class UpdateLike(Owned, kw_only=True):
    icon: str | None = None
    total: Total = None
    webhook: Webhook = None


def like_endpoints(like: LikeService) -> list[AnyEndpoint]:
    actions = Actions("like", like)

    @actions.add_create(Likes, BadTimezone, Invalid)
    async def create(call: Call, given: CreateLike) -> Success[Likes]:
        """Create the like button of a URL, or find it by its token."""
        settings = settings_of(given)
        return Success(await like.create(given.url, given.token, webhook=given.webhook or "", **settings))

    @actions.add("toggle", limit=WRITE)
    async def toggle(call: Call, given: Numeric) -> Success[Likes] | Content:
        """Like, or remove today's like."""
        likes = await like.toggle(await actions.id_of(call, given), visitor_of(call))
        return show(call, likes, given, actions.format_of(call, given))

    @actions.add("get", "display", reads=True, cost=owners_cost)
    async def get(call: Call, given: GetLike) -> Success[Likes] | Content:
        """Show the likes, and whether this visitor likes it today."""
        likes = await like.get(await actions.id_of(call, given), visitor_of(call))
        if given.token:
            await actions.add_owner_settings(given, likes)
        return show(call, likes, given, actions.format_of(call, given))

    @actions.add("set", limit=OWNER, errors=(*OWNERS, Invalid))
    async def set_total(call: Call, given: SetTotal) -> Success[Likes]:
        """Set the total (owner)."""
        return Success(await like.set(await actions.id_of(call, given), given.token, given.total))

    @actions.add("update", "updateSettings", limit=OWNER, errors=(*OWNERS, BadWebhook, Invalid))
    async def update(call: Call, given: UpdateLike) -> Success[Likes]:
        """Set the icon, the total or the webhook (owner)."""
        like.check_webhook(given.webhook)
        id = await actions.id_of(call, given)
        if changes := settings_of(given):
            await like.update(id, given.token, **changes)
        return await actions.finish_update(call, id, given.token, given.webhook, verified=bool(changes))

    add_counting(actions, like)
    actions.add_shared(Likes, LikeExport)
    return actions.endpoints


def show(call: Call, likes: Likes, options: Numeric, format: str) -> Success[Likes] | Content:
    if format == "json":
        warn_if_given(call, options, format, "theme", "digits")
        return Success(likes)
    number = str(likes.total).rjust(options.digits or 1, "0")
    if format == "text":
        warn_if_given(call, options, format, "theme")
        return text(number)
    return svg(draw_like(likes.icon, number, known_theme(call, options), liked=likes.liked))

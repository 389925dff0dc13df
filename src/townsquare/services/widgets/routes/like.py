"""`/widgets/like`."""

import msgspec

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.services.widgets.drawing import draw_like
from townsquare.services.widgets.models.like import DEFAULT_ICON, LikeExport, Likes
from townsquare.services.widgets.problems import BadTimezone, BadWebhook
from townsquare.services.widgets.routes.actions import OWNERS, Actions, visitor_of
from townsquare.services.widgets.routes.answers import Success, svg, text
from townsquare.services.widgets.routes.inputs import Numeric, Owned, SetTotal, Timezone, Token, Webhook
from townsquare.services.widgets.service.like import LikeService


class CreateLike(msgspec.Struct):
    url: str
    token: Token
    icon: str = DEFAULT_ICON
    timezone: Timezone = "UTC"


class UpdateLike(Owned, kw_only=True):
    icon: str | None = None
    webhook: Webhook | None = None


def like_endpoints(like: LikeService) -> list[AnyEndpoint]:
    actions = Actions("like", like)

    @actions.add_create(BadTimezone)
    async def create(call: Call, given: CreateLike) -> Success[Likes]:
        """Make the like button of a URL, or with its token find it."""
        made = await like.create(given.url, given.token, icon=given.icon, timezone=given.timezone)
        return Success(made)

    @actions.add("toggle", limit=WRITE)
    async def toggle(call: Call, given: Numeric) -> Success[Likes] | Content:
        """Like it, or take today's like back."""
        return show(await like.toggle(await actions.id_of(given), visitor_of(call)), given)

    @actions.add("get", "display")
    async def get(call: Call, given: Numeric) -> Success[Likes] | Content:
        """Show the likes, and whether this visitor likes it today."""
        return show(await like.get(await actions.id_of(given), visitor_of(call)), given)

    @actions.add("set", limit=OWNER, errors=OWNERS)
    async def set_total(call: Call, given: SetTotal) -> Success[Likes]:
        """Set the total (owner)."""
        return Success(await like.set(await actions.id_of(given), given.token, given.total))

    @actions.add("update", limit=OWNER, errors=(*OWNERS, BadWebhook))
    async def update(call: Call, given: UpdateLike) -> Success[Likes]:
        """Choose another icon, or where to tell what happens (owner)."""
        id, secret = await actions.set_webhook(given, given.webhook)
        if given.icon is not None:
            await like.update(id, given.token, icon=given.icon)
        return await actions.changed(call, id, secret)

    actions.add_shared(Likes, LikeExport)
    return actions.endpoints


def show(likes: Likes, look: Numeric) -> Success[Likes] | Content:
    if look.format == "json":
        return Success(likes)
    number = str(likes.total).rjust(look.digits or 1, "0")
    if look.format == "text":
        return text(number)
    return svg(draw_like(likes.icon, number, look.theme, liked=likes.liked))

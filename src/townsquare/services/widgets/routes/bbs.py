"""`/widgets/bbs`."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.problems import Invalid
from townsquare.services.widgets import problems
from townsquare.services.widgets.drawing import draw_board
from townsquare.services.widgets.models import bbs as models
from townsquare.services.widgets.routes.actions import OWNERS, Actions, visitor_of
from townsquare.services.widgets.routes.answers import Gone, Success, svg, text
from townsquare.services.widgets.routes.inputs import Look, Owned, Token, Webhook, Which, document
from townsquare.services.widgets.service.bbs import BbsService

Text = Annotated[str, Meta(description="1 to 420 characters")]
Author = Annotated[str, Meta(description="at most 20 characters; empty for nobody in particular")]
Selects = Annotated[Any, Meta(description="[{label, options}] as JSON, or the same as text")]
Chosen = Annotated[Any, Meta(description="{label: option} as JSON, or the same as text")]
Icons = Annotated[list[str], Meta(description="emoji, short texts or URLs of pictures")]


class CreateBoard(msgspec.Struct, rename="camel"):
    url: str
    token: Token
    title: str = ""
    max_messages: int = models.DEFAULT_MESSAGES
    messages_per_page: int = models.DEFAULT_PER_PAGE
    icons: Icons = []
    selects: Selects = ""
    blocked_words: list[str] = []
    urls: models.UrlRule = "allow"


class BoardPost(Which, kw_only=True):
    message: Text
    author: Author = ""
    icon: str = ""
    selects: Chosen = ""


class ShowPage(Look, kw_only=True):
    page: Annotated[int, Meta(ge=1)] = 1


class WhichMessage(Which, rename="camel", kw_only=True):
    """The author shows the edit token of the message, the owner the token of the board."""

    message_id: str
    edit_token: str = ""
    token: str = ""


class Edit(WhichMessage, rename="camel", kw_only=True):
    message: Text
    author: Author | None = None
    icon: str | None = None
    selects: Chosen = None


class UpdateBoard(Owned, rename="camel", kw_only=True):
    title: str | None = None
    max_messages: int | None = None
    messages_per_page: int | None = None
    icons: Icons | None = None
    selects: Selects = None
    blocked_words: list[str] | None = None
    urls: models.UrlRule | None = None
    webhook: Webhook | None = None


def bbs_endpoints(bbs: BbsService) -> list[AnyEndpoint]:
    actions = Actions("bbs", bbs)
    written = (Invalid, problems.MessageRefused, problems.BoardChanged)
    posted = (problems.WidgetNotFound, problems.Cooldown, *written)
    authorised = (*OWNERS, problems.MessageNotFound, problems.WrongEditToken)

    @actions.add_create(Invalid)
    async def create(call: Call, given: CreateBoard) -> Success[models.Board]:
        """Make the bulletin board of a URL, or with its token find it."""
        return Success(await bbs.create(given.url, given.token, **settings_of(given)))

    @actions.add("post", limit=WRITE, errors=posted, creates=True)
    async def post(call: Call, given: BoardPost) -> Success[models.Board]:
        """Put a message on top; the answer has the edit token of its author."""
        shown = await bbs.post(
            await actions.id_of(given),
            visitor_of(call),
            given.message,
            author=given.author,
            icon=given.icon,
            selects=chosen(given.selects),
            language=call.language,
        )
        return Success(shown)

    @actions.add("get", "display")
    async def get(call: Call, given: ShowPage) -> Success[models.Board] | Content:
        """One page, the newest messages on page 1."""
        return show(await bbs.page(await actions.id_of(given), given.page, visitor_of(call)), given)

    @actions.add("editMessage", "editMessageById", limit=OWNER, errors=(*authorised, *written))
    async def edit_message(call: Call, given: Edit) -> Success[models.ShownMessage]:
        """Rewrite a message (its author, or the owner)."""
        message = await bbs.edit_message(
            await actions.id_of(given),
            given.message_id,
            given.message,
            author=given.author,
            icon=given.icon,
            selects=chosen(given.selects),
            edit_token=given.edit_token,
            token=given.token,
        )
        return Success(message)

    @actions.add("deleteMessage", "deleteMessageById", limit=OWNER, errors=authorised)
    async def delete_message(call: Call, given: WhichMessage) -> Success[Gone]:
        """Remove a message (its author, or the owner)."""
        await bbs.delete_message(
            await actions.id_of(given), given.message_id, edit_token=given.edit_token, token=given.token
        )
        return Success(Gone(given.message_id))

    @actions.add("clear", limit=OWNER, errors=OWNERS)
    async def clear(call: Call, given: Owned) -> Success[models.Board]:
        """Remove all messages (owner)."""
        return Success(await bbs.clear(await actions.id_of(given), given.token))

    @actions.add("update", limit=OWNER, errors=(*OWNERS, Invalid, problems.BoardChanged, problems.BadWebhook))
    async def update(call: Call, given: UpdateBoard) -> Success[models.Board]:
        """Change the settings (owner)."""
        id, secret = await actions.set_webhook(given, given.webhook)
        if changes := settings_of(given):
            await bbs.update(id, given.token, **changes)
        return await actions.changed(call, id, secret)

    actions.add_shared(models.Board, models.BoardExport)
    return actions.endpoints


def settings_of(given: CreateBoard | UpdateBoard) -> dict[str, Any]:
    """The settings that were given, by the names of `BoardSettings`."""
    found = {name: getattr(given, name) for name in models.BoardSettings.__struct_fields__}
    absent = given.selects in (None, "", "null")
    found["selects"] = None if absent else document(given.selects, list[models.Select], "selects")
    return {name: value for name, value in found.items() if value is not None}


def chosen(selects: Any) -> dict[str, str] | None:
    return document(selects, dict[str, str], "selects") if selects not in (None, "", "null") else None


def show(board: models.Board, look: ShowPage) -> Success[models.Board] | Content:
    if look.format == "json":
        return Success(board)
    if look.format == "text":
        messages = (f"{one.author} ({one.timestamp})\n{one.message}\n\n" for one in board.messages)
        return text("".join(messages))
    return svg(draw_board(board.title, board.messages, look.theme))

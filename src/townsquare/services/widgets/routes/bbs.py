"""`/widgets/bbs`."""

from typing import Any

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.problems import Invalid
from townsquare.services.widgets import models, problems
from townsquare.services.widgets.drawing import draw_board
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.routes import board_inputs
from townsquare.services.widgets.routes.actions import (
    OWNERS,
    Actions,
    encoded_name,
    known_theme,
    visitor_of,
    warn_if_given,
)
from townsquare.services.widgets.routes.inputs import Owned, owners_cost
from townsquare.services.widgets.routes.responses import Gone, Success, svg, text, unused
from townsquare.services.widgets.service.bbs import BbsService

# the newest client of the original opens a board on its last page, without a limit
LAST_PAGE_IS_NEWEST = "/bbs"


def bbs_endpoints(bbs: BbsService) -> list[AnyEndpoint]:
    actions = Actions("bbs", bbs)
    written = (Invalid, problems.MessageRefused, problems.BoardChanged)
    posted = (problems.WidgetNotFound, problems.Cooldown, *written)
    authorised = (*OWNERS, problems.MessageNotFound, problems.WrongEditToken)

    @actions.add_create(models.Board, Invalid)
    async def create(call: Call, given: board_inputs.CreateBoard) -> Success[models.Board]:
        """Make the bulletin board of a URL, or with its token find it."""
        settings = board_inputs.settings_changes(given)
        return Success(await bbs.create(given.url, given.token, webhook=given.webhook or "", **settings))

    async def posted_message(
        call: Call, given: board_inputs.BoardPost, message_id: str
    ) -> Success[models.Board]:
        id = await actions.id_of(call, given)
        return Success(await bbs.posted(id, visitor_of(call), message_id))

    @actions.add("post", limit=WRITE, errors=posted, replay=posted_message)
    async def post(call: Call, given: board_inputs.BoardPost) -> Success[models.Board]:
        """Put a message on top; the answer has the edit token of its author."""
        id = await actions.id_of(call, given)
        shown = await bbs.post(
            id,
            visitor_of(call),
            given.message,
            author=given.author,
            icon=given.icon,
            selects={**(board_inputs.all_choices(given) or {}), **await chosen(id, given)},
            language=call.language,
        )
        return Success(shown)

    @actions.add("get", reads=True, cost=owners_cost)
    async def get(call: Call, given: board_inputs.GetBoard) -> Success[models.Board] | Content:
        """One page, the newest messages on page 1."""
        id = await actions.id_of(call, given)
        if call.route == LAST_PAGE_IS_NEWEST and given.page and given.limit is None:
            board = await bbs.page(id, given.page, visitor_of(call), oldest_first=True)
            board.messages.reverse()
        else:
            board = await bbs.page(id, given.page or 1, visitor_of(call), limit=given.limit)
        await actions.add_owner_settings(given, board)
        return show(call, board, given, actions.format_of(call, given))

    @actions.add("display", reads=True)
    async def display(call: Call, given: board_inputs.DisplayBoard) -> Success[models.Board] | Content:
        """One page, the oldest messages on page 1."""
        id = await actions.id_of(call, given)
        board = await bbs.page(id, given.page, visitor_of(call), limit=given.limit, oldest_first=True)
        return show(call, board, given, actions.format_of(call, given))

    @actions.add("editMessage", "editMessageById", limit=OWNER, errors=(*authorised, *written))
    async def edit_message(call: Call, given: board_inputs.Edit) -> Success[models.ShownMessage]:
        """Rewrite a message (its author, or the owner)."""
        return Success(await edit(call, await actions.id_of(call, given), given, given.message))

    @actions.add("deleteMessage", "deleteMessageById", limit=OWNER, errors=authorised)
    async def delete_message(call: Call, given: board_inputs.WhichMessage) -> Success[Gone]:
        """Remove a message (its author, or the owner)."""
        await bbs.delete_message(await actions.id_of(call, given), given.message_id, **authority(call, given))
        return Success(Gone(given.message_id))

    @actions.add("remove", limit=OWNER, errors=authorised)
    async def remove(call: Call, given: board_inputs.WhichMessage) -> Success[models.Board]:
        """Remove a message (its author, by a token or on the same day without one, or the owner)."""
        id, visitor = await actions.id_of(call, given), visitor_of(call)
        await bbs.delete_message(id, given.message_id, **authority(call, given), visitor=visitor)
        board = await bbs.get(id, visitor)
        board.removed = given.message_id
        return Success(board)

    @actions.add("clear", limit=OWNER, errors=OWNERS)
    async def clear(call: Call, given: Owned) -> Success[models.Board]:
        """Remove all messages (owner)."""
        board = await bbs.clear(await actions.id_of(call, given), given.token)
        board.cleared = True
        return Success(board)

    @actions.add("update", "updateSettings", limit=OWNER, errors=(*authorised, *written, problems.BadWebhook))
    async def update(call: Call, given: board_inputs.UpdateBoard) -> Success[models.Board]:
        """Rewrite the message of a messageId (as `remove`), or change the settings (owner)."""
        meaningless, why = (
            (board_inputs.SETTING_FIELDS, "a setting, and this changes a message")
            if given.message_id
            else (board_inputs.MESSAGE_FIELDS, "belongs to a message, and no messageId is given")
        )
        for name in board_inputs.given_values(given, meaningless):
            unused(call, encoded_name(given, name), why)
        id = await actions.id_of(call, given)
        if given.message_id:
            return await update_message(call, id, given)
        return await update_settings(call, id, given)

    async def update_message(call: Call, id: str, given: board_inputs.UpdateBoard) -> Success[models.Board]:
        if given.message is None:
            raise Invalid("A message is needed", errors=[{"field": "message", "message": "is required"}])
        visitor = visitor_of(call)
        await edit(call, id, given, given.message, visitor)
        board = await bbs.get(id, visitor)
        board.updated = given.message_id
        return Success(board)

    async def update_settings(call: Call, id: str, given: board_inputs.UpdateBoard) -> Success[models.Board]:
        if not given.token:
            raise Invalid(
                "Give the token of the owner, or the messageId of a message",
                errors=[{"field": "token", "message": "is required"}],
            )
        bbs.check_webhook(given.webhook)
        changes = board_inputs.names_settings(given)
        if changes:
            await bbs.update_by(id, given.token, lambda before: board_inputs.settings_changes(given, before))
        return await actions.finish_update(call, id, given.token, given.webhook, verified=changes)

    async def edit(
        call: Call,
        id: str,
        given: board_inputs.Edit | board_inputs.UpdateBoard,
        message: str,
        visitor: Visitor | None = None,
    ) -> models.ShownMessage:
        if given.author is not None and not given.author.strip():
            unused(call, "author", "it is empty; the author stays")
        return await bbs.edit_message(
            id,
            given.message_id,
            message,
            author=given.author,
            icon=given.icon,
            selects=board_inputs.all_choices(given),
            choose=await chosen(id, given),
            **authority(call, given),
            visitor=visitor,
        )

    async def chosen(id: str, given: board_inputs.Choices | board_inputs.UpdateBoard) -> dict[str, str]:
        return (
            board_inputs.single_choices(given, await bbs.settings(id))
            if board_inputs.names_selects(given)
            else {}
        )

    actions.add_shared(models.Board, models.BoardExport)
    return actions.endpoints


def authority(
    call: Call, given: board_inputs.WhichMessage | board_inputs.Edit | board_inputs.UpdateBoard
) -> dict[str, Any]:
    """The token of the owner, or that of the author."""
    if given.token and given.edit_token:
        unused(call, "editToken", "the token of the owner is enough")
    return {"edit_token": given.edit_token, "token": given.token}


def show(
    call: Call, board: models.Board, options: board_inputs.DisplayBoard, format: str
) -> Success[models.Board] | Content:
    if format == "json":
        warn_if_given(call, options, format, "theme")
        return Success(board)
    if format == "text":
        warn_if_given(call, options, format, "theme")
        messages = (f"{one.author} ({one.timestamp})\n{one.message}\n\n" for one in board.messages)
        return text("".join(messages))
    return svg(draw_board(board.title, board.messages, known_theme(call, options)))

"""Problems of widgets."""

from math import ceil
from typing import Any

from townsquare.problems import Conflict, Forbidden, Invalid, NotFound, TooManyRequests

WidgetNotFound = NotFound.declare("widget_not_found", "There is no such widget")
EntryNotFound = NotFound.declare("entry_not_found", "Nobody of this name is in the ranking")
MessageNotFound = NotFound.declare("message_not_found", "There is no such message")
WrongToken = Forbidden.declare("wrong_token", "The token is not this widget's owner token")
WrongEditToken = Forbidden.declare(
    "wrong_edit_token", "This is neither the edit token of the message nor the token of the board"
)
WidgetBeingDeleted = Conflict.declare(
    "widget_being_deleted", "The widget of this URL is being deleted, try again in a moment"
)
BoardChanged = Conflict.declare(
    "board_changed", "The message or the settings of its board have just changed, try again"
)
BadUrl = Invalid.declare("bad_url", "The URL must be http or https, with a host, at most 2,048 characters")
BadToken = Invalid.declare("bad_token", "An owner token has 8 to 64 characters")
BadTimezone = Invalid.declare(
    "bad_timezone", "The time zone must be a name of the IANA database, such as Asia/Tokyo"
)
BadWebhook = Invalid.declare("bad_webhook", "A webhook is an http or https URL outside of private networks")
MessageRefused = Invalid.declare("message_refused", "This board does not take such messages")


class Cooldown(TooManyRequests):
    """Scripts refuse with the milliseconds that are left."""

    code, title = "cooldown", "Not so fast"

    def __init__(self, detail: str = "", **extra: Any) -> None:
        if detail.isdigit():
            extra.setdefault("retry_after", ceil(int(detail) / 1000))
            detail = f"Not so fast: try again in {extra['retry_after']} s"
        super().__init__(detail, **extra)

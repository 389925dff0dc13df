"""Problems of widgets."""

from math import ceil
from typing import Any

from townsquare.problems import Conflict, Forbidden, Invalid, NotFound, TooManyRequests


class WidgetNotFound(NotFound):
    code, title = "widget_not_found", "There is no such widget"


class EntryNotFound(NotFound):
    code, title = "entry_not_found", "Nobody of this name is in the ranking"


class MessageNotFound(NotFound):
    code, title = "message_not_found", "There is no such message"


class WrongToken(Forbidden):
    code, title = "wrong_token", "The token is not this widget's owner token"


class WrongEditToken(Forbidden):
    code, title = (
        "wrong_edit_token",
        "This is neither the edit token of the message nor the token of the board",
    )


class WidgetBeingDeleted(Conflict):
    code, title = "widget_being_deleted", "The widget of this URL is being deleted, try again in a moment"


class BoardChanged(Conflict):
    code, title = "board_changed", "The message or the settings of its board have just changed, try again"


class Cooldown(TooManyRequests):
    """Scripts refuse with the milliseconds that are left."""

    code, title = "cooldown", "Not so fast"

    def __init__(self, detail: str = "", **extra: Any) -> None:
        if detail.isdigit():
            extra.setdefault("retry_after", ceil(int(detail) / 1000))
            detail = f"Not so fast: try again in {extra['retry_after']} s"
        super().__init__(detail, **extra)


class BadUrl(Invalid):
    code, title = "bad_url", "The URL must be http or https, with a host, at most 2,048 characters"


class BadToken(Invalid):
    code, title = "bad_token", "An owner token has 8 to 64 characters"


class BadTimezone(Invalid):
    code, title = "bad_timezone", "The time zone must be a name of the IANA database, such as Asia/Tokyo"


class BadWebhook(Invalid):
    code, title = "bad_webhook", "A webhook is an http or https URL outside of private networks"


class MessageRefused(Invalid):
    code, title = "message_refused", "This board does not take such messages"

"""Live messages of clients and of the server."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.services.threads.models.comments import Author, Comment

EVENT_ID = r"^[0-9]{1,15}-[0-9]{1,15}$"
EventId = Annotated[str, Meta(pattern=EVENT_ID, examples=["1700000000000-0"])]
EventType = Literal["new_comment", "edit_comment", "delete_comment", "vote_update", "pin_update"]
LastEvent = Annotated[str, Meta(max_length=64)]  # an unknown one means: reload


class PageMessage(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    page_url: str | None = None
    page_key: str | None = None
    page_id: str | None = None


class Subscribe(PageMessage, kw_only=True, tag="subscribe"):
    last_event: LastEvent | None = None  # the later events are sent first


class Unsubscribe(PageMessage, kw_only=True, tag="unsubscribe"):
    pass


class Typing(PageMessage, kw_only=True, tag="typing"):
    reply_to: str | None = None  # a comment


class StopTyping(PageMessage, kw_only=True, tag="stop_typing"):
    pass


class Ping(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="ping"):
    pass


Received = Subscribe | Unsubscribe | Typing | StopTyping | Ping


class LiveEvent(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A public event of a page. Its comment has no `my_vote`."""

    type: EventType
    page_id: str
    event: str  # its id; ids increase
    comment_id: str
    comment: Comment | None = None
    upvotes: int | None = None
    downvotes: int | None = None
    pinned: bool | None = None
    pinned_at: int | None = None

    @property
    def author_id(self) -> str:
        """The author of the comment in it; '' without one."""
        return self.comment.author.id if self.comment and self.comment.author else ""


class PageEvents(msgspec.Struct, kw_only=True):
    """The events after an event, in order. `reload`: some are no longer stored, read the page again."""

    page_id: str
    events: Annotated[list[LiveEvent], Meta(examples=[[]])]
    last: str  # `after` of the next request
    reload: bool = False


class PageNotice(msgspec.Struct, kw_only=True, tag_field="type"):
    page_id: str


class Subscribed(PageNotice, kw_only=True, tag="subscribed"):
    event: str  # later events follow
    page: str | None = None  # its key or normalised URL, if the client sent one


class Unsubscribed(PageNotice, kw_only=True, tag="unsubscribed"):
    pass


class Reload(PageNotice, kw_only=True, tag="reload"):
    """Missed events are no longer stored: read the page again."""

    event: str


class Present(PageNotice, kw_only=True, tag="presence"):
    users: list[Author]
    count: int


class NowTyping(PageNotice, kw_only=True, tag="typing", omit_defaults=True):
    """The users who type; valid for five seconds. `user` has just sent a signal, perhaps for a reply."""

    users: list[Author]
    user: Author | None = None
    reply_to: str | None = None


class LiveNotification(msgspec.Struct, kw_only=True, tag_field="type", tag="notification"):
    notification_type: str
    comment_id: str
    from_user_id: str  # '' is a moderator
    from_user: Author | None = None
    site_id: str


class Pong(msgspec.Struct, tag_field="type", tag="pong"):
    pass


class PageviewCounted(msgspec.Struct, kw_only=True):
    counted: bool
    total: int | None = None  # if the site shows it


class Pageviews(msgspec.Struct, kw_only=True):
    page_id: str
    total: int
    days: dict[str, int]  # the newest first


class MonthUsage(msgspec.Struct, kw_only=True):
    month: str
    comments: int = 0
    pageviews: int = 0
    api_requests: int = 0
    websocket_connections: int = 0
    visitors: int = 0  # approximate

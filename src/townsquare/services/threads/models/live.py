"""Live messages: what a client may say, and what it is told."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.services.threads.models.comments import Author, Comment

EVENT_ID = r"^[0-9]{1,15}-[0-9]{1,15}$"
EventId = Annotated[str, Meta(pattern=EVENT_ID, examples=["1700000000000-0"])]
EventType = Literal["new_comment", "edit_comment", "delete_comment", "vote_update", "pin_update"]
LastEvent = Annotated[str, Meta(max_length=64)]  # one that is no event's means: reload


class PageMessage(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    page_url: str | None = None
    page_key: str | None = None
    page_id: str | None = None


class Subscribe(PageMessage, kw_only=True, tag="subscribe"):
    last_event: LastEvent | None = None  # what came after it is told first


class Unsubscribe(PageMessage, kw_only=True, tag="unsubscribe"):
    pass


class Typing(PageMessage, kw_only=True, tag="typing"):
    pass


class StopTyping(PageMessage, kw_only=True, tag="stop_typing"):
    pass


class Ping(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="ping"):
    pass


Received = Subscribe | Unsubscribe | Typing | StopTyping | Ping


class LiveEvent(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Something that happened on a page, as everybody may see it. `my_vote` of its comment is never told."""

    type: EventType
    page_id: str
    event: str  # its id; ids grow
    comment_id: str
    comment: Comment | None = None
    upvotes: int | None = None
    downvotes: int | None = None
    pinned: bool | None = None
    pinned_at: int | None = None


class PageEvents(msgspec.Struct, kw_only=True):
    """What has happened after an event, in order. With `reload`, some of it is not known any more."""

    page_id: str
    events: Annotated[list[LiveEvent], Meta(examples=[[]])]
    last: str  # what to ask for next
    reload: bool = False


class Told(msgspec.Struct, kw_only=True, tag_field="type"):
    page_id: str


class Subscribed(Told, kw_only=True, tag="subscribed"):
    event: str  # the newest one: what comes is after it
    page: str | None = None  # its key or normalised address, where the client had said one


class Unsubscribed(Told, kw_only=True, tag="unsubscribed"):
    pass


class Reload(Told, kw_only=True, tag="reload"):
    """What was missed is not known any more: read the page again."""

    event: str


class Present(Told, kw_only=True, tag="presence"):
    users: list[Author]
    count: int


class NowTyping(Told, kw_only=True, tag="typing"):
    """Who types now, for five seconds if it is not said again."""

    users: list[Author]


class Pong(msgspec.Struct, tag_field="type", tag="pong"):
    pass


class PageviewCounted(msgspec.Struct, kw_only=True):
    counted: bool
    total: int | None = None  # where the site shows it


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
    visitors: int = 0  # about

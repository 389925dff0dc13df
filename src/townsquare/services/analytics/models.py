"""Events as they come in, and reports as they go out."""

from datetime import date
from typing import Annotated, Any, Literal

import msgspec

Meta = msgspec.Meta
Name = Annotated[str, Meta(min_length=1, max_length=200)]
EventId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{1,64}\Z",
        description="yours: the same id within 24 hours is the same event, so that a retry is safe",
    ),
]
Ms = Annotated[int, Meta(ge=0, le=9_999_999_999_999, description="when it happened, in ms since 1970")]
Property = Annotated[str, Meta(max_length=500)] | bool | int | float | None
Properties = Annotated[dict[Annotated[str, Meta(min_length=1, max_length=64)], Property], Meta(max_length=20)]

KINDS = ("view", "search", "rating", "wishlist", "interaction", "session")


class EventBase(
    msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="kind", forbid_unknown_fields=True
):
    id: EventId | None = None
    at: Ms | None = None  # None: now; at most 24 hours ago


class View(EventBase, tag="view"):
    """A product was viewed."""

    product: Name


class Search(EventBase, tag="search"):
    """Something was searched for; terms differ by neither case nor spacing."""

    term: Name
    results: Annotated[int, Meta(ge=0)] | None = None
    properties: Properties = {}


class Rating(EventBase, tag="rating"):
    """A product was rated; a later rating by the same user replaces it."""

    product: Name
    stars: Annotated[int, Meta(ge=1, le=5)]


class Wishlist(EventBase, tag="wishlist"):
    """A product went on the wishlist, or off it."""

    product: Name
    action: Literal["add", "remove"] = "add"


class Interaction(EventBase, tag="interaction"):
    """Any other action; `name` identifies it."""

    name: Name
    properties: Properties = {}


class Session(EventBase, tag="session"):
    """A visit began or ended."""

    action: Literal["start", "end"]
    properties: Properties = {}


Event = View | Search | Rating | Wishlist | Interaction | Session


class Recorded(msgspec.Struct):
    recorded: int
    duplicates: int  # events whose id was recorded before; not counted again


class ProductFigures(msgspec.Struct, rename="camel"):
    product: str
    views: int
    ratings: int
    average: float | None  # stars; None while nobody rated it
    wishlists: int


class RankedProduct(msgspec.Struct):
    score: float  # views in the period, weighted rating, or wishlists
    figures: ProductFigures  # of all time


class RankedTerm(msgspec.Struct):
    term: str
    searches: int


class DayActivity(msgspec.Struct, rename="camel"):
    date: date
    active_users: int
    events: dict[str, int]  # by kind


class Activity(msgspec.Struct, rename="camel"):
    since: date
    until: date
    active_users: int  # different ones in the whole range, estimated: 0.8 % standard error
    events: dict[str, int]  # by kind
    hours: dict[str, list[int]]  # by kind, for each of the 24 hours (UTC)
    days: list[DayActivity]


class Step(msgspec.Struct, omit_defaults=True):
    """One event of a journey."""

    id: str
    at: int
    kind: str
    what: str  # product, term, name of the interaction, start or end
    value: int | None = None  # stars, or for a wishlist 1 (added) and 0 (removed)
    results: int | None = None
    properties: dict[str, Any] = {}


class ViewHistory(msgspec.Struct):
    product: str
    viewed: list[int]  # in ms, newest first, at most 100


class EventExport(msgspec.Struct):
    """All analytics data of one user."""

    events: list[Step]  # of the last 30 days, newest first
    views: list[ViewHistory]
    ratings: dict[str, int]
    wishlist: list[str]

from townsquare.keyspace import END_OF_DAY, Groups, Indexes, Mirrors, Orders, Owns, Url
from townsquare.services.widgets.keys.common import (
    SEED,
    VisitorHash,
    WidgetId,
    WidgetKeys,
    home_of_id,
    home_of_url,
    time_of_creation,
    widgets,
)
from townsquare.services.widgets.models.like import LikeRecord


@widgets.string("url:like:{url}", home=home_of_url, seed=SEED)
def like_url(url: Url) -> None:
    """The id of the like button of a URL; deleted with the button."""


@widgets.json(LikeRecord, "like:{id}", home=home_of_id, seed=SEED)
def like(id: WidgetId) -> None:
    """A like button: what it is and when it was last liked."""


@widgets.counter("like:{id}:total", home=home_of_id, seed=SEED)
def like_total(id: WidgetId) -> None:
    """Likes in all, never below zero; the owner may set it."""


@widgets.string("like:{id}:users:{visitor}", home=home_of_id, lifetime=END_OF_DAY, seed=SEED)
def like_user(id: WidgetId, visitor: VisitorHash) -> None:
    """Whether this visitor likes it today: true or false."""


@widgets.set("like:{id}:visitors", home=home_of_id, lifetime=END_OF_DAY)
def like_visitors(id: WidgetId) -> None:
    """Who pressed the button today, so that a deletion finds their keys."""


@widgets.string("like:{id}:owner", home=home_of_id, seed=SEED)
def like_owner(id: WidgetId) -> None:
    """Salted slow hash of the owner's token."""


@widgets.sorted_set("likes:index", home="likes:index", seed=SEED)
def likes_index() -> None:
    """Ids of all like buttons by creation in ms."""


LIKE = WidgetKeys("like", like_url, like, like_owner, likes_index, (like_total, like_user, like_visitors))

widgets.relate(
    Owns(like, (like_owner, *LIKE.data)),
    Indexes(like_url, like, owner="id", params={"url": "url"}),
    Orders(likes_index, like, member="id", score=time_of_creation),
    Mirrors(like, "totalLikes", like_total),
    Mirrors(like, "owner", like_owner),
    Groups(like_visitors, like_user, member="visitor"),
)

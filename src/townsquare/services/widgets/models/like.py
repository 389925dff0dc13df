"""A like button in the store and in responses."""

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.services.widgets.models.common import OwnerSettings, WidgetRecord, WidgetView

DEFAULT_ICON = "heart"


class LikeRecord(WidgetRecord, rename="camel", kw_only=True):
    last_like: str | None = None
    total_likes: int = 0
    icon: str = DEFAULT_ICON
    timezone: str = "UTC"


class Likes(WidgetView, rename="camel", kw_only=True):
    """A like button as one visitor sees it."""

    total: int
    liked: bool
    user_liked: bool
    icon: str
    last_like: str | None
    settings: OwnerSettings | UnsetType = UNSET


class LikeExport(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """All data of a like button; the input of `import`."""

    service: str = "like"
    url: str = ""
    created: str = ""
    timezone: str = "UTC"
    total: int
    icon: str = DEFAULT_ICON

"""The interfaces between services: account updates, and comments and likes for pages of other services.

A `Service` declares its reaction to account changes in `account_updates`; the job that runs it
is in `accounts.service_updates`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import msgspec

from townsquare.problems import Conflict, NotFound

if TYPE_CHECKING:
    from townsquare.kit.paging import Cursor
    from townsquare.services.accounts.models import User

NoticeType = Literal["reply", "mention", "follow", "like", "moderation"]


class Notice(msgspec.Struct, kw_only=True):
    """A notification of any service, for the notification centre."""

    id: str  # of the service; unique in it
    type: NoticeType
    text: str
    excerpt: str = ""  # of the text that it is about
    url: str  # absolute, or a path of this server
    actor: str | None = None  # name of the latest user behind it
    actor_id: str | None = None  # account id, or the name if there is none
    avatar: str | None = None
    created_at: int  # ms
    read: bool


@runtime_checkable
class NotificationSource(Protocol):
    """The notifications of one service, for accounts."""

    async def list(self, account: "User", after: "Cursor | None", limit: int) -> list[Notice]:
        """Up to `limit` notifications below a cursor (ms, id), the newest first."""
        ...

    async def unread(self, account: "User") -> int:
        """The number of unread ones."""
        ...

    async def read(self, account: "User", ids: Sequence[str]) -> int:
        """Mark these as read, or all if there are none. Returns the number of changed ones."""
        ...


class UserSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The public fields of a user at one moment, for other services."""

    id: str
    username: str | None = None
    role: Literal["user", "model", "admin"] = "user"
    display_name: str | None = None
    avatar: str | None = None
    links: tuple[str, ...] = ()
    created_at: str = ""  # ISO 8601
    notices_off: tuple[str, ...] = ()  # types of notifications that the user has turned off
    left: tuple[str, ...] = ()  # services whose part of the account is deleted, while the account is not


ImageNotFound = NotFound.declare("image_not_found", "There is no such image")


class RequestedName(msgspec.Struct, frozen=True):
    """An account is about to get a username, another one, or none."""

    before: str | None
    after: str | None
    vouched: bool = False  # by the operator, or by an issuer whom the operator trusts
    user_id: str | None = None  # None: of somebody who has no account yet


class UpdateRefused(Conflict):
    """A service cannot take in an account as it is now, and has changed nothing."""

    code, title = "update_refused", "A service cannot take in the account as it is now"


@runtime_checkable
class CommentedPosts(Protocol):
    """The posts of a service, whose comments another service stores."""

    async def see(self, id: str, viewer: str | None, *, as_moderator: bool = False) -> Any:
        """Raise unless the user of this name sees the post."""
        ...

    async def get(self, id: str) -> Any:
        """The post; the username of its author is its `user_id`."""
        ...

    async def set_comments_count(self, id: str, count: int) -> bool:
        """Set the number of comments of a post."""
        ...


@runtime_checkable
class ImageStore(Protocol):
    """A service that stores images of users."""

    @property
    def accepted(self) -> bool:
        """Whether users can upload images."""
        ...

    async def use_in_post(self, username: str, url: str) -> None:
        """Note that a post of this user shows the image at the URL, if it is stored here."""
        ...

    async def delete_of_post(self, username: str, url: str) -> None:
        """Delete the image at the URL, if it is stored here: the post no longer shows it."""
        ...

    async def use_in_text(self, user_id: str, text: str) -> None:
        """Note that a text shows images of the user."""
        ...

    async def upload(self, user_id: str, upload: Path, purpose: Any, *, base_url: str, alt: str = "") -> Any:
        """Store an image of a user, with `id`, `url`, `width` and `height`."""
        ...

    async def delete(self, user_id: str, id: str) -> None:
        """Delete an image of a user."""
        ...


@runtime_checkable
class CommentSites(Protocol):
    """A service that stores comments on pages of another service."""

    async def own_site(self, name: str) -> str:
        """The public key of a site that belongs to the server itself. The first call creates the site."""
        ...


@runtime_checkable
class LikeButtons(Protocol):
    """A service that stores likes of pages of another service."""

    async def own_like_button(self, name: str) -> str:
        """The id of the like button of a page of the server itself. The first call creates it."""
        ...

"""What services know of each other: what accounts tell, and what one does for pages of another.

A service says in its `Service` what it does because an account has changed (`account_updates`); the job that
does it is in `accounts.service_updates`.
"""

from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from townsquare.problems import Conflict


class UserSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A user at one moment, as far as other services may know it: what everybody sees, and no secret."""

    id: str
    username: str | None = None
    role: Literal["user", "model", "admin"] = "user"
    avatar: str | None = None
    links: tuple[str, ...] = ()
    created_at: str = ""  # ISO 8601
    left: tuple[str, ...] = ()  # services whose part of the account is deleted, while the account is not


class NameWanted(msgspec.Struct, frozen=True):
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

    async def set_comments_count(self, id: str, count: int) -> bool:
        """Set the number of comments of a post."""
        ...


@runtime_checkable
class CommentSites(Protocol):
    """A service that keeps the comments on pages of another one."""

    async def own_site(self, name: str) -> str:
        """The public key of the site of this name that is the house's own, made by whoever comes first."""
        ...


@runtime_checkable
class LikeButtons(Protocol):
    """A service that keeps the likes of pages of another one."""

    async def own_like_button(self, name: str) -> str:
        """The id of the like button of a page of ours, made by whoever comes first."""
        ...

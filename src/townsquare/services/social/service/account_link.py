"""The accounts behind the profiles, as far as this service asks them for something."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from townsquare.services.social.models import Role


@runtime_checkable
class AccountLink(Protocol):
    async def of_profile(self, username: str) -> str | None:
        """The id of the account that a profile belongs to."""
        ...

    async def of_name(self, username: str) -> str | None:
        """The id of the account that has this name."""
        ...

    async def change(self, id: str, fields: Mapping[str, Any], role: Role | None = None) -> None:
        """Change an account, which its profile follows: username, avatar and links are its `fields`."""
        ...

    async def leave(self, id: str) -> None:
        """Delete the profile of an account."""
        ...

    async def join(self, id: str) -> None:
        """Make the profile of an account again."""
        ...

    async def open_job(self, id: str) -> str | None:
        """The job by which the profile follows its account, while it runs."""
        ...

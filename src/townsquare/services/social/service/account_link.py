"""The operations of accounts that profiles need."""

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
        """Change username, avatar or links of an account. The profile follows."""
        ...

    async def leave(self, id: str) -> None:
        """Delete the profile of an account."""
        ...

    async def join(self, id: str) -> None:
        """Create the profile of an account again."""
        ...

    async def open_job(self, id: str) -> str | None:
        """The running job that updates the profile from its account."""
        ...

"""Whose profiles these are: accounts decide over names and roles, where there are accounts."""

from typing import Protocol

from townsquare.services.social.models import Role


class Owners(Protocol):
    async def rename(self, old: str, new: str) -> str | None:
        """Give the account of a profile another name; the job that moves it, None without an account."""
        ...

    async def set_role(self, username: str, role: Role) -> bool:
        """Give the account of a profile a role, which the profile follows; whether there is an account."""
        ...


class Nobody:
    """Profiles without accounts: a library that brings its own."""

    async def rename(self, old: str, new: str) -> str | None:
        return None

    async def set_role(self, username: str, role: Role) -> bool:
        return False

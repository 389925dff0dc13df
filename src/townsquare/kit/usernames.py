"""The rule for usernames, which every service that shows or stores one shares."""

from typing import Annotated

from townsquare.keyspace import Matching

USERNAME = Matching(r"[A-Za-z0-9_.-]{1,30}")
RESERVED_USERNAMES = frozenset({"me", ".", ".."})  # paths of their own

Username = Annotated[str, USERNAME]


def is_username(text: str) -> bool:
    """Whether somebody may have this name."""
    return USERNAME.matches(text) and text not in RESERVED_USERNAMES

"""The rule for usernames in all services."""

from typing import Annotated

from townsquare.keyspace import Matching

USERNAME = Matching(r"[A-Za-z0-9_.-]{1,30}")
RESERVED_USERNAMES = frozenset({"me", ".", ".."})  # reserved path segments

Username = Annotated[str, USERNAME]


def is_username(text: str) -> bool:
    return USERNAME.matches(text) and text not in RESERVED_USERNAMES

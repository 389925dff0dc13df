"""Names of users: which ones there can be, and which ones somebody may take."""

from townsquare.services.social.keys import USERNAME
from townsquare.services.social.problems import BadUsername, NotYourself, ProfileNotFound

RESERVED_USERNAMES = frozenset({"me", ".", ".."})  # paths of their own


def valid_username(username: str) -> str:
    """A name that somebody could have; nobody has any other."""
    if not USERNAME.matches(username):
        raise ProfileNotFound()
    return username


def new_username(username: str) -> str:
    """A name that somebody may take."""
    if not USERNAME.matches(username) or username in RESERVED_USERNAMES:
        raise BadUsername()
    return username


def two_users(username: str, other: str) -> None:
    """Two names that different users could have."""
    valid_username(username)
    valid_username(other)
    if username == other:
        raise NotYourself()

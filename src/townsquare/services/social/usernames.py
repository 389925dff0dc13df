"""Names of users: which ones there can be, and which ones somebody may take."""

from townsquare.kit.usernames import USERNAME, is_username
from townsquare.services.social.problems import BadUsername, NotYourself, ProfileNotFound


def valid_username(username: str) -> str:
    """A name that somebody could have; nobody has any other."""
    if not USERNAME.matches(username):
        raise ProfileNotFound()
    return username


def new_username(username: str) -> str:
    """A name that somebody may take."""
    if not is_username(username):
        raise BadUsername()
    return username


def two_users(username: str, other: str) -> None:
    """Two names that different users could have."""
    valid_username(username)
    valid_username(other)
    if username == other:
        raise NotYourself()

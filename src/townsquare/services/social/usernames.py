"""Validation of existing and of new usernames."""

from townsquare.kit.usernames import USERNAME, is_username
from townsquare.services.social.problems import BadUsername, NotYourself, ProfileNotFound


def valid_username(username: str) -> str:
    """The username, if its format is valid. Raises `ProfileNotFound`: no user can have another."""
    if not USERNAME.matches(username):
        raise ProfileNotFound()
    return username


def new_username(username: str) -> str:
    """The username, if a new user may have it. Raises `BadUsername`."""
    if not is_username(username):
        raise BadUsername()
    return username


def two_users(username: str, other: str) -> None:
    """Two names that different users could have."""
    valid_username(username)
    valid_username(other)
    if username == other:
        raise NotYourself()

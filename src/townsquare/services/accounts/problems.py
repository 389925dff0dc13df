"""Errors of the accounts service. Messages about sign-in never reveal whether an account exists."""

from townsquare.problems import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Problem,
    Taken,
    TooManyRequests,
    Unauthorized,
)

FIELD_NAMES = {  # for messages
    "email": "email address",
    "phone": "phone number",
    "deviceId": "device",
    "google": "Google account",
    "github": "GitHub account",
}


class UserNotFound(NotFound):
    code, title = "user_not_found", "There is no such user"


class UserChanged(Conflict):
    code, title = "user_changed", "The user was changed meanwhile, read it again"


class UserBeingDeleted(Conflict):
    code, title = "user_being_deleted", "This account is being deleted"


class UserExists(Conflict):
    code, title = "user_exists", "There is a user with this id"


class AlreadyRegistered(Conflict):
    code, title = "already_registered", "This user has signed up already"


def taken(field: str) -> Taken:
    """Another user has this value; `extra["field"]` is the field."""
    return Taken(f"This {FIELD_NAMES.get(field, field)} is already taken", field=field)


class FlagNotFound(NotFound):
    code, title = "flag_not_found", "There is no such flag"


class BadProfile(Invalid):
    """`extra["field"]` is the invalid field."""

    code, title = "bad_profile", "A field of the profile is not acceptable"


class ConsentRequired(Forbidden):
    code, title = "consent_required", "A location is stored only with the user's consent"


class WrongCredentials(Unauthorized):
    code, title = "wrong_credentials", "This name and password do not match"


class WrongCode(Unauthorized):
    code, title = "wrong_code", "The code is wrong, used or too old: ask for a new one"


class TooManyCodes(TooManyRequests):
    code, title = "too_many_codes", "Too many codes were sent, try again later"


class AccountClosed(Forbidden):
    """Only for callers who have proved that the account is theirs."""

    code, title = "account_closed", "This account is suspended or disabled"


class BadRefreshToken(Unauthorized):
    code, title = "bad_refresh_token", "The refresh token is not valid: sign in again"


class SessionNotFound(NotFound):
    code, title = "session_not_found", "There is no such session"


class BadPassword(Invalid):
    code, title = "bad_password", "A password has 8 to 128 characters"


class CommonPassword(Invalid):
    code, title = "common_password", "This password is too common"


class NotDeliverable(Invalid):
    code, title = "not_deliverable", "This server cannot send messages there"


class WayNotOffered(NotFound):
    code, title = "way_not_offered", "This server does not offer this way to sign in"


class ProviderRefused(Unauthorized):
    code, title = "provider_refused", "The provider did not confirm who you are"


class ProviderAway(Problem):
    code, status, title = "provider_away", 503, "The provider does not answer, try again in a moment"


class NotLinked(Conflict):
    """Linking by email needs an address that both sides have verified."""

    code, title = (
        "not_linked",
        "An account has this address but never confirmed it: sign in to it with a code first",
    )


class LastWay(Conflict):
    code, title = "last_way", "This is the only way into the account"

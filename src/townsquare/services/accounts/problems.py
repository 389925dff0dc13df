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


UserNotFound = NotFound.declare("user_not_found", "There is no such user")
UserChanged = Conflict.declare("user_changed", "The user was changed meanwhile, read it again")
UserBeingDeleted = Conflict.declare("user_being_deleted", "This account is being deleted")
UserExists = Conflict.declare("user_exists", "There is a user with this id")
AlreadyRegistered = Conflict.declare("already_registered", "This user has signed up already")


def taken(field: str) -> Taken:
    """Another user has this value; `extra["field"]` is the field."""
    return Taken(f"This {FIELD_NAMES.get(field, field)} is already taken", field=field)


AdminLinkNotValid = Forbidden.declare(
    "admin_link_not_valid", "This link has expired, was used, or there is an admin already"
)
FlagNotFound = NotFound.declare("flag_not_found", "There is no such flag")


class BadProfile(Invalid):
    """`extra["field"]` is the invalid field."""

    code, title = "bad_profile", "A field of the profile is not acceptable"


ConsentRequired = Forbidden.declare("consent_required", "A location is stored only with the user's consent")
WrongCredentials = Unauthorized.declare("wrong_credentials", "This name and password do not match")
WrongCode = Unauthorized.declare("wrong_code", "The code is wrong, used or too old: ask for a new one")
TooManyCodes = TooManyRequests.declare("too_many_codes", "Too many codes were sent, try again later")


class AccountClosed(Forbidden):
    """Only for callers who have proved that the account is theirs."""

    code, title = "account_closed", "This account is suspended or disabled"


BadRefreshToken = Unauthorized.declare("bad_refresh_token", "The refresh token is not valid: sign in again")
SessionNotFound = NotFound.declare("session_not_found", "There is no such session")
BadNotification = Invalid.declare("bad_notification", "Pass the ids of at most 100 notifications, or all")
BadPassword = Invalid.declare("bad_password", "A password has 8 to 128 characters")
CommonPassword = Invalid.declare("common_password", "This password is too common")
NotDeliverable = Invalid.declare("not_deliverable", "This server cannot send messages there")
WayNotOffered = NotFound.declare("way_not_offered", "This server does not offer this way to sign in")
ProviderRefused = Unauthorized.declare("provider_refused", "The provider did not confirm who you are")


ProviderAway = Problem.declare("provider_away", "The provider does not answer, try again in a moment", 503)


class NotLinked(Conflict):
    """Linking by email needs an address that both sides have verified."""

    code, title = (
        "not_linked",
        "An account has this address but never confirmed it: sign in to it with a code first",
    )


LastWay = Conflict.declare("last_way", "This is the only way into the account")

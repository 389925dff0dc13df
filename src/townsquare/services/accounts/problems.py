from townsquare.problems import Conflict, Forbidden, Invalid, NotFound


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


class FlagNotFound(NotFound):
    code, title = "flag_not_found", "There is no such flag"


class BadProfile(Invalid):
    """`extra["field"]` is the field that is wrong."""

    code, title = "bad_profile", "A field of the profile is not acceptable"


class ConsentRequired(Forbidden):
    code, title = "consent_required", "A location is kept only with the user's consent"

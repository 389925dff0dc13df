from townsquare.problems import Conflict, Forbidden, Invalid, NotFound, Problem


class UserMoved(Problem):
    """Documents the redirect from a former name: the same method again, with the same body."""

    code, status, title = "moved", 308, "The user has been renamed"


class ProfileNotFound(NotFound):
    code, title = "profile_not_found", "There is no such user"


class PostNotFound(NotFound):
    code, title = "post_not_found", "There is no such post"


class UsernameTaken(Conflict):
    code, title = "username_taken", "This username is taken"


class PostBanned(Forbidden):
    code, title = "post_banned", "This post was banned by a moderator"


class NotYours(Forbidden):
    code, title = "not_yours", "Only its author may do this"


class TooLateToEdit(Conflict):
    code, title = "too_late_to_edit", "A post can be edited for 15 minutes"


class FollowingTooMany(Conflict):
    code, title = "following_too_many", "You follow the maximum number of users"


class NotYourself(Invalid):
    code, title = "not_yourself", "You cannot do this to yourself"


class BadUsername(Invalid):
    code, title = "bad_username", "A username is 1 to 30 letters, digits, _ . or -"


class BadPost(Invalid):
    code, title = "bad_post", "A post has 1 to 5,000 characters"


class BadMedia(BadPost):
    code, title = "bad_media_url", "The media_url of a post is an http or https URL"


class BadReport(Invalid):
    code, title = "bad_report", "A report has a reason of 1 to 500 characters"


class BadProfileField(Invalid):
    """`extra["field"]` names it."""

    code, title = "bad_profile_field", "The value of this field is not valid"


class SensitiveField(Forbidden):
    """`extra["hint"]` says what to do instead."""

    code, title = "sensitive_field", "This field is not stored here"


class SystemField(Forbidden):
    code, title = "system_field", "Only the service itself writes this field"


class BadHashtag(Invalid):
    code, title = "bad_hashtag", "A hashtag is letters, digits and _, at most 100"


class UserBeingRenamed(Conflict):
    code, title = "user_moving", "This user is being renamed, try again in a moment"


class CommandBlocked(Forbidden):
    """`extra` has the place of the command in the list, and a hint that names what to use instead."""

    code, title = "command_blocked", "This command is not open to clients"


class BadCommand(Invalid):
    """`extra["at"]` is the place of the command in the list."""

    code, title = "bad_command", "This is not a command"


class NotANumber(Conflict):
    code, title = "not_a_number", "The value of this field is not an integer that can be incremented"

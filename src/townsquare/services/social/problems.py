from townsquare.problems import Conflict, Forbidden, Invalid, NotFound, Problem

ProfileNotFound = NotFound.declare("profile_not_found", "There is no such user")
PostNotFound = NotFound.declare("post_not_found", "There is no such post")
UsernameTaken = Conflict.declare("username_taken", "This username is taken")
PostBanned = Forbidden.declare("post_banned", "This post was banned by a moderator")
NotYours = Forbidden.declare("not_yours", "Only its author may do this")
TooLateToEdit = Conflict.declare("too_late_to_edit", "A post can be edited for 15 minutes")
FollowingTooMany = Conflict.declare("following_too_many", "You follow the maximum number of users")
NotYourself = Invalid.declare("not_yourself", "You cannot do this to yourself")
BadUsername = Invalid.declare("bad_username", "A username is 1 to 30 letters, digits, _ . or -")
BadPost = Invalid.declare("bad_post", "A post has 1 to 5,000 characters")
BadMedia = BadPost.declare("bad_media_url", "The media_url of a post is an http or https URL")
BadReport = Invalid.declare("bad_report", "A report has a reason of 1 to 500 characters")
SystemField = Forbidden.declare("system_field", "Only the service itself writes this field")
BadHashtag = Invalid.declare("bad_hashtag", "A hashtag is letters, digits and _, at most 100")
UserBeingRenamed = Conflict.declare("user_moving", "This user is being renamed, try again in a moment")
NotANumber = Conflict.declare(
    "not_a_number", "The value of this field is not an integer that can be incremented"
)


class UserMoved(Problem):
    """Documents the redirect from a former name: the same method again, with the same body."""

    code, status, title = "moved", 308, "The user has been renamed"


class BadProfileField(Invalid):
    """`extra["field"]` names it."""

    code, title = "bad_profile_field", "The value of this field is not valid"


class SensitiveField(Forbidden):
    """`extra["hint"]` says what to do instead."""

    code, title = "sensitive_field", "This field is not stored here"


class CommandBlocked(Forbidden):
    """`extra` has the place of the command in the list, and a hint that names what to use instead."""

    code, title = "command_blocked", "This command is not open to clients"


class BadCommand(Invalid):
    """`extra["at"]` is the place of the command in the list."""

    code, title = "bad_command", "This is not a command"

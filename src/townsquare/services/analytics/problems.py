from townsquare.problems import Conflict, Invalid

BadBatch = Invalid.declare("bad_batch", "A batch has 1 to 100 events")


class BadEvent(Invalid):
    """`extra["errors"]` names the events by their place in the batch."""

    code, title = "bad_event", "An event of the batch is not acceptable; none was recorded"


WhoIsMissing = Invalid.declare(
    "who_is_missing", "Sign in, or send a visitor id of 8 to 64 letters, digits, - or _"
)
BadRange = Invalid.declare("bad_range", "The range of days is not acceptable")
BadPeriod = Invalid.declare("bad_period", "Only views and search terms are ranked by day, week and month")
BeingForgotten = Conflict.declare(
    "being_forgotten", "The data of this user is being deleted, try again in a moment"
)

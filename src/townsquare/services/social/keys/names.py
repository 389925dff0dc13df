from townsquare.keyspace import DAY, Owns, fixed
from townsquare.kit.usernames import Username
from townsquare.services.social.keys.common import USER_HOME, social
from townsquare.services.social.keys.users import user

REDIRECT_SECONDS = 30 * DAY


@social.string("renamed:{username}", home=USER_HOME, lifetime=fixed(REDIRECT_SECONDS))
def renamed(username: Username) -> None:
    """The name that somebody who was called so has now. Until it ends nobody else can take the old one."""


@social.sorted_set("user:{username}:former", home=USER_HOME)
def former_names(username: Username) -> None:
    """Names that lead to this user, by the time until which they do, in ms."""


social.relate(Owns(user, (former_names,)))

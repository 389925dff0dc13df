from functools import partial
from typing import Annotated

import msgspec
from msgspec import field

from townsquare.keyspace import (
    Counts,
    Orders,
    Owns,
    Pairs,
    Record,
    Represents,
    Sums,
    Visibility,
    about,
    by_script,
    fixed,
)
from townsquare.kit.usernames import Username
from townsquare.secret_repr import HidesSecrets
from townsquare.services.accounts.keys import user as account
from townsquare.services.accounts.keys import username as account_of_name
from townsquare.services.social.keys import common
from townsquare.services.social.keys.common import SEED, USER_HOME, name_rank, social

PRIVATE, SYSTEM, SECRET = Visibility.PRIVATE, Visibility.SYSTEM, Visibility.SECRET
ENGAGEMENT = (
    f"likes*{common.LIKE_WEIGHT} + comments*{common.COMMENT_WEIGHT} + bookmarks*{common.BOOKMARK_WEIGHT} "
    "over all shown posts"
)

Text = str | None
Private = Annotated[Text, about(visibility=PRIVATE)]
Refused = Annotated[Text, about("refused unless the operator enables it", SECRET)]


class UserRecord(HidesSecrets, msgspec.Struct, kw_only=True):
    username: Annotated[str, about("unique; upper and lower case differ", SYSTEM)]
    display_name: str | None = None
    bio: str | None = None
    avatar: Annotated[str | None, about("URL")] = None
    links: Annotated[tuple[str, ...], about("JSON array of URLs")] = ()
    role: Annotated[str, about("user, model or admin", SYSTEM)]
    post_count: Annotated[int, about("posts that are shown", SYSTEM)] = field(name="postCount")
    follower_count: Annotated[int, about(visibility=SYSTEM)] = field(name="followerCount")
    following_count: Annotated[int, about(visibility=SYSTEM)] = field(name="followingCount")
    created_at: Annotated[int, about("ms", SYSTEM)]
    first_name: Private = None
    last_name: Private = None
    email: Private = None
    phone: Private = None
    phone_number: Private = None
    address: Private = None
    date_of_birth: Private = None
    birth_date: Private = None
    ip_address: Private = None
    device_id: Private = None
    password: Refused = None
    password_hash: Refused = None
    ssn: Refused = None
    credit_card: Refused = None
    bank_account: Refused = None
    owner_account: Annotated[Text, about("id of the account whose profile this is", SECRET)] = None
    notices_off: Annotated[Text, about("types of notifications that are off", SECRET)] = None
    engagement: Annotated[int, about(ENGAGEMENT, SECRET)] = 0
    refreshing: Annotated[Text, about("the job that copies a changed profile into the posts", SECRET)] = None
    refreshed_to: Annotated[Text, about("how far that job has come", SECRET)] = None
    deleting: Annotated[
        Text, about("the job that deletes this user, or moves it to another name", SECRET)
    ] = None
    moving_to: Annotated[Text, about("that name", SECRET)] = None
    arriving: Annotated[Text, about("the job that brings this user here from another name", SECRET)] = None


@social.hash("user:{username}", record=UserRecord, custom=PRIVATE, home=USER_HOME, cached=True, seed=SEED)
def user(username: Username) -> None:
    """A profile. Only its owner sees fields that are not declared public or system."""


@social.sorted_set("user:{username}:posts", home=USER_HOME, seed=SEED)
def user_posts(username: Username) -> None:
    """A user's visible posts, by creation in ms."""


@social.set("user:{username}:followers", home=USER_HOME, seed=SEED)
def followers(username: Username) -> None:
    """Followers of this user."""


@social.set("user:{username}:following", home=USER_HOME, seed=SEED)
def following(username: Username) -> None:
    """Users that this user follows."""


@social.sorted_set("user:{username}:bookmarked", home=USER_HOME, seed=SEED)
def bookmarked(username: Username) -> None:
    """Posts that this user has bookmarked, by time in ms."""


@social.sorted_set("user:{username}:followers:since", home=USER_HOME)
def followers_since(username: Username) -> None:
    """Followers by time of the follow in ms, for paging."""


@social.sorted_set("user:{username}:following:since", home=USER_HOME)
def following_since(username: Username) -> None:
    """Followed users by time of the follow in ms. The other three sets of a follow derive from it."""


@social.sorted_set("user:{username}:liked", home=USER_HOME)
def liked(username: Username) -> None:
    """Posts that this user likes, by time in ms; read for the like state of a page, and for deletion."""


@social.sorted_set("user:{username}:reported", home=USER_HOME)
def reported(username: Username) -> None:
    """Posts that this user has reported, by time in ms, for deletion."""


@social.sorted_set("user:{username}:banned", home=USER_HOME)
def banned_posts(username: Username) -> None:
    """A user's banned posts by creation in ms. They are in no feed or count; an unban restores them."""


@social.sorted_set("user:{username}:engagement", home=USER_HOME)
def user_engagement(username: Username) -> None:
    """A user's visible posts with engagement, by weight; the sum is the user's `engagement`."""


@social.sorted_set("user:{username}:blocking", home=USER_HOME, cached=True)
def blocking(username: Username) -> None:
    """Users that this user blocks, by time in ms."""


@social.sorted_set("user:{username}:blocked_by", home=USER_HOME, cached=True)
def blocked_by(username: Username) -> None:
    """Users who block this user."""


@social.sorted_set("user:{username}:muting", home=USER_HOME, cached=True)
def muting(username: Username) -> None:
    """Users that this user mutes, by time in ms."""


@social.sorted_set("user:{username}:muted_by", home=USER_HOME)
def muted_by(username: Username) -> None:
    """Users who mute this user, for deletion."""


@social.sorted_set("user:{username}:moderated", home=USER_HOME)
def moderated(username: Username) -> None:
    """Posts that this moderator has banned, by time in ms, for deletion."""


@social.sorted_set("user:{username}:notices", home=USER_HOME)
def notices(username: Username) -> None:
    """The newest notifications, by time in ms: `follow`, or `like`, `mention` or `moderation` and a post.
    The names in them come from the followers, the likes and the author of the post."""


@social.set("user:{username}:notices:unread", home=USER_HOME)
def unread_notices(username: Username) -> None:
    """The notifications that are unread; their number is the counter."""


@social.string("renamed:{username}", home=USER_HOME, lifetime=fixed(common.REDIRECT_SECONDS))
def renamed(username: Username) -> None:
    """The current name of a renamed user. Until it expires, nobody else can take the former name."""


@social.sorted_set("user:{username}:former", home=USER_HOME)
def former_names(username: Username) -> None:
    """Former names that redirect to this user, by the end of the redirect in ms."""


@social.sorted_set("users:regular", home="users:regular", seed=SEED)
def users_regular() -> None:
    """Users with the role user, by creation in ms."""


@social.sorted_set("users:models", home="users:models", seed=SEED)
def users_models() -> None:
    """Users with the role model, by creation in ms."""


@social.sorted_set("models:top:engagement", home="models:top", seed=SEED)
def models_top() -> None:
    """Models by the weighted engagement of their visible posts."""


@social.sorted_set("users:names", home="users:names")
def users_names() -> None:
    """All users by name, for prefix search: the score is the first nine characters as a number."""


@social.sorted_set("authors:big", home="authors:big")
def big_authors() -> None:
    """Users with so many followers that their posts are not pushed, by number of followers."""


def profile_name(account: Record) -> str | None:
    """The name of the profile that an account must have, or None."""
    named = account.get("registered") is not False and not account.get("deleting")
    return account.get("username") if named and social.service not in account.get("left", ()) else None


def is_staying(user: Record) -> bool:
    return not user.get("deleting")


def is_regular(user: Record) -> bool:
    return is_staying(user) and user["role"] == "user"


def is_model(user: Record) -> bool:
    return is_staying(user) and user["role"] == "model"


def is_big(user: Record) -> bool:
    return is_staying(user) and int(user.get("followerCount") or 0) >= common.BIG_AUTHOR


def place_in_alphabet(user: Record) -> int:
    return name_rank(user["username"])


def total_engagement(user: Record) -> int:
    return int(user.get("engagement") or 0)


personal = partial(Owns, user, account=account_of_name)

social.relate(
    personal((user_posts, banned_posts, user_engagement, moderated)),
    personal((liked, bookmarked, reported)),
    personal((followers, followers_since, following, following_since)),
    personal((notices, unread_notices)),
    personal((blocking, blocked_by, muting, muted_by)),
    personal((former_names,), members=by_script("end_redirect")),
    Sums(user, "engagement", user_engagement),
    Counts(user, "postCount", user_posts),
    Counts(user, "followerCount", followers),
    Counts(user, "followingCount", following),
    Pairs(
        following_since,
        followers_since,
        remove_left=by_script("remove_followed"),
        remove_right=by_script("remove_follower"),
    ),
    Pairs(following_since, followers, taken_apart=False),
    Pairs(followers_since, following, taken_apart=False),
    Pairs(blocking, blocked_by),
    Pairs(muting, muted_by),
    Orders(users_regular, user, member="username", score="created_at", where=is_regular),
    Orders(users_models, user, member="username", score="created_at", where=is_model),
    Orders(models_top, user, member="username", score=total_engagement, where=is_model),
    Orders(users_names, user, member="username", score=place_in_alphabet, where=is_staying),
    Orders(big_authors, user, member="username", score="followerCount", where=is_big),
    Represents(
        user,
        account,
        params={"username": profile_name},
        link="owner_account",
        fields=("role", "display_name", "avatar"),
        repair=by_script("accounts.reopen_update"),
    ),
)

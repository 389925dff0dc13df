from townsquare.keyspace import Field, Owns, fixed, sliding
from townsquare.kit.usernames import Username
from townsquare.services.social.keys import common
from townsquare.services.social.keys.common import SEED, TAG_HOME, USER_HOME, social
from townsquare.services.social.keys.posts import has_weight, hashtags, is_shown, listed, weight
from townsquare.services.social.keys.users import user


@social.sorted_set("explore:feed", home="explore:feed", seed=SEED)
def explore_feed() -> None:
    """Every post that is shown, by creation in ms."""


@social.sorted_set("hashtag:{tag}:posts", home=TAG_HOME, seed=SEED)
def hashtag_posts(tag: str) -> None:
    """Posts with a hashtag, by creation in ms. Tags are normalised: NFKC, lower case."""


@social.sorted_set("hashtag:{tag}:ranked", home=TAG_HOME, seed=SEED)
def hashtag_ranked(tag: str) -> None:
    """Posts with a hashtag of the last two weeks, by their score when it was last counted.

    A like counts the score of its post, a reader that of all of them, at most every 30 seconds: then it is
    built again from `hashtag:{tag}:posts` and `hashtag:{tag}:weights`.
    """


@social.sorted_set("hashtag:{tag}:weights", home=TAG_HOME)
def hashtag_weights(tag: str) -> None:
    """Posts with a hashtag that have any engagement, by its weight: what scores are counted from."""


@social.list("hashtag:{tag}:order:{scored}", home=TAG_HOME, lifetime=fixed(common.ORDER_SECONDS))
def hashtag_order(tag: str, scored: int) -> None:
    """The ranked posts as they were scored at a moment in ms, best first, ties newest first.

    A reader who has begun with this order pages through it, also when there is a newer one.
    """


@social.string("hashtag:{tag}:scored", home=TAG_HOME, lifetime=fixed(common.RANKED_SECONDS))
def hashtag_scored(tag: str) -> None:
    """When the newest order was made, in ms; while it lives nobody scores again."""


@social.sorted_set("hashtags:trending", home="hashtags")
def hashtags_trending() -> None:
    """Hashtags by their posts of 24 hours when that was last counted; readers count the first ones again."""


@social.sorted_set("tmp:home:{username}", home=USER_HOME, lifetime=fixed(common.HOME_SECONDS), seed=SEED)
def home_feed(username: Username) -> None:
    """The head of a following feed, by creation in ms: merged when it is read, pushed to while it lives."""


@social.hash(
    "tmp:home:{username}:state",
    Field("token", description="of the reader who builds it", required=True),
    Field("began_at", description="ms", required=True),
    Field("ready", description="1 when it can be read"),
    Field("floor", description="creation of the oldest post that was merged, in ms"),
    Field("floor_id", description="its id"),
    Field("complete", description="1 if nothing is older than the floor"),
    Field("big", description="followed authors who are merged at read time, with spaces between"),
    home=USER_HOME,
    lifetime=fixed(common.HOME_SECONDS),
)
def home_state(username: Username) -> None:
    """State of a following feed: its extent and whether it is complete."""


@social.sorted_set("tmp:watchers:{username}", home=USER_HOME, lifetime=sliding(common.WATCHERS_SECONDS))
def watchers(username: Username) -> None:
    """Followers whose feed is alive, by the time until which it is, in ms: where new posts are pushed to."""


social.relate(
    Owns(user, (home_feed, home_state, watchers), without_owner=True),
    listed(explore_feed, score="created_at", where=is_shown),
    listed(hashtag_posts, score="created_at", params={"tag": hashtags}, where=is_shown),
    listed(hashtag_weights, score=weight, params={"tag": hashtags}, where=has_weight),
)

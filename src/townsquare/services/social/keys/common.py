"""Keyspace, homes and constants of the social service. Lua reads the constants too."""

from typing import Annotated

from townsquare.keyspace import DAY, Keyspace, Matching, bucket_of, carried_by

social = Keyspace("social", "Profiles, follows, posts, feeds, hashtags, ranking and leaderboards.")

SEED = "000"
POST_ID = Matching(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{9}[0-3][0-9a-f]{2}")

PostId = Annotated[str, POST_ID]

USER_HOME = "user:{username}"
TAG_HOME = "hashtag:{tag}"
POST_HOME = carried_by("id")

HOME_SECONDS = 300  # a following feed that nobody built again for five minutes is not worth pushing to
WATCHERS_SECONDS = 2 * HOME_SECONDS  # longer than any feed lives that is pushed to
RANKED_SECONDS = 30  # how long an order of ranked posts may be shown before it is scored again
ORDER_SECONDS = 300  # how long a reader can page through one ranking: enough for some pages
RANKED_MS = 14 * DAY * 1000  # how old a ranked post may be
RANKED_NEWEST = 2_000  # posts of a tag that are scored again
RANKED_BEST = 500  # of those that are older, the best ones are scored again too
REDIRECT_SECONDS = 30 * DAY
TREND_MS = DAY * 1000  # posts that make a tag a trend are not older
BUILDING_MS = 5_000  # a home feed that takes longer to build was abandoned
EDIT_MS = 15 * 60 * 1000  # how long a post can be edited
NOTICES_KEPT = 300
MENTIONS, NAME_LENGTH = 10, 30  # names in one post that are notified
FIELDS = 150  # of one profile, with those of the service: it is read whole by its owner
BIG_AUTHOR = 500  # followers from which posts are merged at read time instead of pushed: one post, one script

LIKE_WEIGHT, COMMENT_WEIGHT, BOOKMARK_WEIGHT = 3, 5, 4

RENAME_USER_JOB = "social.move_user"
REFRESH_POSTS_JOB = "social.refresh_posts"

NAME_ALPHABET = "-._0123456789abcdefghijklmnopqrstuvwxyz"
RANKED_NAME_LENGTH = 9  # characters of a name that a score holds exactly: 40 ** 9 < 2 ** 53


def user_bucket(username: str) -> str:
    """The bucket of a user and of the user's new posts."""
    return bucket_of(USER_HOME.format(username=username))


def name_rank(name: str) -> int:
    """The alphabetical rank of a name by its first nine characters; case does not matter."""
    rank = 0
    for character in name.lower()[:RANKED_NAME_LENGTH].ljust(RANKED_NAME_LENGTH, "\0"):
        rank = rank * (len(NAME_ALPHABET) + 1) + NAME_ALPHABET.find(character) + 1
    return rank

"""Where to go instead: for every key and field that only the service writes, the endpoint that does it."""

from townsquare.services.social.redis_gateway.commands import GatewayCommand

POSTS = "POST /social/posts or DELETE /social/posts/{id}"
EDIT_POST = "PATCH /social/posts/{id}"
BAN = "POST or DELETE /social/posts/{id}/ban"
REPORT = "POST /social/posts/{id}/report"
LIKE = "POST or DELETE /social/posts/{id}/like"
BOOKMARK = "POST or DELETE /social/posts/{id}/bookmark"
COMMENT = "POST /social/posts/{id}/comments"
FOLLOW = "POST or DELETE /social/users/{username}/follow"
BLOCK = "POST or DELETE /social/users/{username}/block"
MUTE = "POST or DELETE /social/users/{username}/mute"
PROFILE = "PATCH /social/users/{username}"
DELETE_USER = "DELETE /social/users/{username}"
RENAME = "POST /social/users/{username}/rename"
LOAD_USERS = "POST /social/sync/users"
READ_HOME = "GET /social/feed/following"
READ = "POST /redis/read"
WRITE = "POST /redis/write"
CUSTOM_ONLY = "HSET, HDEL or HINCRBY on fields of your own of a user"

BY_FIELD = {
    "postCount": POSTS,
    "followerCount": FOLLOW,
    "followingCount": FOLLOW,
    "likesCount": LIKE,
    "bookmarksCount": BOOKMARK,
    "commentsCount": COMMENT,
    "reportsCount": REPORT,
    "banned": BAN,
    "banned_at": BAN,
    "banned_by": BAN,
    "role": f"{PROFILE} as an administrator",
    "username": RENAME,
    "engagement": LIKE,
}
BY_KEY = {
    "user": PROFILE,
    "user_posts": POSTS,
    "banned_posts": BAN,
    "followers": FOLLOW,
    "following": FOLLOW,
    "followers_since": FOLLOW,
    "following_since": FOLLOW,
    "bookmarked": BOOKMARK,
    "liked": LIKE,
    "reported": REPORT,
    "user_engagement": LIKE,
    "blocking": BLOCK,
    "blocked_by": BLOCK,
    "muting": MUTE,
    "muted_by": MUTE,
    "moderated": BAN,
    "post": EDIT_POST,
    "post_likes": LIKE,
    "post_bookmarks": BOOKMARK,
    "post_reports": REPORT,
    "post_reasons": REPORT,
    "reports_open": REPORT,
    "explore_feed": POSTS,
    "hashtag_posts": POSTS,
    "hashtag_ranked": LIKE,
    "hashtag_weights": LIKE,
    "hashtag_order": LIKE,
    "hashtag_scored": LIKE,
    "hashtags_trending": POSTS,
    "users_regular": LOAD_USERS,
    "users_models": LOAD_USERS,
    "users_names": LOAD_USERS,
    "models_top": LIKE,
    "big_authors": FOLLOW,
    "home_feed": READ_HOME,
    "home_state": READ_HOME,
    "watchers": READ_HOME,
    "renamed": RENAME,
    "former_names": RENAME,
}
REMOVES = {"DEL", "UNLINK", "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"}
MOVES = {"RENAME", "RENAMENX", "COPY", "MOVE"}


def instead_of(command: GatewayCommand, field: str | None = None) -> str:
    """What to use instead of a write that is not allowed."""
    if command.key is None:
        return CUSTOM_ONLY
    kind = command.key.declared.name
    if field is not None and field in BY_FIELD:
        return BY_FIELD[field]
    if kind == "user" and command.verb in REMOVES:
        return DELETE_USER
    if kind == "user" and command.verb in MOVES:
        return RENAME
    if kind == "post" and command.verb in REMOVES:
        return POSTS
    return BY_KEY[kind]

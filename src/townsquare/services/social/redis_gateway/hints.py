"""For every key and field that only the service writes: the endpoint to use instead."""

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
NOTIFICATIONS = "POST /accounts/me/notifications/read"
CUSTOM_ONLY = "HSET, HDEL or HINCRBY on custom fields of a user"

KEYS = {
    POSTS: ("user_posts", "explore_feed", "hashtag_posts", "hashtags_trending"),
    EDIT_POST: ("post",),
    BAN: ("banned_posts", "moderated"),
    REPORT: ("reported", "post_reports", "post_reasons", "reports_open"),
    LIKE: (
        *("liked", "post_likes", "user_engagement", "models_top"),
        *("hashtag_ranked", "hashtag_weights", "hashtag_order", "hashtag_scored"),
    ),
    BOOKMARK: ("bookmarked", "post_bookmarks"),
    FOLLOW: ("followers", "following", "followers_since", "following_since", "big_authors"),
    BLOCK: ("blocking", "blocked_by"),
    MUTE: ("muting", "muted_by"),
    PROFILE: ("user",),
    RENAME: ("renamed", "former_names"),
    LOAD_USERS: ("users_regular", "users_models", "users_names"),
    NOTIFICATIONS: ("notices", "unread_notices"),
    READ_HOME: ("home_feed", "home_state", "watchers"),
}
FIELDS = {
    POSTS: ("postCount",),
    BAN: ("banned", "banned_at", "banned_by"),
    REPORT: ("reportsCount",),
    LIKE: ("likesCount", "engagement"),
    BOOKMARK: ("bookmarksCount",),
    COMMENT: ("commentsCount",),
    FOLLOW: ("followerCount", "followingCount"),
    f"{PROFILE} as an administrator": ("role",),
    RENAME: ("username",),
}
BY_KEY = {name: endpoint for endpoint, names in KEYS.items() for name in names}
BY_FIELD = {name: endpoint for endpoint, names in FIELDS.items() for name in names}
REMOVES = {"DEL", "UNLINK", "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"}
MOVES = {"RENAME", "RENAMENX", "COPY", "MOVE"}


def instead_of(command: GatewayCommand, field: str | None = None) -> str:
    """The endpoint to use instead of a write that is not allowed."""
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

"""Keyspace, key parts, homes and constants of the threads service. Lua reads the constants too."""

from typing import Annotated

from townsquare.clock import from_iso
from townsquare.keyspace import DAY, HOUR, MINUTE, Keyspace, Matching, Record, carried_by
from townsquare.services.accounts.ids import CARRYING

threads = Keyspace("threads", "Comments on any page of any site: votes, moderation, notifications, live.")

SEED = "003"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{9}[0-3][0-9a-f]{2}"
SITE_ID = PAGE_ID = COMMENT_ID = Matching(UUID)
USER_ID = Matching(rf"usr_{CARRYING}|{UUID}")  # an account, or a user of single sign-on

SiteId = Annotated[str, SITE_ID]
PageId = Annotated[str, PAGE_ID]
CommentId = Annotated[str, COMMENT_ID]
UserId = Annotated[str, USER_ID]
Month = Annotated[str, Matching(r"\d{4}-\d{2}")]

SITE_HOME = carried_by("site_id")
PAGE_HOME = carried_by("page_id")
COMMENT_HOME = carried_by("comment_id")  # that of its page: the id is minted in the bucket of the page
USER_HOME = carried_by("user_id")

DEEPEST = 100  # levels of replies
EDITS_KEPT = 20  # previous texts of one comment
HIDDEN_READ = 100  # hidden comments of one page that are merged into the thread of a reader who may see them
VOTES_READ = 1_000  # comments of one page, in one response with the caller's votes
PINNED = 10  # comments of one page
NOTIFICATIONS_KEPT = 500
EVENTS_KEPT = 1_000  # live events of one page for clients that reconnect: about 250 kB
EVENTS_SECONDS = HOUR
TEXTS_KEPT = 50  # latest texts of one author, to detect duplicates
TEXTS_SECONDS = HOUR
LOG_KEPT = 10_000  # entries of a site's moderation log
BANS_LISTED = 1_000
BLOCKS = 1_000  # users whom one user can block
MAIL_WAITS_MS = 5 * MINUTE * 1000  # notifications within this time are one mail
MAILED = 50  # comments in one mail
FOLLOWS = 1_000  # pages that one user can follow
ALERT_LINK_SECONDS = 7 * DAY
UPVOTES_MS = HOUR * 1000  # upvotes of one comment within this time are one notification
TYPING_MS = 5_000
TYPING_TOLD_MS = 1_000  # interval of repeated typing signals of one user
TYPING_SHOWN = 20  # of those who type at once
PRESENCE_MS = 20_000  # lifetime of an announcement; processes announce every 10 s
APIKEY_SECONDS = 5 * MINUTE
VIEW_SECONDS = 30 * MINUTE  # before the same visitor counts again on the same page
USAGE_SECONDS = 90 * DAY
IMPORT_KEPT_SECONDS = 7 * DAY  # the result
IMPORT_ALIVE_MS = 30_000  # without a sign of the importing process: the import has ended
ACTIONS_SECONDS = 10 * MINUTE  # window of the proof of work

UPDATE_POST_COUNT_JOB = "threads.update_post_count"  # sends the number of comments to a post

UP, DOWN = 1, -1  # scores of voters

HOT_SECONDS = 45_000

APPLY_BAN_JOB = "threads.apply_ban"
MAIL_USER_JOB = "threads.mail_user"
MAIL_FOLLOWERS_JOB = "threads.mail_followers"
MOVE_PAGE_JOB = "threads.move_page"
MOVE_PAGES_JOB = "threads.move_pages"
MERGE_PAGE_JOB = "threads.merge_page"
ALERT_JOB = "threads.alert_moderators"


def creation(record: Record) -> int:
    return from_iso(record["created_at"])

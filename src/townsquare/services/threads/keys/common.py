"""What the keys of the threads service share: keyspace, parts, homes, and constants, which Lua reads too."""

from typing import Annotated

from townsquare.keyspace import DAY, HOUR, MINUTE, Keyspace, Matching, carried_by

threads = Keyspace("threads", "Comments on any page of any site: votes, moderation, notifications, live.")

SEED = "003"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{9}[0-3][0-9a-f]{2}"
SITE_ID = PAGE_ID = COMMENT_ID = Matching(UUID)
USER_ID = Matching(rf"usr_[0-9a-f]{{29}}[0-3][0-9a-f]{{2}}|{UUID}")  # of an account, or of a site's own user

SiteId = Annotated[str, SITE_ID]
PageId = Annotated[str, PAGE_ID]
CommentId = Annotated[str, COMMENT_ID]
UserId = Annotated[str, USER_ID]
Month = Annotated[str, Matching(r"\d{4}-\d{2}")]

SITE_HOME = carried_by("site_id")
PAGE_HOME = carried_by("page_id")
COMMENT_HOME = carried_by("comment_id")  # its page's: the id of a comment is minted in the bucket of its page
USER_HOME = carried_by("user_id")

DEEPEST = 100  # replies to replies to …
EDITS_KEPT = 20  # former texts of one comment
HIDDEN_READ = 100  # of one page, that are merged into what a reader who may see them is shown
VOTES_READ = 1_000  # comments of one page, in one answer about one's votes
PINNED = 10  # comments of one page
NOTIFICATIONS_KEPT = 500
EVENTS_KEPT = 1_000  # live events of one page for clients that reconnect: about 250 kB
EVENTS_SECONDS = HOUR
SAID_KEPT = 50  # texts of one author, that another is compared with
SAID_SECONDS = HOUR
LOG_KEPT = 10_000  # entries of a site's moderation log
BANS_LISTED = 1_000
BLOCKS = 1_000  # people whose comments one reader does not want to see
MAIL_WAITS_MS = 5 * MINUTE * 1000  # what comes within it is one mail
MAILED = 50  # comments in one mail
FOLLOWS = 1_000  # pages that one user gets mail of
ALERT_LINK_SECONDS = 7 * DAY
UPVOTES_MS = HOUR * 1000  # upvotes of one comment within it are one notification
TYPING_MS = 5_000
TYPING_TOLD_MS = 1_000  # somebody who goes on typing is told again after that
TYPING_SHOWN = 20  # of those who type at once
PRESENCE_MS = 20_000  # without a word of a process, which speaks and looks every ten: gone within 30 s
APIKEY_SECONDS = 5 * MINUTE
VIEW_SECONDS = 30 * MINUTE  # the same visitor on the same page counts again after that
USAGE_SECONDS = 90 * DAY
IMPORT_KEPT_SECONDS = 7 * DAY  # what became of it
IMPORT_ALIVE_MS = 30_000  # without a word of the process that works on it: it has ended
ACTIONS_SECONDS = 10 * MINUTE  # in which somebody unknown writes so often that work is asked for

TELL_POST_JOB = "threads.tell_post"  # how many comments a post of the community has now

UP, DOWN = 1, -1  # scores of those who have voted

HOT_SECONDS = 45_000

APPLY_BAN_JOB = "threads.apply_ban"
MAIL_USER_JOB = "threads.mail_user"
MAIL_FOLLOWERS_JOB = "threads.mail_followers"
MOVE_PAGE_JOB = "threads.move_page"
MOVE_PAGES_JOB = "threads.move_pages"
MERGE_PAGE_JOB = "threads.merge_page"
ALERT_JOB = "threads.alert_moderators"

"""Errors of the threads service. The codes are stable."""

from townsquare.problems import Conflict, Forbidden, Invalid, NotFound, TooManyRequests, Unauthorized
from townsquare.services.accounts.mails import BadMailLink as BadMailLink
from townsquare.services.accounts.problems import BadNotification as BadNotification

SiteNotFound = NotFound.declare("site_not_found", "There is no such site")
BadApiKey = Unauthorized.declare("bad_api_key", "The API key is not valid")
OriginNotAllowed = Forbidden.declare("origin_not_allowed", "This origin is not allowed to use the API key")
OtherSite = Forbidden.declare("other_site", "This belongs to another site")
ModeratorsOnly = Forbidden.declare("moderators_only", "Only moderators of this site may do this")
AdminsOnly = Forbidden.declare("admins_only", "Only administrators of this site may do this")
CommentNotFound = NotFound.declare("comment_not_found", "There is no such comment")
PageNotFound = NotFound.declare("page_not_found", "There is no such page")
CommenterNotFound = NotFound.declare("commenter_not_found", "There is no such commenter")
BadComment = Invalid.declare("bad_comment", "A comment has 1 to 10,000 visible characters")
BadPage = Invalid.declare("bad_page", "Identify the page by its URL, or by a page_key")
BadSite = Invalid.declare("bad_site", "A site needs a valid name and domain")
BadSettings = Invalid.declare("bad_settings", "A setting of the site is not valid")
NotYourComment = Forbidden.declare("not_your_comment", "Only the author of the comment may do this")
TooLateToChange = Conflict.declare("too_late_to_change", "The comment can no longer be edited")
PostingClosed = Forbidden.declare("posting_closed", "Comments are closed here")
Banned = Forbidden.declare("banned", "You cannot write on this site")
SignInToComment = Forbidden.declare("sign_in_to_comment", "This site requires another way to sign in")
VerifyFirst = Forbidden.declare("verify_first", "Confirm your address before you write on this site")
RefusedAsSpam = Forbidden.declare("refused_as_spam", "This comment was not accepted")
TooManyPinned = Conflict.declare("too_many_pinned", "This page has the maximum number of pinned comments")
CannotBanModerator = Conflict.declare(
    "cannot_ban_moderator", "A moderator cannot be banned: remove the role first"
)
BadReportDetails = Invalid.declare(
    "bad_report_details", "The details of a report have at most 1,000 characters"
)
TooManyPages = Conflict.declare("too_many_pages", "At most ten pages at once: unsubscribe from one first")
NotSubscribed = Conflict.declare("not_subscribed", "Subscribe to the page first")
TypingIsOff = Forbidden.declare("typing_is_off", "This site does not show who is typing")
TooManyLiveConnections = TooManyRequests.declare(
    "too_many_live_connections", "No live connection is free: poll /threads/v1/pages/events"
)
BadCommenter = Invalid.declare("bad_commenter", "The name or picture of the commenter is not valid")
NotYourName = Forbidden.declare("not_your_name", "The site that signed you in sets your name")
NotYourAccount = Forbidden.declare(
    "account_page_only", "A token of a site cannot delete an account; use /accounts/account"
)
BadBanEnd = Invalid.declare("bad_ban_end", "A ban ends in the future, within a hundred years, or never")
TooManyBlocks = Conflict.declare("too_many_blocks", "You have blocked the maximum number of users")
CannotBlockYourself = Invalid.declare("cannot_block_yourself", "You cannot block yourself")
TooManyFollows = Conflict.declare("too_many_follows", "You follow the maximum number of pages")
ImportRunning = Conflict.declare("import_running", "Another file is being imported into this site")
TooManyImports = TooManyRequests.declare("too_many_imports", "The server is importing other files")
ImportNotFound = NotFound.declare("import_not_found", "No file was imported recently")
PageMerging = Conflict.declare(
    "page_merging", "The page is being merged with another one; try again in a moment"
)
SiteMerging = Conflict.declare(
    "site_merging", "Pages of this site are being merged; export again when that is done"
)
PageTaken = Conflict.declare("page_taken", "The new URL already has comments")


class BanChanged(Conflict):
    """A moderator changed a ban between the read and the write: the operation runs again."""

    code, title = "ban_changed", "A moderator changed the ban at the same time, try again"


class NameRequired(Invalid):
    """ThreadKit's client searches the title for these words."""

    code, title = "name_required", "Name required"


class ProofRequired(Forbidden):
    """The client solves `extra["challenge"]` and sends the solution with the same request."""

    code, title = "proof_required", "Solve the challenge and send the solution as `proof`"


class PageMoved(Conflict):
    """The detail is the id of the page that remains: the operation runs there."""

    code, title = "page_moved", "The page has moved"

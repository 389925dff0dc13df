"""Errors of the threads service. The codes are stable."""

from townsquare.problems import Conflict, Forbidden, Invalid, NotFound, TooManyRequests, Unauthorized


class SiteNotFound(NotFound):
    code, title = "site_not_found", "There is no such site"


class BadApiKey(Unauthorized):
    code, title = "bad_api_key", "The API key is not valid"


class OriginNotAllowed(Forbidden):
    code, title = "origin_not_allowed", "This origin is not allowed to use the API key"


class OtherSite(Forbidden):
    code, title = "other_site", "This belongs to another site"


class ModeratorsOnly(Forbidden):
    code, title = "moderators_only", "Only moderators of this site may do this"


class AdminsOnly(Forbidden):
    code, title = "admins_only", "Only administrators of this site may do this"


class CommentNotFound(NotFound):
    code, title = "comment_not_found", "There is no such comment"


class PageNotFound(NotFound):
    code, title = "page_not_found", "There is no such page"


class CommenterNotFound(NotFound):
    code, title = "commenter_not_found", "There is no such commenter"


class BadComment(Invalid):
    code, title = "bad_comment", "A comment has 1 to 10,000 visible characters"


class BadPage(Invalid):
    code, title = "bad_page", "Identify the page by its URL, or by a page_key"


class BadSite(Invalid):
    code, title = "bad_site", "A site needs a valid name and domain"


class BadSettings(Invalid):
    code, title = "bad_settings", "A setting of the site is not valid"


class NotYourComment(Forbidden):
    code, title = "not_your_comment", "Only the author of the comment may do this"


class TooLateToChange(Conflict):
    code, title = "too_late_to_change", "The comment can no longer be edited"


class PostingClosed(Forbidden):
    code, title = "posting_closed", "Comments are closed here"


class Banned(Forbidden):
    code, title = "banned", "You cannot write on this site"


class BanChanged(Conflict):
    """A moderator changed a ban between the read and the write: the operation runs again."""

    code, title = "ban_changed", "A moderator changed the ban at the same time, try again"


class SignInToComment(Forbidden):
    code, title = "sign_in_to_comment", "This site requires another way to sign in"


class VerifyFirst(Forbidden):
    code, title = "verify_first", "Confirm your address before you write on this site"


class RefusedAsSpam(Forbidden):
    code, title = "refused_as_spam", "This comment was not accepted"


class TooManyPinned(Conflict):
    code, title = "too_many_pinned", "This page has the maximum number of pinned comments"


class CannotBanModerator(Conflict):
    code, title = "cannot_ban_moderator", "A moderator cannot be banned: remove the role first"


class BadReportDetails(Invalid):
    code, title = "bad_report_details", "The details of a report have at most 1,000 characters"


class TooManyPages(Conflict):
    code, title = "too_many_pages", "At most ten pages at once: unsubscribe from one first"


class NotSubscribed(Conflict):
    code, title = "not_subscribed", "Subscribe to the page first"


class TypingIsOff(Forbidden):
    code, title = "typing_is_off", "This site does not show who is typing"


class TooManyLiveConnections(TooManyRequests):
    code, title = "too_many_live_connections", "No live connection is free: poll /threads/v1/pages/events"


class BadCommenter(Invalid):
    code, title = "bad_commenter", "The name or picture of the commenter is not valid"


class NotYourName(Forbidden):
    code, title = "not_your_name", "The site that signed you in sets your name"


class NotYourAccount(Forbidden):
    code, title = "account_page_only", "A token of a site cannot delete an account; use /accounts/account"


class NameRequired(Invalid):
    """ThreadKit's client searches the title for these words."""

    code, title = "name_required", "Name required"


class BadBanEnd(Invalid):
    code, title = "bad_ban_end", "A ban ends in the future, within a hundred years, or never"


class BadNotification(Invalid):
    code, title = "bad_notification", "Pass the ids of at most 100 notifications, or all"


class TooManyBlocks(Conflict):
    code, title = "too_many_blocks", "You have blocked the maximum number of users"


class CannotBlockYourself(Invalid):
    code, title = "cannot_block_yourself", "You cannot block yourself"


class ProofRequired(Forbidden):
    """The client solves `extra["challenge"]` and sends the solution with the same request."""

    code, title = "proof_required", "Solve the challenge and send the solution as `proof`"


class TooManyFollows(Conflict):
    code, title = "too_many_follows", "You follow the maximum number of pages"


class BadMailLink(NotFound):
    code, title = "bad_mail_link", "This link is not valid, or was used before"


class PageMoved(Conflict):
    """The detail is the id of the page that remains: the operation runs there."""

    code, title = "page_moved", "The page has moved"


class ImportRunning(Conflict):
    code, title = "import_running", "Another file is being imported into this site"


class TooManyImports(TooManyRequests):
    code, title = "too_many_imports", "The server is importing other files"


class ImportNotFound(NotFound):
    code, title = "import_not_found", "No file was imported recently"


class PageMerging(Conflict):
    code, title = "page_merging", "The page is being merged with another one; try again in a moment"


class SiteMerging(Conflict):
    code, title = "site_merging", "Pages of this site are being merged; export again when that is done"


class PageTaken(Conflict):
    code, title = "page_taken", "The new URL already has comments"

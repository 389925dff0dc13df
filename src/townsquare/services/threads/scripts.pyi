"""The Lua scripts of this service as typed structs; made by `scripts/generate` from `lua/*.lua`."""

from typing import Any

import msgspec

from townsquare.services.threads.script_types import AuthorState as AuthorState
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.scripts.deletion import DeletionShare

lua: LuaFolder

class BanStep(msgspec.Struct, array_like=True):
    found: bool
    shadowed: bool
    remove: bool
    reached: str

class PageMail(msgspec.Struct, array_like=True):
    ids: list[str]
    cursor: str

class OldKeys(msgspec.Struct, array_like=True):
    public: str
    secret_digest: str

class ViewCounted(msgspec.Struct, array_like=True):
    counted: bool
    total: int

class CommentCreated(msgspec.Struct, array_like=True):
    parent_id: str
    depth: int
    status: str

class ImportCounts(msgspec.Struct, array_like=True):
    created: int
    unchanged: int

class NotificationsRead(msgspec.Struct, array_like=True):
    changed: int
    unread: int

class ReportTaken(msgspec.Struct, array_like=True):
    changed: bool
    held: bool

class BanSet(msgspec.Struct, array_like=True):
    changed: bool
    job: str

class VoteCounts(msgspec.Struct, array_like=True):
    upvotes: int
    downvotes: int
    my_vote: str

class AddUsage(Script[None], kw_only=True):
    """Add the counts of one process to the usage of a site in a month."""

    site_id: str
    month: str
    counts: Any
    visitors: list[str]

class BeginBanStep(Script[BanStep], kw_only=True):
    """Begin a step of the job that applies a ban: whether comments are hidden or removed, and how far the job is."""

    site_id: str
    user_id: str
    job: str
    mark: str

class BeginImport(Script[None], kw_only=True):
    """Begin an import into a site. Refused while another import runs."""

    site_id: str
    state: str
    now: int | None = None

class BeginPageMail(Script[PageMail], kw_only=True):
    """Begin or continue the job that queues mail to the followers of a page: which comments, and how far the job is. Returns nothing if no comment is left."""

    page_id: str
    job: str

class BlockUser(Script[bool], kw_only=True):
    """Hide the comments of another user from a reader."""

    user_id: str
    other_id: str

class ChangeSite(Script[OldKeys], kw_only=True):
    """Change the settings, name, domain or keys of a site, if the settings are still those that were read."""

    site_id: str
    before: str
    name: str | None = None
    domain: str | None = None
    settings: str | None = None
    public: str | None = None
    secret_digest: str | None = None

class ClosePage(Script[bool], kw_only=True):
    """Close a page for comments, or open it again."""

    page_id: str
    site_id: str
    closed: bool
    entry: str
    now: int | None = None

class CountRequest(Script[int], kw_only=True):
    """Count a request in the current minute."""

    type: str
    id: str
    time_bucket: int
    seconds: int

class CountView(Script[ViewCounted], kw_only=True):
    """Count one view of a page, once per visitor and half an hour."""

    page_id: str
    visitor: str
    day: str

class CreateComment(Script[CommentCreated], kw_only=True):
    """Write a comment: its record, its page if this is the first comment there, all lists, and the live message. A reply below the deepest level becomes a sibling of the comment that it answers. A reply to a held comment is held. A comment that was redirected from a merged page does not change the URL and title of this page."""

    page_id: str
    comment_id: str
    site_id: str
    page_url: str
    page_key: str
    title: str | None = None
    redirected: bool
    post_id: str | None = None
    author_id: str
    parent_id: str | None = None
    content: str
    content_html: str
    fingerprint: str
    status: str
    owner: str | None = None
    shadow: bool
    shadowed: bool
    sees_hidden: bool
    reasons: str | None = None
    mentions: str | None = None
    max_depth: int
    close_before: int
    created_at: str
    now: int | None = None

class CreateSite(Script[None], kw_only=True):
    """Create a site with its two keys."""

    site_id: str
    name: str
    domain: str
    public: str
    secret_digest: str
    settings: str
    admin_id: str | None = None
    created_at: str
    now: int | None = None

class DeleteComment(Script[DeletionShare], kw_only=True):
    """Delete a comment with everything of its own, as its page is deleted. Its author and the users who were notified of it lose their notifications of it."""

    comment_id: str
    job: str
    begin: bool
    chunk: int
    now: int | None = None

class DismissReport(Script[bool], kw_only=True):
    """A moderator closes a report without changing the comment."""

    comment_id: str
    site_id: str
    reporter_id: str
    entry: str
    now: int | None = None

class EditComment(Script[None], kw_only=True):
    """Replace the text of a comment, by its author while the site allows it, or by a moderator. The old text goes to the history."""

    comment_id: str
    user_id: str | None = None
    content: str
    content_html: str
    fingerprint: str
    status: str | None = None
    reasons: str | None = None
    mentions: str | None = None
    edit_ms: int
    updated_at: str
    entry: str | None = None
    now: int | None = None

class EndBanStep(Script[None], kw_only=True):
    """End a step of the job that applies a ban: done up to `reached`, or without it completely. If a moderator has changed the ban since the step began, its mark is gone and the next step starts from the first comment."""

    site_id: str
    user_id: str
    job: str
    mark: str
    reached: str | None = None

class EndMerge(Script[None], kw_only=True):
    """End the merge of a page, when all its comments have moved. Only the pointer to the other page remains."""

    page_id: str
    into_id: str
    job: str
    days: list[str]

class EndMoveStep(Script[None], kw_only=True):
    """End a step of the job that updates the URL in comments: done up to `reached`, or without it completely. If the page has moved again since, the job starts over."""

    page_id: str
    job: str
    url: str
    reached: str | None = None

class EndMovesStep(Script[None], kw_only=True):
    """End a step of the job that moves pages: done up to `reached`, or without it completely."""

    site_id: str
    job: str
    reached: str | None = None

class EndPageMail(Script[None], kw_only=True):
    """End a step of the job that queues mail to followers: done up to this cursor; 0 means completely."""

    page_id: str
    job: str
    cursor: str

class EraseComment(Script[str | None], kw_only=True):
    """Delete a comment, by its author or by a moderator. It becomes a placeholder, which is listed if it has replies. The author loses the notifications of its upvotes, and is notified of the action of a moderator."""

    comment_id: str
    user_id: str | None = None
    entry: str | None = None
    now: int | None = None

class FindDuplicates(Script[list[str]], kw_only=True):
    """Ids of a user's recent comments with the same text, the newest first."""

    user_id: str
    fingerprint: str

class FinishAlert(Script[None], kw_only=True):
    """Mark these comments as reported to the moderators, and schedule an alert for newer ones."""

    site_id: str
    job: str
    ids: list[str]
    minutes: int
    now: int | None = None

class FinishMail(Script[None], kw_only=True):
    """Remove comments that are being mailed to a user from the queue. If none are left, end the job."""

    user_id: str
    job: str
    ids: list[str]

class FinishPostCount(Script[bool], kw_only=True):
    """End the job that sends the number of comments to a post, unless the number has changed since."""

    page_id: str
    count: int

class FollowMergedPage(Script[None], kw_only=True):
    """Replace a merged page by the page that remains, among the pages that a user follows."""

    user_id: str
    page_id: str
    into_id: str

class FollowPage(Script[bool], kw_only=True):
    """Send a user mail about new comments on a page."""

    user_id: str
    page_id: str
    site_id: str

class ForgetUserAtSite(Script[None], kw_only=True):
    """Remove a deleted user from the roles and bans of a site, and the user's id from its log."""

    site_id: str
    user_id: str

class ImportComments(Script[ImportCounts], kw_only=True):
    """Import comments of one page, parents before their replies. An existing comment stays as it is. A reply below the deepest level becomes a sibling of the comment that it answers; a reply without its parent becomes a root. No notifications are sent."""

    page_id: str
    site_id: str
    page_url: str
    page_key: str
    title: str | None = None
    created_at: str
    opened_at: int
    comments: Any

class MergePage(Script[str], kw_only=True):
    """Merge a page into another one. Its URL leads there from now on. A job moves its comments."""

    page_id: str
    site_id: str
    into_id: str
    job: str
    entry: str
    now: int | None = None

class MoveComment(Script[None], kw_only=True):
    """Move a comment with its votes to the page that its own page is merged into, and leave a pointer. Many votes move in several steps; until the last step the comment stays in the list of all comments."""

    page_id: str
    comment_id: str
    job: str
    into_id: str
    new_id: str
    parent_id: str | None = None
    answers: str | None = None
    votes_share: int
    now: int | None = None

class MovePage(Script[str], kw_only=True):
    """Change the URL of a page. The old URL still works. A job updates the comments."""

    page_id: str
    site_id: str
    new_id: str
    url: str
    job: str
    entry: str
    now: int | None = None

class MovePages(Script[None], kw_only=True):
    """Start a job that changes a prefix of the URLs of all pages of a site."""

    site_id: str
    old: str
    new: str
    job: str
    entry: str
    now: int | None = None

class PinComment(Script[int], kw_only=True):
    """Pin a comment to the top of its page, or unpin it."""

    comment_id: str
    site_id: str
    pinned: bool
    entry: str
    now: int | None = None

class QueueMails(Script[None], kw_only=True):
    """Add comments to the next mail to a user."""

    user_id: str
    ids: list[str]
    now: int | None = None

class ReadAncestors(Script[list[Any]], kw_only=True):
    """A comment and those that it answers, up to its root, in one step."""

    comment_id: str

class ReadAuthorState(Script[AuthorState], kw_only=True):
    """Whether a user is banned or shadow-banned on a site, and the user's recent comments with the same text."""

    site_id: str
    user_id: str
    fingerprint: str
    now: int | None = None

class ReadEvents(Script[list[Any]], kw_only=True):
    """The live events of a page after an event, the newest event, and the event since which the stream is complete. A page without recent events has the moment before this one as its newest event."""

    page_id: str
    after: str | None = None

class ReadMyVotes(Script[list[Any]], kw_only=True):
    """How a user has voted on the newest comments of a page, those that only the user sees included."""

    page_id: str
    user_id: str
    site_id: str

class ReadNotifications(Script[NotificationsRead], kw_only=True):
    """Mark notifications as read, of one site or of all: those that are named, or with none named all."""

    user_id: str
    site_id: str | None = None
    ids: list[str]

class ReadThread(Script[list[Any]], kw_only=True):
    """The ids of part of a thread in one step: root comments in one order after a cursor, replies below them to a depth, and the hidden comments that this reader may see. At most `budget` comments."""

    page_id: str
    order: str
    down: bool
    score: float | None = None
    member: str | None = None
    count: int
    depth: int
    replies: int
    replies_down: bool
    budget: int
    user_id: str | None = None
    sees_hidden: bool
    root: str | None = None

class ReportComment(Script[ReportTaken], kw_only=True):
    """Report a comment to the moderators, once per user. After `hold_after` reports the comment is held."""

    comment_id: str
    site_id: str
    user_id: str
    report: str
    hold_after: int
    now: int | None = None

class SaveImportState(Script[None], kw_only=True):
    """Store the progress of an import, unless another import has begun since."""

    site_id: str
    id: str
    state: str

class SaveUser(Script[bool], kw_only=True):
    """Save the record of a commenter, from the account or from a site. Karma and bans do not change."""

    user_id: str
    fields: Any
    create: bool
    created_at: str

class SetBan(Script[BanSet], kw_only=True):
    """Ban a user from a site, or end a ban: until a time or permanently, openly or as a shadow ban. A job applies the ban to the user's existing comments."""

    site_id: str
    user_id: str
    kind: str
    banned: bool
    until_ms: int | None = None
    remove: bool
    job: str
    entry: str
    now: int | None = None

class SetPageUrl(Script[None], kw_only=True):
    """Set the URL of the page in a comment."""

    comment_id: str
    url: str

class SetPresence(Script[bool], kw_only=True):
    """Store the users that a process has on a page. Remove users of crashed processes and expired typing signals; without a process, do only that."""

    page_id: str
    process: str | None = None
    users: list[str]
    now: int | None = None

class SetShadow(Script[bool], kw_only=True):
    """Hide a comment from everyone except its author and moderators, or show it again."""

    comment_id: str
    site_id: str
    shadow: bool

class SetSiteRole(Script[bool], kw_only=True):
    """Make a user administrator or moderator of a site, or neither."""

    site_id: str
    user_id: str
    role: str

class SetStatus(Script[bool], kw_only=True):
    """A moderator approves or rejects a comment, or sends it back to the queue. This closes its reports."""

    comment_id: str
    site_id: str
    status: str
    entry: str
    at: str
    now: int | None = None

class SetTyping(Script[None], kw_only=True):
    """A user types on a page, perhaps a reply, or has stopped. The message lists all who type now."""

    page_id: str
    user_id: str
    typing: bool
    reply_to: str | None = None
    now: int | None = None

class UnblockUser(Script[bool], kw_only=True):
    """Show the comments of a blocked user again."""

    user_id: str
    other_id: str

class UnfollowPage(Script[bool], kw_only=True):
    """Send a user no more mail about a page."""

    user_id: str
    page_id: str

class VoteComment(Script[VoteCounts], kw_only=True):
    """Vote on a comment. The same vote again removes it; the opposite vote replaces it."""

    comment_id: str
    user_id: str
    site_id: str
    direction: str
    notify_author: bool
    at: str
    now: int | None = None

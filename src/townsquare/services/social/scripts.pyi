"""The Lua scripts of this service as typed structs; made by `scripts/generate` from `lua/*.lua`."""

from typing import Any

import msgspec

from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.scripts.deletion import DeletionShare

lua: LuaFolder

class HomeBegun(msgspec.Struct, array_like=True):
    begun: bool
    followed: list[str]

class RefreshTaken(msgspec.Struct, array_like=True):
    reached: str
    role: str | None
    display_name: str | None
    avatar: str | None

class ProfileChanged(msgspec.Struct, array_like=True):
    job: str
    posts: int

class PostCreated(msgspec.Struct, array_like=True):
    avatar: str | None
    display_name: str | None
    role: str

class Changed(msgspec.Struct, array_like=True):
    changed: bool
    count: int

class ProfileSeen(msgspec.Struct, array_like=True):
    follows: bool
    blocks: bool
    mutes: bool

class ActivateRenamedUser(Script[None], kw_only=True):
    """Open the profile under the new name: from now on the user can act again. `fields` are those of the old profile, names and values in turn."""

    username: str
    job: str
    role: str
    created_at: int
    fields: list[str]
    rank: int

class BanPost(Script[bool], kw_only=True):
    """Ban a post: it leaves every feed and count and keeps who liked and bookmarked it."""

    id: str
    moderator: str | None = None
    now: int | None = None

class BeginHomeFeed(Script[HomeBegun], kw_only=True):
    """Begin to build a home feed. From now on new posts are pushed into it. Answers `begun` 0 if another reader has begun and may still be at it."""

    username: str
    token: str
    now: int | None = None

class BeginRefreshStep(Script[RefreshTaken], kw_only=True):
    """Begin a step of a refresh: what to copy into posts, and how far the job has come. `refreshed_to` gets a mark of this step. A change of the profile or of the author's list removes the mark, and the step then does not count."""

    username: str
    job: str
    mark: str

class BeginRename(Script[None], kw_only=True):
    """Close the old name of a user for writes. Until the profile is open under the new name, the user can act under neither; readers see what is still under the old one."""

    username: str
    new: str
    job: str

class BlockOrMuteUser(Script[bool], kw_only=True):
    """Block or mute somebody. A block ends follows in both directions."""

    username: str
    other: str
    kind: str
    now: int | None = None

class CancelRename(Script[None], kw_only=True):
    """Free a reserved name: there is nobody to rename, or it was not allowed."""

    username: str
    job: str

class ChangePostAuthor(Script[None], kw_only=True):
    """Move a post to the new name of its author."""

    id: str
    username: str
    new: str
    now: int | None = None

class ChangeProfile(Script[ProfileChanged], kw_only=True):
    """Change fields of a profile; `set` are names and values in turn, `removed` are names. What posts copy of it is brought to them by a job. A job that runs already begins again, because `refreshed_to` is no longer what its step has put there."""

    username: str
    set: list[str]
    removed: list[str]
    role: str | None = None
    job: str
    now: int | None = None

class CorrectTrends(Script[None], kw_only=True):
    """Counts of trending tags that were found to have fallen. One that changed since it was seen is left alone."""

    tags: list[str]
    seen: list[int]
    counts: list[int]

class CreatePost(Script[PostCreated], kw_only=True):
    """Write a post: the record with a copy of its author, the author's list, every feed it belongs to."""

    username: str
    id: str
    content: str
    media_url: str | None = None
    media_alt: str | None = None
    hashtags: list[str]
    now: int | None = None

class DeletePost(Script[DeletionShare], kw_only=True):
    """Delete a post with everything of its own: gone for everybody at once, and a job takes back what is left with others. It leaves feeds, tags and its author's lists as a banned post does."""

    id: str
    username: str | None = None
    job: str
    begin: bool
    chunk: int
    now: int | None = None

class DeleteUser(Script[DeletionShare], kw_only=True):
    """Delete a user: invisible at once; a job removes the entries in lists of other users. A deletion that is in progress continues. A user who is being renamed cannot be deleted."""

    username: str
    job: str
    begin: bool
    chunk: int
    now: int | None = None

class EditPost(Script[None], kw_only=True):
    """Change the text or the picture of a post. Omitted values stay. A change without a difference is not an edit."""

    id: str
    username: str
    content: str | None = None
    hashtags: list[str]
    media_url: str | None = None
    media_alt: str | None = None
    drop_media: bool
    now: int | None = None

class EndRefreshStep(Script[None], kw_only=True):
    """End a step of a refresh: posts up to `reached` are refreshed, or all of them. If the mark of the step is not in the profile any more, something has changed since it began and the next step starts from the first post."""

    username: str
    job: str
    mark: str
    reached: str
    finished: bool

class FillHomeFeed(Script[bool], kw_only=True):
    """Add merged posts to a home feed: the newest ones, or, if `since` names the oldest post that is in it, the next older ones. Does nothing if the feed was begun again or another reader has added that part."""

    username: str
    token: str
    since: str
    posts: list[str]
    floor: int
    floor_id: str
    complete: bool
    big: str

class FinishRename(Script[None], kw_only=True):
    """End a rename: everything is under the new name. The copies of the profile in posts are refreshed once more, since it may have changed meanwhile. The old name may be somebody else's by now, or lead here (`redirected`)."""

    username: str
    old: str
    redirected: bool
    job: str
    refresh: str
    now: int | None = None

class FollowUser(Script[Changed], kw_only=True):
    """Follow somebody."""

    username: str
    other: str
    limit: int
    now: int | None = None

class ImportFollows(Script[list[str]], kw_only=True):
    """Follows of one user that were made elsewhere, at the times that they were made."""

    username: str
    others: list[str]
    times: list[int]
    limit: int

class ImportLikes(Script[list[str]], kw_only=True):
    """Likes of one post that were given elsewhere, at the times that they were given."""

    id: str
    usernames: list[str]
    times: list[int]
    now: int | None = None

class ImportPost(Script[str], kw_only=True):
    """Write a post that was written elsewhere, with the id and the time that it has there."""

    id: str
    username: str
    content: str
    media_url: str | None = None
    hashtags: list[str]
    created_at: int
    now: int | None = None

class LikeOrBookmarkPost(Script[Changed], kw_only=True):
    """Like or bookmark a post."""

    id: str
    username: str
    kind: str
    now: int | None = None

class RankTag(Script[list[Any]], kw_only=True):
    """A page of the ranked posts of a tag, without those that have lost the tag since they were scored, with the viewer's state. A reader comes with `scored`, the moment of the order that the page before was from, and goes on in it while it is kept. Others get the newest order, made again if it is too old: they begin after the post that ended the page before (`after`), or, if that is not in it, where it stood (`position`)."""

    tag: str
    viewer: str | None = None
    now: int | None = None
    scored: int | None = None
    after: str | None = None
    position: int
    count: int

class ReadBookmarks(Script[list[Any]], kw_only=True):
    """A page of a user's bookmarks, the latest first, with the user's state."""

    username: str
    score: float | None = None
    member: str | None = None
    count: int

class ReadExplore(Script[list[Any]], kw_only=True):
    """A page of all posts, the newest first, with the viewer's state."""

    viewer: str | None = None
    score: float | None = None
    member: str | None = None
    count: int

class ReadHashtag(Script[list[Any]], kw_only=True):
    """A page of the posts of a hashtag, the newest first, with the viewer's state."""

    tag: str
    viewer: str | None = None
    score: float | None = None
    member: str | None = None
    count: int

class ReadHomeFeed(Script[list[Any]], kw_only=True):
    """Read a page of a home feed that is built and not expired: posts older than `before`, with the user's state."""

    username: str
    before: int | None = None
    before_id: str | None = None
    count: int
    now: int | None = None

class ReadNotices(Script[int], kw_only=True):
    """Mark notifications as read: those that are named, or with none named all."""

    username: str
    named: list[str]

class ReadUserPosts(Script[list[Any]], kw_only=True):
    """A page of a user's posts, the newest first, with the viewer's state."""

    username: str
    viewer: str | None = None
    score: float | None = None
    member: str | None = None
    count: int

class ReadViewerState(Script[list[Any]], kw_only=True):
    """The viewer's likes and bookmarks among posts: see `viewer_state_of`."""

    viewer: str
    ids: list[str]

class RedirectOldName(Script[int], kw_only=True):
    """Replace the old name by a redirect to the new one, once nothing is under it. Answers how much is left."""

    username: str
    new: str
    job: str

class RefreshPost(Script[None], kw_only=True):
    """Copy into a post what it shows of its author."""

    id: str
    display_name: str | None = None
    avatar: str | None = None
    role: str

class RegisterUser(Script[None], kw_only=True):
    """Make a profile. `fields` are names and values in turn; `rank` is the place of the name in the alphabet."""

    username: str
    role: str
    fields: list[str]
    rank: int
    now: int | None = None

class RenameUserChunk(Script[int], kw_only=True):
    """Move one chunk to a new name: up to `chunk` of what the user did (`own`: likes, follows, …), or of what others did with the user (followers, blocks, …)."""

    username: str
    new: str
    job: str
    own: bool
    chunk: int
    now: int | None = None

class ReportPost(Script[bool], kw_only=True):
    """Report a post to the moderators, once per user."""

    id: str
    username: str
    reason: str
    now: int | None = None

class ReserveName(Script[None], kw_only=True):
    """Reserve the new name of a user who is renamed, and start the job that does it."""

    username: str
    old: str
    account: str | None = None
    job: str
    now: int | None = None

class RewritePost(Script[bool], kw_only=True):
    """Give a post the text and the picture that it has elsewhere, however old it is."""

    id: str
    username: str
    content: str
    media_url: str | None = None
    hashtags: list[str]
    now: int | None = None

class SetComments(Script[bool], kw_only=True):
    """How many comments a post has, as the threads service counts them."""

    id: str
    count: int
    now: int | None = None

class SetNoticesOff(Script[None], kw_only=True):
    """Copy the types of notifications that an account has turned off to its profile."""

    username: str
    account: str
    off: str | None = None

class UnbanPost(Script[bool], kw_only=True):
    """Bring a banned post back, whole."""

    id: str
    now: int | None = None

class UnblockOrUnmuteUser(Script[bool], kw_only=True):
    """Stop blocking or muting somebody."""

    username: str
    other: str
    kind: str

class UnfollowUser(Script[Changed], kw_only=True):
    """Stop following somebody."""

    username: str
    other: str

class UnlikeOrUnbookmarkPost(Script[Changed], kw_only=True):
    """Remove a like or a bookmark, also from a banned post."""

    id: str
    username: str
    kind: str
    now: int | None = None

class ViewProfile(Script[ProfileSeen], kw_only=True):
    """Whether a viewer follows or mutes another user, and whether one of them blocks the other."""

    viewer: str
    username: str

class WriteFields(Script[list[int]], kw_only=True):
    """Change custom fields of a profile. `steps` are lists: HSET and names and values in turn, HDEL and names, HINCRBY and a name and a number, each of at most 200 words. All of them are possible, or none is done. A step that is not possible is named by its place in the list. With `dry_run` nothing is written."""

    username: str
    steps: Any
    dry_run: bool

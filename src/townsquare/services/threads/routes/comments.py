"""`/threads/v1/comments`: read, write, edit, delete, vote, pin and report comments."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Content, Limit, by_user
from townsquare.kit.files import tagged
from townsquare.kit.paging import PageSize
from townsquare.problems import BadCursor, Unauthorized
from townsquare.services.threads import problems
from townsquare.services.threads.content import CONTENT_LENGTH
from townsquare.services.threads.models import comments as models
from townsquare.services.threads.models.sites import Sort
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.routes.access import SiteAccess, site_of, site_routes, viewer_of
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.reading import Depth
from townsquare.services.threads.spam import Submission

EDIT = Limit("edit_comment", 20, 60, key=by_user)
VOTE = Limit("vote", 120, 60, key=by_user)
ACCESS = (problems.BadApiKey, problems.OriginNotAllowed)
COMMENT_LIST_CACHE = "private, no-cache"
MOST_PAGES = 100  # in one request for counts

CommentId = Annotated[str, Meta(examples=["2f6d1c9e-0b7a-4c3d-8e5f-6a7b8c9d01c7"])]
PageUrl = Annotated[
    str | None, Meta(description="URL of the page, or a path on the site", examples=["/hello"])
]
PageKey = Annotated[
    str | None, Meta(description="a name that the site has chosen for the page, instead of its URL")
]
SiteKey = Annotated[str | None, Meta(description="the public key, if no header can be sent")]


class OfSite(msgspec.Struct, kw_only=True):
    site: SiteKey = None


class OfPage(OfSite, kw_only=True):
    page_url: PageUrl = None
    page_key: PageKey = None


class ThreadQuery(OfPage, kw_only=True):
    sort: Sort | None = None
    limit: PageSize = 20
    cursor: str | None = None
    depth: Depth = 3


class OfComment(OfSite, kw_only=True):
    id: CommentId


class CommentQuery(OfComment, kw_only=True):
    sort: Sort | None = None


class RepliesQuery(OfComment, kw_only=True):
    sort: Sort = "old"
    limit: PageSize = 20
    cursor: str | None = None
    depth: Depth = 3


class CommentInput(msgspec.Struct, kw_only=True):
    content: Annotated[str, Meta(description=f"Markdown, 1 to {CONTENT_LENGTH:,} characters")]
    page_url: PageUrl = None
    page_key: PageKey = None
    parent_id: str | None = None
    title: Annotated[str | None, Meta(description="of the page")] = None
    website: Annotated[str, Meta(description="a hidden field: leave it empty")] = ""
    elapsed_ms: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    turnstile: Annotated[str, Meta(max_length=4_096, description="the token of the Turnstile check")] = ""
    proof: Annotated[str, Meta(max_length=300, description="the solution of a challenge")] | None = None


class CommentEditInput(msgspec.Struct, kw_only=True):
    id: CommentId
    content: str
    as_moderator: bool = False


class CommentDeletionInput(msgspec.Struct, kw_only=True):
    id: CommentId
    as_moderator: bool = False


class VoteInput(msgspec.Struct, kw_only=True):
    id: CommentId
    direction: models.Direction


class PinInput(msgspec.Struct, kw_only=True):
    id: CommentId
    pinned: bool = True


class Pinned(msgspec.Struct, kw_only=True):
    pinned: bool
    pinned_at: int | None


class ReportInput(msgspec.Struct, kw_only=True):
    id: CommentId
    reason: models.Reason
    details: str | None = None


class CommentReported(msgspec.Struct, kw_only=True):
    reported: bool = True
    changed: bool


class Preview(msgspec.Struct, kw_only=True):
    content: str


class Previewed(msgspec.Struct, kw_only=True):
    content_html: str


class DeletedComment(msgspec.Struct, kw_only=True):
    id: str
    deleted: bool = True


def comment_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads, writes = site_routes(access, "/threads/v1")
    known = (*ACCESS, problems.CommentNotFound)
    written = (
        *known,
        Unauthorized,
        problems.BadComment,
        problems.BadPage,
        problems.Banned,
        problems.PostingClosed,
        problems.PageMerging,
        problems.ProofRequired,
        problems.RefusedAsSpam,
        problems.SignInToComment,
        problems.VerifyFirst,
        problems.CommenterNotFound,
    )

    @reads.get("/comments", output=models.CommentPage, errors=(*ACCESS, problems.BadPage, BadCursor))
    async def read_comments(call: Call, asked: ThreadQuery) -> Content:
        """Part of the comments of a page."""
        site = site_of(call)
        page = page_address(site, asked.page_url, asked.page_key)
        found = await threads.reading.thread_json(
            viewer_of(call),
            site.settings,
            page.id,
            sort=asked.sort,
            cursor=asked.cursor,
            limit=asked.limit,
            depth=asked.depth,
        )
        return tagged(call, found.body, "application/json", COMMENT_LIST_CACHE, tag=found.tag)

    @reads.get("/comments/{id}", errors=known)
    async def read_comment(call: Call, asked: CommentQuery) -> models.PlacedComment:
        """One comment, its ancestors, and the cursor of its position in the thread."""
        return await threads.reading.one(viewer_of(call), site_of(call).settings, asked.id, sort=asked.sort)

    @reads.get("/comments/{id}/replies", errors=(*known, BadCursor))
    async def read_replies(call: Call, asked: RepliesQuery) -> models.CommentPage:
        """Part of the replies to a comment."""
        return await threads.reading.replies(
            viewer_of(call),
            site_of(call).settings,
            asked.id,
            sort=asked.sort,
            cursor=asked.cursor,
            limit=asked.limit,
            depth=asked.depth,
        )

    async def created_comment(call: Call, given: CommentInput, id: str) -> models.NewComment:
        return await threads.reading.created(viewer_of(call), id)

    @writes.post("/comments", status=201, replay=created_comment, reads="first", errors=written)
    async def write_comment(call: Call, given: CommentInput) -> models.NewComment:
        """Write a comment, or a reply. If the rules of the site hold it, its status is `pending`."""
        site = site_of(call)
        return await threads.comments.create(
            viewer_of(call),
            site,
            page_address(site, given.page_url, given.page_key),
            given.content,
            parent_id=given.parent_id,
            title=given.title,
            submission=Submission(
                honeypot=given.website,
                elapsed_ms=given.elapsed_ms,
                turnstile=given.turnstile,
                proof=given.proof,
                ip=call.ip,
                user_agent=call.user_agent,
            ),
        )

    @writes.patch(
        "/comments/{id}",
        limit=EDIT,
        errors=(*written, problems.NotYourComment, problems.TooLateToChange, problems.ModeratorsOnly),
    )
    async def edit_comment(call: Call, given: CommentEditInput) -> models.Comment:
        """Edit a comment: by its author for a limited time, or by a moderator."""
        return await threads.comments.edit(
            viewer_of(call), site_of(call), given.id, given.content, as_moderator=given.as_moderator
        )

    @writes.delete(
        "/comments/{id}", errors=(*known, Unauthorized, problems.NotYourComment, problems.ModeratorsOnly)
    )
    async def delete_comment(call: Call, given: CommentDeletionInput) -> DeletedComment:
        """Delete a comment: by its author, or by a moderator."""
        await threads.comments.delete(viewer_of(call), given.id, as_moderator=given.as_moderator)
        return DeletedComment(id=given.id)

    @writes.post(
        "/comments/{id}/vote",
        limit=VOTE,
        reads="first",
        errors=(*known, Unauthorized, problems.Banned, problems.SignInToComment, problems.CommenterNotFound),
        example={"direction": "up"},
    )
    async def vote(call: Call, given: VoteInput) -> models.Voted:
        """Vote on a comment. The same vote again removes it; the opposite vote replaces it."""
        settings = site_of(call).settings
        return await threads.comments.vote(viewer_of(call), given.id, given.direction, settings=settings)

    @writes.post("/comments/{id}/pin", errors=(*known, problems.ModeratorsOnly, problems.TooManyPinned))
    async def pin_comment(call: Call, given: PinInput) -> Pinned:
        """Pin a comment to the top of its page, or unpin it with `pinned: false`."""
        since = await threads.comments.pin(viewer_of(call), given.id, given.pinned)
        return Pinned(pinned=since is not None, pinned_at=since)

    @writes.post(
        "/comments/{id}/report",
        limit=VOTE,
        errors=(
            *known,
            Unauthorized,
            problems.Banned,
            problems.SignInToComment,
            problems.BadReportDetails,
            problems.CommenterNotFound,
        ),
        example={"reason": "spam"},
    )
    async def report_comment(call: Call, given: ReportInput) -> CommentReported:
        """Report a comment to the moderators, once per user."""
        changed = await threads.comments.report(
            viewer_of(call), site_of(call), given.id, given.reason, given.details
        )
        return CommentReported(changed=changed)

    @writes.post("/preview", limit=VOTE, errors=(*ACCESS, problems.BadComment))
    async def preview(call: Call, given: Preview) -> Previewed:
        """Render a text as HTML."""
        return Previewed(content_html=threads.comments.preview(given.content))

    return [*reads.endpoints, *writes.endpoints]

"""The original ThreadKit client: its requests under /threadkit/v1, answered by the same service."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call
from townsquare.services.accounts.service import Accounts
from townsquare.services.threads.models.comments import Direction, Reason
from townsquare.services.threads.models.threadkit import TreeComment, WholeThread
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import EDIT, VOTE
from townsquare.services.threads.routes.threadkit_auth import threadkit_auth_endpoints
from townsquare.services.threads.routes.threadkit_common import EMPTY, Empty, threadkit_routes
from townsquare.services.threads.routes.threadkit_users import threadkit_user_endpoints
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.whole_thread import tree_comment
from townsquare.services.threads.spam import Submission


class ThreadKitThreadQuery(msgspec.Struct, kw_only=True):
    page_url: str
    sort: Literal["top", "new", "controversial", "old"] = "top"


class ThreadKitVotesQuery(msgspec.Struct):
    page_url: str


class VotesOnPage(msgspec.Struct):
    votes: dict[str, Direction]


class Posted(msgspec.Struct, kw_only=True):
    page_url: str
    content: str
    parent_path: Annotated[list[str], Meta(max_length=101)] = []


class PostedComment(msgspec.Struct):
    comment: TreeComment


class CommentOnPage(msgspec.Struct, kw_only=True):
    """The id identifies the comment. Clients also send its page and path, which are not needed."""

    id: str
    page_url: str = ""
    path: Annotated[list[str], Meta(max_length=101)] = []


class Rewritten(CommentOnPage, kw_only=True):
    content: str


class ThreadKitVote(CommentOnPage, kw_only=True):
    direction: Direction


class ThreadKitVoted(msgspec.Struct):
    upvotes: int
    downvotes: int
    user_vote: Direction | None


class ThreadKitReportInput(CommentOnPage, kw_only=True):
    reason: Reason = "other"
    details: str | None = None


class ThreadKitPin(CommentOnPage, kw_only=True):
    pinned: bool = True


def threadkit_endpoints(threads: Threads, accounts: Accounts, access: SiteAccess) -> list[AnyEndpoint]:
    reads, writes = threadkit_routes(access)

    @reads.get("/comments")
    async def threadkit_read_thread(call: Call, given: ThreadKitThreadQuery) -> WholeThread:
        """The comments of a page, up to a thousand."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url)
        return await threads.whole.read(viewer_of(call), site.settings, page.id, sort=given.sort)

    @reads.get("/pages/my_votes")
    async def threadkit_read_votes(call: Call, given: ThreadKitVotesQuery) -> VotesOnPage:
        """The votes of the signed-in user on a page."""
        page = await threads.pages.find(site_of(call), given.page_url)
        return VotesOnPage(await threads.whole.my_votes(viewer_of(call), page.id))

    @writes.post("/comments")
    async def threadkit_write_comment(call: Call, given: Posted) -> PostedComment:
        """Write a comment, or a reply to the last comment of the path."""
        site = site_of(call)
        made = await threads.comments.create(
            viewer_of(call),
            site,
            page_address(site, given.page_url),
            given.content,
            parent_id=given.parent_path[-1] if given.parent_path else None,
            submission=Submission(
                turnstile=call.headers.get("x-turnstile-token", ""),
                solves_challenges=False,
                ip=call.ip,
                user_agent=call.user_agent,
            ),
        )
        if threads.images:
            await threads.images.use_in_text(viewer_of(call).user_id or "", given.content)
        return PostedComment(tree_comment(made.comment))

    @writes.put("/comments/{id}", limit=EDIT)
    async def threadkit_edit_comment(call: Call, given: Rewritten) -> TreeComment:
        """Edit a comment of the signed-in user."""
        return tree_comment(
            await threads.comments.edit(viewer_of(call), site_of(call), given.id, given.content)
        )

    @writes.delete("/comments/{id}", status=204)
    async def threadkit_delete_comment(call: Call, given: CommentOnPage) -> None:
        """Delete a comment of the signed-in user; moderators delete any."""
        viewer = viewer_of(call)
        await threads.comments.delete(viewer, given.id, as_moderator=viewer.moderates)

    @writes.post("/comments/{id}/vote", limit=VOTE)
    async def threadkit_vote(call: Call, given: ThreadKitVote) -> ThreadKitVoted:
        """Vote, withdraw a vote, or change it."""
        settings = site_of(call).settings
        voted = await threads.comments.vote(viewer_of(call), given.id, given.direction, settings=settings)
        return ThreadKitVoted(voted.upvotes, voted.downvotes, voted.my_vote)

    @writes.post("/comments/{id}/report", limit=VOTE, status=204)
    async def threadkit_report(call: Call, given: ThreadKitReportInput) -> None:
        """Report a comment to the moderators."""
        await threads.comments.report(viewer_of(call), site_of(call), given.id, given.reason, given.details)

    @writes.post("/comments/{id}/pin", limit=VOTE)
    async def threadkit_pin(call: Call, given: ThreadKitPin) -> Empty:
        """Pin a comment to the top of its page, or unpin it."""
        await threads.comments.pin(viewer_of(call), given.id, given.pinned)
        return EMPTY

    return [
        *reads.endpoints,
        *writes.endpoints,
        *threadkit_auth_endpoints(threads, accounts, access),
        *threadkit_user_endpoints(threads, accounts, access),
    ]

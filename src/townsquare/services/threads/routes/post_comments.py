"""`/social/posts/{id}/comments`: comments on the posts of the community."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Auth, Call
from townsquare.kit.paging import PageSize
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.comments import Comment, CommentPage, Direction, Voted
from townsquare.services.threads.models.sites import Sort
from townsquare.services.threads.routes.comments import VOTE, CommentId, DeletedComment
from townsquare.services.threads.service import Threads
from townsquare.services.threads.spam import Submission

PostId = Annotated[str, Meta(examples=["2f6d1c9e-0b7a-4c3d-8e5f-6a7b8c9d01c7"])]


class PostCommentsQuery(msgspec.Struct, kw_only=True):
    id: PostId
    sort: Sort = "old"
    limit: PageSize = 20
    cursor: str | None = None


class PostCommentInput(msgspec.Struct, kw_only=True):
    id: PostId
    content: str
    parent_id: str | None = None


class OfPostComment(msgspec.Struct, kw_only=True):
    id: PostId
    comment_id: CommentId


class PostRepliesQuery(OfPostComment, kw_only=True):
    limit: PageSize = 20
    cursor: str | None = None


class PostCommentVote(OfPostComment, kw_only=True):
    direction: Direction


def post_comment_endpoints(threads: Threads) -> list[AnyEndpoint]:
    routes = Routes("/social/posts/{id}/comments", tag="social", auth=Auth.USER)
    one = "/{comment_id}"
    known = (Unauthorized, Forbidden, problems.PageNotFound, problems.CommentNotFound)

    @routes.get("", auth=Auth.OPTIONAL, errors=(problems.PageNotFound, BadCursor))
    async def read_post_comments(call: Call, asked: PostCommentsQuery) -> CommentPage:
        """Comments on a post, the oldest first."""
        return await threads.posts.read(
            asked.id, call.identity, sort=asked.sort, cursor=asked.cursor, limit=asked.limit
        )

    @routes.get(
        f"{one}/replies",
        auth=Auth.OPTIONAL,
        errors=(problems.PageNotFound, problems.CommentNotFound, BadCursor),
    )
    async def read_post_comment_replies(call: Call, asked: PostRepliesQuery) -> CommentPage:
        """More replies to a comment on a post."""
        return await threads.posts.replies(
            asked.id, call.identity, asked.comment_id, cursor=asked.cursor, limit=asked.limit
        )

    async def created_comment(call: Call, given: PostCommentInput, id: str) -> Comment:
        return await threads.posts.created(given.id, call.identity, id)

    @routes.post(
        "",
        status=201,
        replay=created_comment,
        errors=(*known, problems.BadComment, problems.Banned, problems.RefusedAsSpam),
    )
    async def comment_on_post(call: Call, given: PostCommentInput) -> Comment:
        """Comment on a post."""
        return await threads.posts.create(
            given.id,
            call.identity,
            given.content,
            parent_id=given.parent_id,
            submission=Submission(ip=call.ip, user_agent=call.user_agent),
        )

    @routes.delete(one, errors=(*known, problems.NotYourComment))
    async def delete_post_comment(call: Call, given: OfPostComment) -> DeletedComment:
        """Delete a comment: by its author, or by a moderator."""
        await threads.posts.delete(given.id, call.identity, given.comment_id)
        return DeletedComment(id=given.comment_id)

    @routes.post(f"{one}/vote", limit=VOTE, errors=known)
    async def vote_on_post_comment(call: Call, given: PostCommentVote) -> Voted:
        """Vote on a comment. The same vote again removes it."""
        return await threads.posts.vote(given.id, call.identity, given.comment_id, given.direction)

    return routes.endpoints

"""Posts, likes, bookmarks, reports and bans."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.api import AnyEndpoint, Auth, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.services.events import ImageNotFound
from townsquare.services.social import problems
from townsquare.services.social.models import Change, CountedChange, Item, Post, ReportedPost
from townsquare.services.social.routes.common import POST, OfPost, Paged, PostId, acting, is_moderator, viewer
from townsquare.services.social.service import Social

ONE = "/{id}"
LIKE, BOOKMARK, BAN, REPORT = f"{ONE}/like", f"{ONE}/bookmark", f"{ONE}/ban", f"{ONE}/report"


class NewPost(msgspec.Struct):
    content: str
    media_url: str | None = None
    media_alt: str | None = None


class PostChange(msgspec.Struct):
    id: PostId
    content: str | UnsetType = UNSET
    media_url: str | UnsetType | None = UNSET
    media_alt: str | UnsetType | None = UNSET


class DeletedPost(msgspec.Struct):
    id: PostId
    deleted: bool = True


class NewReport(msgspec.Struct):
    id: PostId
    reason: Annotated[str, msgspec.Meta(description="for the moderators, at most 500 characters")]


def post_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes("/social/posts", tag="social", other_prefixes=("/posts",), auth=Auth.USER)
    moderation = Routes("/social/reports", tag="social", auth=Auth.ADMIN)
    signed_in = (Unauthorized, Forbidden)
    own = (*signed_in, problems.PostNotFound, problems.NotYours, ImageNotFound)
    banning = (*signed_in, problems.PostNotFound)
    marking = (*signed_in, problems.PostNotFound, problems.PostBanned, problems.ProfileNotFound)

    async def created_post(call: Call, given: NewPost, id: str) -> Post:
        return await social.posts.get(id)

    @routes.post(
        "",
        limit=POST,
        status=201,
        replay=created_post,
        errors=(*signed_in, problems.BadPost, problems.BadMedia, problems.ProfileNotFound, ImageNotFound),
    )
    async def create_post(call: Call, given: NewPost) -> Post:
        """Create a post; its hashtags are taken from the text."""
        return await social.posts.create(acting(call), given.content, given.media_url, given.media_alt)

    @routes.get(ONE, auth=Auth.OPTIONAL, errors=(problems.PostNotFound,))
    async def show_post(call: Call, given: OfPost) -> Item:
        """One post, with its author."""
        return await social.posts.see(given.id, viewer(call), as_moderator=is_moderator(call))

    @routes.patch(
        ONE,
        errors=(*own, problems.BadPost, problems.BadMedia, problems.PostBanned, problems.TooLateToEdit),
        example={"content": "Hello again #travel"},
    )
    async def edit_post(call: Call, given: PostChange) -> Post:
        """Change a post of the caller within 15 minutes. A change without a difference is no edit."""
        return await social.posts.edit(
            given.id,
            acting(call),
            content=None if given.content is UNSET else given.content,
            media_url=None if given.media_url is UNSET else given.media_url or "",
            media_alt=None if given.media_alt is UNSET else given.media_alt or "",
        )

    @routes.delete(ONE, errors=own)
    async def delete_post(call: Call, given: OfPost) -> DeletedPost:
        """Delete a post: its author, or a moderator."""
        await social.posts.delete(given.id, None if is_moderator(call) else acting(call))
        return DeletedPost(given.id)

    @routes.post(LIKE, errors=marking)
    async def like(call: Call, given: OfPost) -> CountedChange:
        """Like a post; idempotent."""
        return await social.posts.like(given.id, acting(call))

    @routes.delete(LIKE, errors=marking)
    async def unlike(call: Call, given: OfPost) -> CountedChange:
        """Remove a like."""
        return await social.posts.unlike(given.id, acting(call))

    @routes.post(BOOKMARK, errors=marking)
    async def bookmark(call: Call, given: OfPost) -> CountedChange:
        """Bookmark a post; idempotent."""
        return await social.posts.bookmark(given.id, acting(call))

    @routes.delete(BOOKMARK, errors=marking)
    async def unbookmark(call: Call, given: OfPost) -> CountedChange:
        """Remove a bookmark."""
        return await social.posts.unbookmark(given.id, acting(call))

    @routes.patch(BAN, auth=Auth.ADMIN, errors=banning, documented=False)  # as the original calls it
    @routes.post(BAN, auth=Auth.ADMIN, errors=banning)
    async def ban_post(call: Call, given: OfPost) -> Change:
        """Remove a post from every feed and count (moderators)."""
        return await social.moderation.ban(given.id, viewer(call))

    @routes.delete(BAN, auth=Auth.ADMIN, errors=banning)
    async def unban_post(call: Call, given: OfPost) -> Change:
        """Restore a banned post (moderators)."""
        return await social.moderation.unban(given.id)

    @routes.post(REPORT, errors=(*signed_in, problems.PostNotFound, problems.PostBanned, problems.BadReport))
    async def report_post(call: Call, given: NewReport) -> Change:
        """Report a post to the moderators."""
        return await social.moderation.report(given.id, acting(call), given.reason)

    @moderation.get("", errors=(*signed_in, BadCursor))
    async def list_reported_posts(call: Call, given: Paged) -> Page[ReportedPost]:
        """Reported posts, the most reported first (moderators)."""
        return await social.moderation.reported(given.cursor, given.limit)

    return [*routes.endpoints, *moderation.endpoints]

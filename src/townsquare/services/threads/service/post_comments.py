"""Comments on posts of the community: one site, on which every post is a page.

The script that writes a comment starts a job that sends the number of comments to the service of the post.
The job runs before the response; after a crash another process runs it.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from townsquare.api import Identity
from townsquare.keyspace import derived_id
from townsquare.kit.paging import PageSize
from townsquare.problems import Conflict, NotFound, Unauthorized
from townsquare.services.events import CommentedPosts
from townsquare.services.threads import keys
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import Comment, CommentPage, Direction, Voted
from townsquare.services.threads.models.sites import SiteConfig, SiteSettings, Sort, Viewer
from townsquare.services.threads.page_urls import PageAddress, page_id_of
from townsquare.services.threads.problems import CommentNotFound, PageNotFound
from townsquare.services.threads.scripts import FinishPostCount
from townsquare.services.threads.spam import Submission
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.services.threads.service import Threads

SITE_ID = derived_id("threads", "posts of the community")
DOMAIN = "localhost"
POST_LENGTH = 64  # of the id of a post
WAITED = 2.0  # seconds for that job


class PostComments:
    def __init__(
        self, store: Store, jobs: Jobs, threads: "Threads", posts: CommentedPosts | None, public_url: str
    ) -> None:
        self._store = store
        self._home = public_url.rstrip("/") or f"https://{DOMAIN}"
        self._jobs = jobs
        self._threads = threads
        self._posts = posts
        jobs.register(keys.UPDATE_POST_COUNT_JOB, self._update_post_count)

    async def read(
        self,
        post_id: str,
        identity: Identity | None,
        *,
        sort: Sort = "old",
        cursor: str | None = None,
        limit: PageSize = 20,
    ) -> CommentPage:
        """Part of the comments on a post, for this reader."""
        viewer = await self._viewer(post_id, identity)
        return await self._named(
            await self._threads.reading.thread(
                viewer, SETTINGS, self._page_of(post_id).id, sort=sort, cursor=cursor, limit=limit
            )
        )

    async def replies(
        self,
        post_id: str,
        identity: Identity | None,
        comment_id: str,
        *,
        cursor: str | None = None,
        limit: PageSize = 20,
    ) -> CommentPage:
        """More replies to a comment."""
        viewer = await self._viewer(post_id, identity)
        await self._record(viewer, post_id, comment_id)
        return await self._named(
            await self._threads.reading.replies(viewer, SETTINGS, comment_id, cursor=cursor, limit=limit)
        )

    async def create(
        self,
        post_id: str,
        identity: Identity | None,
        text: str,
        *,
        parent_id: str | None = None,
        submission: Submission | None = None,
    ) -> Comment:
        """Comment on a post."""
        viewer = await self._viewer(post_id, required(identity))
        made = await self._threads.comments.create(
            viewer,
            await self._site(),
            self._page_of(post_id),
            text,
            parent_id=parent_id,
            owner=await self._owner(post_id) if parent_id is None else None,
            submission=submission,
        )
        await self._wait_for(post_id)
        return (await self._with_usernames([made.comment]))[0]

    async def _owner(self, post_id: str) -> str | None:
        """The account of the author of a post."""
        author = (await self._posts.get(post_id)).user_id if self._posts else None
        ids = await self._threads.commenters.with_names([author]) if author else []
        return next(iter(ids), None)

    async def created(self, post_id: str, identity: Identity | None, comment_id: str) -> Comment:
        """A comment that this user has written, as `create` returns it."""
        viewer = await self._viewer(post_id, required(identity))
        made = await self._threads.reading.created(viewer, comment_id)
        return (await self._with_usernames([made.comment]))[0]

    async def delete(self, post_id: str, identity: Identity | None, comment_id: str) -> None:
        """Delete a comment: by its author, or by a moderator of the community."""
        viewer = await self._viewer(post_id, required(identity))
        record = await self._record(viewer, post_id, comment_id)
        as_moderator = viewer.moderates and record.author_id != viewer.user_id
        await self._threads.comments.delete(viewer, comment_id, as_moderator=as_moderator)
        await self._wait_for(post_id)

    async def vote(
        self, post_id: str, identity: Identity | None, comment_id: str, direction: Direction
    ) -> Voted:
        """Vote on a comment."""
        viewer = await self._viewer(post_id, required(identity))
        await self._record(viewer, post_id, comment_id)
        settings = (await self._site()).settings
        return await self._threads.comments.vote(viewer, comment_id, direction, settings=settings)

    async def _viewer(self, post_id: str, identity: Identity | None) -> Viewer:
        """The viewer of the comments. Raise if the caller may not see the post."""
        if self._posts is None or not 0 < len(post_id) <= POST_LENGTH:
            raise PageNotFound()
        moderates = identity is not None and identity.role == "admin"
        name = identity.username or None if identity else None
        await self._posts.see(post_id, name, as_moderator=moderates)
        user_id = identity.user_id if identity and keys.USER_ID.matches(identity.user_id) else None
        return Viewer(site_id=SITE_ID, user_id=user_id, role="moderator" if moderates else "user")

    async def _record(self, viewer: Viewer, post_id: str, comment_id: str) -> CommentRecord:
        """A comment on this post. Raise if it belongs to another post, which the caller may not see."""
        record = await self._threads.reading.record(viewer, comment_id)
        if record.page_id != self._page_of(post_id).id:
            raise CommentNotFound()
        return record

    async def _site(self) -> SiteConfig:
        """The site of all posts. The first call creates it."""
        found = await self._threads.sites.find(SITE_ID)
        if found is None:
            with suppress(Conflict):
                await self._threads.sites.create("Posts", DOMAIN, settings=SETTINGS, site_id=SITE_ID)
            found = await self._threads.sites.find(SITE_ID)
        if found is None:
            raise PageNotFound()
        return found

    async def _named(self, page: CommentPage) -> CommentPage:
        await self._with_usernames([*page.comments, *page.pinned])
        return page

    async def _with_usernames(self, comments: list[Comment]) -> list[Comment]:
        """Replace display names by usernames, which link to profiles."""
        every = list(with_replies(comments))
        authors = {comment.author.id for comment in every if comment.author}
        users = await self._threads.accounts.users.get_many(sorted(authors))
        names = {user.id: user.username for user in users if user}
        for comment in every:
            if comment.author and (name := names.get(comment.author.id)):
                comment.author = replace(comment.author, name=name)
        return comments

    async def _wait_for(self, post_id: str) -> None:
        await self._jobs.run_within(self._page_of(post_id).id, WAITED)

    def _page_of(self, post_id: str) -> PageAddress:
        key = f"post {post_id}"
        url = f"{self._home}/social?post={post_id}"
        return PageAddress(page_id_of(SITE_ID, key), key, url, post_id)

    async def _update_post_count(self, args: dict[str, Any]) -> int:
        """The step of the job: send the number of comments to the post."""
        page_id = str(args["page_id"])
        post_id, count = await self._store.call("HMGET", keys.page(page_id), "post_id", "comment_count")
        if post_id is not None and self._posts is not None:
            with suppress(NotFound):  # the post was deleted
                await self._posts.set_comments_count(post_id.decode(), int(count or 0))
        await self._store.run(FinishPostCount(page_id=page_id, count=int(count or 0)))
        return 1


# the clients of the social API do not solve challenges
SETTINGS = SiteSettings(moderation="post", default_sort="old", proof_of_work=False)


def with_replies(comments: Iterable[Comment]) -> Iterator[Comment]:
    for comment in comments:
        yield comment
        yield from with_replies(comment.replies)


def required(identity: Identity | None) -> Identity:
    if identity is None:
        raise Unauthorized
    return identity

"""Users, notifications and moderation for the original ThreadKit client."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Limit, Nothing
from townsquare.kit.paging import PageSize
from townsquare.problems import Invalid
from townsquare.services.accounts.service import Accounts
from townsquare.services.threads.models import threadkit as models
from townsquare.services.threads.models.comments import Author, RecentComment
from townsquare.services.threads.models.moderation import QueuedComment
from townsquare.services.threads.problems import BadCommenter, NotYourAccount
from townsquare.services.threads.routes import threadkit_common
from townsquare.services.threads.routes.access import SiteAccess, viewer_of
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.sites import require_moderator
from townsquare.services.threads.service.whole_thread import tree_comment

AVAILABILITY = Limit("threadkit_availability", 30, 60)
MODERATOR = Author(id="", name="Moderator")
WINDOW = 100  # entries of a list that offsets reach

T = TypeVar("T")


class ThreadKitProfileChange(msgspec.Struct, kw_only=True):
    name: str | None = None
    avatar_url: str | None = None


class UsernameQuery(msgspec.Struct):
    username: str


class UsernameCheck(msgspec.Struct, omit_defaults=True):
    available: bool
    error: str | None = None


class UserPath(msgspec.Struct):
    id: str


class CommentPath(msgspec.Struct):
    """The client sends the page and the path of the comment as well; its id is enough."""

    id: str
    page_id: str = ""
    path: Annotated[list[str], Meta(max_length=101)] = []


class Window(msgspec.Struct, kw_only=True):
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: PageSize = 50


class UserWindow(Window, kw_only=True):
    id: str


class BanRequest(msgspec.Struct):
    id: str
    delete_comments: bool = False


class BanDone(msgspec.Struct):
    comments_deleted: int


class ThreadKitUsers(msgspec.Struct):
    users: list[Author]


def threadkit_user_endpoints(threads: Threads, accounts: Accounts, access: SiteAccess) -> list[AnyEndpoint]:
    reads, writes = threadkit_common.threadkit_routes(access)
    moderation = threads.moderation

    @reads.get("/users/me")
    async def threadkit_read_me(call: Call, given: Nothing) -> models.ThreadKitUser:
        """The signed-in user."""
        return threadkit_common.user_of(await threads.commenters.get(signed_in(viewer_of(call))))

    @writes.put("/users/me")
    async def threadkit_change_me(call: Call, given: ThreadKitProfileChange) -> models.ThreadKitUser:
        """Change the name or the picture of the signed-in user."""
        user_id = signed_in(viewer_of(call))
        changed = await threads.commenters.set_own_name(user_id, name=given.name, avatar_url=given.avatar_url)
        if threads.images and given.avatar_url:
            await threads.images.use_in_text(user_id, given.avatar_url)
        return threadkit_common.user_of(changed)

    @writes.delete("/users/me", status=204)
    async def threadkit_delete_me(call: Call, given: Nothing) -> None:
        """Delete a user without an account. A token of a site cannot delete an account."""
        record = await threads.commenters.get(signed_in(viewer_of(call)))
        if record.provider != "anonymous":
            raise NotYourAccount()
        await accounts.privacy.begin_deletion(record.id)

    @reads.get("/users/me/blocked")
    async def threadkit_list_blocked(call: Call, given: Nothing) -> ThreadKitUsers:
        """The users that the signed-in user has blocked."""
        return ThreadKitUsers(await threads.profiles.blocked(viewer_of(call)))

    @reads.get("/users/me/comments")
    async def threadkit_list_my_comments(call: Call, given: Window) -> models.ThreadKitComments:
        """The newest comments of the signed-in user on this site."""
        return await comments_of(call, signed_in(viewer_of(call)), given)

    @writes.post("/users/check-username", limit=AVAILABILITY)
    async def threadkit_check_username(call: Call, given: UsernameQuery) -> UsernameCheck:
        """Whether a name is valid and not the username of another account."""
        try:
            threads.commenters.check_name(given.username)
        except BadCommenter as problem:
            return UsernameCheck(False, problem.detail)
        holder = None
        with suppress(Invalid):  # a name that cannot be a username
            holder = await accounts.users.find_by("username", given.username)
        return UsernameCheck(holder is None or holder.id == viewer_of(call).user_id)

    @reads.get("/users/{id}")
    async def threadkit_read_user(call: Call, given: UserPath) -> models.ThreadKitProfile:
        """The public profile of a commenter."""
        found = await threads.profiles.get(viewer_of(call), given.id)
        return msgspec.convert(found, models.ThreadKitProfile, from_attributes=True)

    @reads.get("/users/{id}/comments")
    async def threadkit_list_comments(call: Call, given: UserWindow) -> models.ThreadKitComments:
        """The newest comments of a user on this site."""
        return await comments_of(call, given.id, given)

    async def comments_of(call: Call, user_id: str, wanted: Window) -> models.ThreadKitComments:
        page = await threads.profiles.comments(viewer_of(call), user_id, None, WINDOW)
        end = wanted.offset + wanted.limit
        return models.ThreadKitComments(
            comments=placed(cut(page.items, wanted)), has_more=len(page.items) > end or bool(page.next)
        )

    @writes.post("/users/{id}/block")
    async def threadkit_block(call: Call, given: UserPath) -> threadkit_common.Empty:
        """Hide the comments of a user from the signed-in user."""
        await threads.profiles.block(viewer_of(call), given.id)
        return threadkit_common.EMPTY

    @writes.delete("/users/{id}/block")
    async def threadkit_unblock(call: Call, given: UserPath) -> threadkit_common.Empty:
        """Show the comments of a user again."""
        await threads.profiles.unblock(viewer_of(call), given.id)
        return threadkit_common.EMPTY

    @writes.post("/users/{id}/unblock")
    async def threadkit_unblock_by_post(call: Call, given: UserPath) -> threadkit_common.Empty:
        """Show the comments of a user again."""
        return await threadkit_unblock(call, given)

    @reads.get("/notifications")
    async def threadkit_list_notifications(call: Call, given: Window) -> models.ThreadKitNotifications:
        """The newest notifications on this site."""
        page = await threads.notifications.list(viewer_of(call), None, WINDOW)
        items = cut(page.items, given)
        for one in items:
            one.from_user = one.from_user or MODERATOR
        shown = msgspec.convert(items, list[models.ThreadKitNotification], from_attributes=True)
        return models.ThreadKitNotifications(notifications=shown, unread_count=page.unread)

    @writes.post("/notifications/read")
    async def threadkit_mark_read(call: Call, given: Nothing) -> threadkit_common.Empty:
        """Mark all notifications on this site as read."""
        await threads.notifications.read(viewer_of(call), all=True)
        return threadkit_common.EMPTY

    @reads.get("/moderation/queue")
    async def threadkit_read_queue(call: Call, given: Window) -> models.ThreadKitQueue:
        """The comments that wait for a moderator."""
        items = placed(cut((await moderation.queue(viewer_of(call), None, WINDOW)).items, given))
        return models.ThreadKitQueue(items=items, total=len(items))

    @reads.get("/moderation/reports")
    async def threadkit_read_reports(call: Call, given: Window) -> models.ThreadKitReports:
        """The reported comments."""
        page = await moderation.reports(viewer_of(call), None, WINDOW)
        items = [
            models.ThreadKitReport(
                page_id=one.comment.page_id if one.comment else None,
                comment_id=one.report.comment_id,
                comment=tree_comment(one.comment) if one.comment else None,
                reporter=one.reporter,
            )
            for one in cut(page.items, given)
        ]
        return models.ThreadKitReports(items=items, total=len(items))

    @writes.post("/moderation/approve/{id}")
    async def threadkit_approve(call: Call, given: CommentPath) -> threadkit_common.Empty:
        """Approve a comment."""
        await moderation.approve(viewer_of(call), given.id)
        return threadkit_common.EMPTY

    @writes.post("/moderation/reject/{id}")
    async def threadkit_reject(call: Call, given: CommentPath) -> threadkit_common.Empty:
        """Reject a comment."""
        await moderation.reject(viewer_of(call), given.id)
        return threadkit_common.EMPTY

    @writes.post("/moderation/ban/{id}")
    async def threadkit_ban(call: Call, given: BanRequest) -> BanDone:
        """Ban a user from the site, and delete the user's comments there if wanted."""
        viewer = viewer_of(call)
        require_moderator(viewer)
        before = (await threads.profiles.get(viewer, given.id)).total_comments if given.delete_comments else 0
        await moderation.ban(viewer, given.id, remove_comments=given.delete_comments)
        return BanDone(before)

    @writes.post("/users/{id}/ban")
    async def threadkit_ban_by_user(call: Call, given: UserPath) -> BanDone:
        """Ban a user from the site."""
        return await threadkit_ban(call, BanRequest(given.id))

    @writes.post("/moderation/unban/{id}")
    async def threadkit_unban(call: Call, given: UserPath) -> threadkit_common.Empty:
        """End a ban."""
        await moderation.unban(viewer_of(call), given.id)
        return threadkit_common.EMPTY

    @writes.post("/moderation/shadowban/{id}")
    async def threadkit_shadowban(call: Call, given: UserPath) -> threadkit_common.Empty:
        """Hide the comments of a user on this site from everybody else."""
        await moderation.shadowban(viewer_of(call), given.id)
        return threadkit_common.EMPTY

    return [*reads.endpoints, *writes.endpoints]


def cut(items: Sequence[T], window: Window) -> Sequence[T]:
    return items[window.offset : window.offset + window.limit]


def placed(items: Sequence[RecentComment | QueuedComment]) -> list[models.ThreadKitComment]:
    return [models.ThreadKitComment(one.comment.page_id, tree_comment(one.comment)) for one in items]

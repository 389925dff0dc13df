"""Notifications over HTTP."""

import msgspec

from townsquare.api import AnyEndpoint, Call
from townsquare.problems import BadCursor, Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.notifications import NotificationPage
from townsquare.services.threads.routes.access import SiteAccess, viewer_of
from townsquare.services.threads.routes.comments import ACCESS
from townsquare.services.threads.routes.moderation import Listing
from townsquare.services.threads.service import Threads


class MarkReadInput(msgspec.Struct, kw_only=True):
    ids: list[str] = []
    all: bool = False


class ReadDone(msgspec.Struct, kw_only=True):
    changed: int


def notification_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads = Routes("/threads/v1/notifications", tag="threads", auth=access.reading, open_to_any_origin=True)
    writes = Routes("/threads/v1/notifications", tag="threads", auth=access.writing, open_to_any_origin=True)

    @reads.get("", errors=(*ACCESS, Unauthorized, BadCursor))
    async def read_notifications(call: Call, asked: Listing) -> NotificationPage:
        """The notifications of the user on this site, the newest first, and the number of unread ones."""
        return await threads.notifications.list(viewer_of(call), asked.cursor, asked.limit)

    @writes.post("/read", errors=(*ACCESS, Unauthorized, problems.BadNotification), example={"all": True})
    async def mark_notifications_read(call: Call, given: MarkReadInput) -> ReadDone:
        """Mark some notifications as read, by their ids, or all of this site."""
        changed = await threads.notifications.read(viewer_of(call), given.ids, all=given.all)
        return ReadDone(changed=changed)

    return [*reads.endpoints, *writes.endpoints]

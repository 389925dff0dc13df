"""What an admin does in the console beside the account routes. Every action is in the audit log."""

from typing import Literal

import msgspec

from townsquare.api import OPERATOR, Auth, Call, Identity, Nothing
from townsquare.problems import Conflict, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.service import Accounts
from townsquare.square import Square
from townsquare.store.coordination.background import Lease
from townsquare.web.metrics import Metrics
from townsquare.web.scheduled_checks import LEASE, check_now

CheckRunning = Conflict.declare("check_running", "A check runs already")


class WidgetChoice(msgspec.Struct):
    kind: Literal["counter", "like", "ranking", "bbs"]
    id: str


class CommentChoice(msgspec.Struct):
    site_id: str
    comment_id: str


class ReportChoice(msgspec.Struct):
    site_id: str
    comment_id: str
    reporter_id: str


class Accepted(msgspec.Struct):
    """The work has begun, or is done."""

    changed: bool = True


def action_routes(square: Square, metrics: Metrics, services: set[str]) -> Routes:
    routes = Routes("/console", tag="console", auth=Auth.ADMIN, documented=False)
    log = square.service(Accounts).audit

    async def begin_check(call: Call, *, repair: bool) -> Accepted:
        lease = Lease(square.store, LEASE)
        if not await lease.take():
            raise CheckRunning()
        await log.add(caller(call).user_id, "integrity.repair" if repair else "integrity.check")
        square.background.run(check_now(square.settings, square.store, metrics, lease, repair=repair))
        return Accepted()

    @routes.post("/integrity", status=202)
    async def check(call: Call, given: Nothing) -> Accepted:
        """Check all keys, in a process of its own."""
        return await begin_check(call, repair=False)

    @routes.post("/integrity/repair", status=202)
    async def repair(call: Call, given: Nothing) -> Accepted:
        """Check all keys and repair what can be repaired."""
        return await begin_check(call, repair=True)

    if "threads" in services:
        add_moderation(routes, square)
    if "widgets" in services:
        add_widgets(routes, square)
    return routes


def add_moderation(routes: Routes, square: Square) -> None:
    from townsquare.services.threads.models.sites import Viewer
    from townsquare.services.threads.service import Threads

    moderation, log = square.service(Threads).moderation, square.service(Accounts).audit

    async def moderator(call: Call, site_id: str) -> Viewer:
        """The admin as a moderator of this site; it must exist."""
        site = await square.service(Threads).sites.get(site_id)
        identity = caller(call)
        user_id = None if identity.user_id == OPERATOR.user_id else identity.user_id
        return Viewer(site_id=site.id, user_id=user_id, role="moderator")

    @routes.post("/moderation/approve")
    async def approve(call: Call, given: CommentChoice) -> Accepted:
        viewer = await moderator(call, given.site_id)
        async with log.recorded(caller(call), "comment.approve", given.comment_id, f"site {viewer.site_id}"):
            return Accepted(await moderation.approve(viewer, given.comment_id))

    @routes.post("/moderation/reject")
    async def reject(call: Call, given: CommentChoice) -> Accepted:
        viewer = await moderator(call, given.site_id)
        async with log.recorded(caller(call), "comment.reject", given.comment_id, f"site {viewer.site_id}"):
            return Accepted(await moderation.reject(viewer, given.comment_id))

    @routes.post("/moderation/dismiss")
    async def dismiss(call: Call, given: ReportChoice) -> Accepted:
        viewer = await moderator(call, given.site_id)
        async with log.recorded(caller(call), "report.dismiss", given.comment_id, f"site {viewer.site_id}"):
            return Accepted(await moderation.dismiss(viewer, given.comment_id, given.reporter_id))


def add_widgets(routes: Routes, square: Square) -> None:
    from townsquare.services.widgets.service import Widgets

    by_kind, log = square.service(Widgets).by_kind, square.service(Accounts).audit

    @routes.post("/widgets/delete")
    async def delete(call: Call, given: WidgetChoice) -> Accepted:
        async with log.recorded(caller(call), "widget.delete", f"{given.kind} {given.id}"):
            await by_kind[given.kind].delete_as_operator(given.id)
        return Accepted()


def caller(call: Call) -> Identity:
    if call.identity is None:
        raise Unauthorized()
    return call.identity

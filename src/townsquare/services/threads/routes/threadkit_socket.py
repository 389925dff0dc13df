"""ThreadKit's own client, live: its JSON-RPC frames at /threadkit/ws, over the same feeds of pages."""

import asyncio
from typing import Any

import msgspec

from townsquare.api import AnySocket, AnyStream, Call, Connection
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import CachedKey
from townsquare.services.threads.routes.access import SiteAccess, presented_key, viewer_of
from townsquare.services.threads.routes.live import OUTBOX
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.live_client import LiveClient
from townsquare.services.threads.service.page_feed import LiveMessage
from townsquare.services.threads.service.whole_thread import tree_comment

MESSAGES_A_SECOND = 10
ERRORS = {"too_many_pages": "subscription_limit"}  # the others have no code there: it shows their message
COPIED = {  # fields of our messages that this client reads under the same names
    "delete_comment": ("page_id", "comment_id"),
    "vote_update": ("page_id", "comment_id", "upvotes", "downvotes"),
    "pin_update": ("page_id", "comment_id", "pinned", "pinned_at"),
}


class SocketAsked(msgspec.Struct, kw_only=True):
    project_id: str
    token: str | None = None


class FrameParams(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    page_id: str = ""
    reply_to: str | None = None


class Frame(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    method: str
    jsonrpc: str = "2.0"
    params: FrameParams = msgspec.field(default_factory=FrameParams)


class SentFrame(msgspec.Struct, kw_only=True):
    method: str
    params: dict[str, Any]
    jsonrpc: str = "2.0"


def threadkit_sockets(threads: Threads, access: SiteAccess) -> list[AnySocket | AnyStream]:
    routes = Routes("/threadkit", tag="threads")

    @routes.socket(
        "/ws",
        auth=access.by_query,
        open_to_any_origin=True,
        outbox=OUTBOX,
        messages=MESSAGES_A_SECOND,
        message_seconds=1,
    )
    async def threadkit_live(call: Call, given: SocketAsked, connection: Connection[Frame, Any]) -> None:
        """What happens on up to ten pages, as the client of ThreadKit reads it."""
        present: dict[str, set[str]] = {}

        def send(method: str, **params: Any) -> None:
            connection.send(SentFrame(method=method, params=params))

        def deliver(message: LiveMessage) -> None:
            told = msgspec.json.decode(message.body)
            if told["type"] == "presence":
                tell_presence(told)
            elif frame := frame_of(told):
                send(frame[0], **frame[1])

        def tell_presence(told: dict[str, Any]) -> None:
            page_id, users = told["page_id"], {user["id"] for user in told["users"]}
            before = present.get(page_id)
            present[page_id] = users
            if before is None:
                send("presence", page_id=page_id, users=sorted(users))
                return
            for user_id in sorted(users - before):
                send("user_joined", page_id=page_id, user_id=user_id)
            for user_id in sorted(before - users):
                send("user_left", page_id=page_id, user_id=user_id)

        viewer = viewer_of(call)
        send("connected", user_id=viewer.user_id)
        with threads.live.connect(viewer, deliver) as client:
            threads.usage.add(viewer.site_id, "websocket_connections")
            notifications = asyncio.create_task(client.forward_notifications())
            try:
                async for frame in connection:
                    try:
                        site = await threads.sites.by_key(presented_key(call))
                        if not await answer(client, site, frame):
                            send("pong" if frame.method == "ping" else "error", **replied(frame))
                        if frame.method == "unsubscribe":
                            present.pop(frame.params.page_id, None)
                    except Problem as problem:
                        code = ERRORS.get(problem.code, problem.code)
                        send("error", code=code, message=problem.detail)
            finally:
                notifications.cancel()

    return routes.sockets


async def answer(client: LiveClient, site: CachedKey, frame: Frame) -> bool:
    """Do what a frame says; whether it was for a page."""
    page = PageAddress(frame.params.page_id, "", "")
    match frame.method:
        case "subscribe":
            await client.subscribe(site.settings, page, None)
        case "unsubscribe":
            client.unsubscribe(page.id)
        case "typing":
            await client.type(site.settings, page.id, True)
        case _:
            return False
    return True


def replied(frame: Frame) -> dict[str, Any]:
    if frame.method == "ping":
        return {}
    return {"code": "invalid_method", "message": f"There is no method {frame.method[:40]}"}


def frame_of(told: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """A message of ours as the frame that says the same; None where the old protocol has none."""
    kind = told["type"]
    if kind in COPIED:
        return kind, {name: told.get(name) for name in COPIED[kind]}
    match kind:
        case "new_comment":
            comment = msgspec.convert(told["comment"], Comment)
            return kind, {"page_id": told["page_id"], "comment": tree_comment(comment)}
        case "edit_comment":
            comment = told["comment"]
            texts = {name: comment[name] for name in ("content", "content_html")}
            return kind, {"page_id": told["page_id"], "comment_id": told["comment_id"], **texts}
        case "typing":
            return kind, {"page_id": told["page_id"], "users": [user["id"] for user in told["users"]]}
        case "notification":
            return kind, {
                "type": told.get("notification_type", kind),
                "comment_id": told.get("comment_id"),
                "from_user": told.get("from_user_id"),
            }
    return None

"""The WebSocket of the original ThreadKit client: JSON-RPC frames at /threadkit/ws."""

from typing import Any

import msgspec

from townsquare.api import AnySocket, AnyStream, Call, Connection
from townsquare.problems import Invalid, Problem
from townsquare.routes import Routes
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.routes.access import SiteAccess, presented_key, viewer_of
from townsquare.services.threads.routes.live import OUTBOX
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.live_client import LiveClient
from townsquare.services.threads.service.page_events import LiveMessage
from townsquare.services.threads.service.whole_thread import tree_comment

MESSAGES_A_SECOND = 10
ERRORS = {"too_many_pages": "subscription_limit", Invalid.code: "invalid_json"}  # other codes are ours
MODERATOR = {"id": "", "name": "Moderator"}
SAME_FIELDS = {  # by message type: the fields that both protocols have
    "delete_comment": ("page_id", "comment_id"),
    "vote_update": ("page_id", "comment_id", "upvotes", "downvotes"),
    "pin_update": ("page_id", "comment_id", "pinned", "pinned_at"),
}


class SocketQuery(msgspec.Struct, kw_only=True):
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
        on_problem=error_frame,
    )
    async def threadkit_live(call: Call, given: SocketQuery, connection: Connection[Frame, Any]) -> None:
        """The live messages of up to ten pages, as frames of the ThreadKit client."""
        viewer = viewer_of(call)
        translate = FrameTranslation(viewer.user_id)

        def deliver(message: LiveMessage) -> None:
            for frame in translate(msgspec.json.decode(message.body)):
                connection.send(frame)

        connection.send(SentFrame(method="connected", params={"user_id": viewer.user_id}))
        with threads.live.connect(viewer, deliver) as client:
            threads.usage.add(viewer.site_id, "websocket_connections")
            async for frame in connection:
                if frame.method == "ping":
                    connection.send(SentFrame(method="pong", params={}))
                    continue
                try:
                    await handle(client, await threads.sites.by_key(presented_key(call)), frame)
                except Problem as problem:
                    connection.refuse(problem)

    return routes.sockets


async def handle(client: LiveClient, site: SiteConfig, frame: Frame) -> None:
    page_id = frame.params.page_id
    match frame.method:
        case "subscribe":
            await client.subscribe(site.settings, PageAddress(page_id, "", ""), None, may_be_new=True)
        case "unsubscribe":
            client.unsubscribe(page_id)
        case "typing":
            await client.type(site.settings, page_id, True, frame.params.reply_to)
        case _:
            raise UnknownMethod(f"There is no method {frame.method[:40]}")


class UnknownMethod(Problem):
    code = "invalid_method"
    title = "There is no such method"
    status = 400


def error_frame(problem: Problem) -> SentFrame:
    code = ERRORS.get(problem.code, problem.code)
    return SentFrame(method="error", params={"code": code, "message": problem.detail})


class FrameTranslation:
    """Live messages as the frames that one client reads. Messages without a counterpart have no frame."""

    def __init__(self, user_id: str | None) -> None:
        self._user_id = user_id
        self._present: dict[str, set[str]] = {}  # users by page

    def __call__(self, message: dict[str, Any]) -> list[SentFrame]:
        kind, page_id = message["type"], message.get("page_id", "")
        if kind == "presence":
            return self._presence(page_id, {user["id"]: wire_user(user) for user in message["users"]})
        if kind == "unsubscribed":
            self._present.pop(page_id, None)
        params = frame_params(kind, message)
        if params is None or (kind == "typing" and params["user"]["id"] == self._user_id):
            return []
        return [SentFrame(method=kind, params=params)]

    def _presence(self, page_id: str, users: dict[str, dict[str, str]]) -> list[SentFrame]:
        """The whole list once for each subscription, then who joined and who left."""
        before = self._present.get(page_id)
        self._present[page_id] = set(users)
        if before is None:
            return [SentFrame(method="presence", params={"page_id": page_id, "users": list(users.values())})]
        joined = [{"page_id": page_id, "user": users[id]} for id in sorted(users.keys() - before)]
        left = [{"page_id": page_id, "user_id": id} for id in sorted(before - users.keys())]
        return [
            *(SentFrame(method="user_joined", params=params) for params in joined),
            *(SentFrame(method="user_left", params=params) for params in left),
        ]


def frame_params(kind: str, message: dict[str, Any]) -> dict[str, Any] | None:
    page_id, comment = message.get("page_id"), message.get("comment")
    if kind in SAME_FIELDS:
        return {name: message.get(name) for name in SAME_FIELDS[kind]}
    if kind == "new_comment":
        return {"page_id": page_id, "comment": tree_comment(msgspec.convert(comment, Comment))}
    if kind == "edit_comment" and comment:
        texts = {name: comment[name] for name in ("content", "content_html")}
        return {"page_id": page_id, "comment_id": message["comment_id"], **texts}
    if kind == "typing" and (user := message.get("user")):
        reply = {"reply_to": message["reply_to"]} if message.get("reply_to") else {}
        return {"page_id": page_id, "user": wire_user(user), **reply}
    if kind == "notification":
        sender = message["from_user"]
        return {
            "type": message["notification_type"],
            "comment_id": message["comment_id"],
            "from_user": wire_user(sender) if sender else MODERATOR,
        }
    return None


def wire_user(author: dict[str, Any]) -> dict[str, str]:
    """A user as the client reads one; without a picture the field is absent."""
    return {name: author[name] for name in ("id", "name", "avatar_url") if author.get(name) is not None}

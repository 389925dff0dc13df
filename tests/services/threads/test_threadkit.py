"""ThreadKit's own client: its requests as it sends them, and the fields that it reads."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import ANY

import httpx
from websockets.asyncio.client import ClientConnection

from tests.services.threads.live_clients import Process, process_of
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.waiting import until
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Display, Viewer
from townsquare.services.threads.problems import TooManyPages
from townsquare.services.threads.routes.threadkit_socket import error_frame
from townsquare.services.threads.service.comments import page_address

V1 = "/threadkit/v1"


class OldClient:
    """Sends what that client sends: the project's id, and the token once there is one."""

    def __init__(self, world: World, http: httpx.AsyncClient) -> None:
        self._http = http
        self.headers = {"projectid": world.site.api_key_public, "Origin": ORIGIN}

    async def ask(self, method: str, path: str, body: Any = None, **params: str) -> httpx.Response:
        return await self._http.request(method, V1 + path, json=body, params=params, headers=self.headers)

    async def sign_in(self, name: str | None) -> dict[str, Any]:
        tokens: dict[str, Any] = (await self.ask("POST", "/auth/anonymous", {"name": name})).json()
        self.headers["Authorization"] = f"Bearer {tokens['token']}"
        return tokens


async def test_a_visitor_writes_votes_and_is_read(
    world: World, http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    ann, bob = OldClient(world, http), OldClient(world, http)
    methods = (await ann.ask("GET", "/auth/methods")).json()["methods"]
    assert {"id": "anonymous", "name": "Anonymous", "type": "anonymous"} in methods
    user = (await ann.sign_in("Ann"))["user"]
    assert (user["name"], user["email_verified"], user["username_set"]) == ("Ann", False, True)
    await bob.sign_in(None)
    root = (await ann.ask("POST", "/comments", {"page_url": "/p", "content": "**hi**"})).json()["comment"]
    assert (root["t"], root["h"], root["n"], root["a"]) == (
        "**hi**",
        "<p><strong>hi</strong></p>",
        "Ann",
        user["id"],
    )
    assert (root["x"], root["x"] == root["m"], "e" in root, "s" in root) == (
        world.store.clock.now_ms() // 1000,
        True,
        False,
        False,
    )
    reply = await bob.ask(
        "POST", "/comments", {"page_url": "/p", "content": "yes", "parent_path": [root["i"]]}
    )
    assert reply.json()["comment"]["q"] == root["i"]
    here = {"page_url": "/p", "path": [root["i"]]}
    voted = await bob.ask("POST", f"/comments/{root['i']}/vote", {**here, "direction": "up"})
    assert voted.json() == {"upvotes": 1, "downvotes": 0, "user_vote": "up"}
    assert (await bob.ask("GET", "/pages/my_votes", page_url="/p")).json() == {"votes": {root["i"]: "up"}}
    clock.move(seconds=5)
    edited = await ann.ask("PUT", f"/comments/{root['i']}", {**here, "content": "hello"})
    assert (edited.json()["t"], edited.json()["e"], edited.json()["m"] - edited.json()["x"]) == (
        "hello",
        True,
        5,
    )
    thread = (await bob.ask("GET", "/comments", page_url="https://blog.example.org/p", sort="top")).json()
    assert (thread["total"], thread["pageviews"], thread["pinned"]) == (2, 0, [])
    (shown,) = thread["tree"]["c"]
    assert (shown["u"], shown["k"], [one["t"] for one in shown["r"]]) == (1, 1, ["yes"])
    report = {**here, "reason": "spam", "details": "look"}
    assert (await bob.ask("POST", f"/comments/{root['i']}/report", report)).status_code == 204
    deleted = await ann.ask("DELETE", f"/comments/{root['i']}", here)
    assert (deleted.status_code, deleted.content) == (204, b"")
    (place,) = (await bob.ask("GET", "/comments", page_url="/p")).json()["tree"]["c"]
    assert (place["a"], place["t"], place["s"]) == ("d0000000-0000-0000-0000-000000000000", "", "deleted")
    profile = (await bob.ask("GET", f"/users/{user['id']}")).json()
    assert set(profile) == {"id", "name", "avatar_url", "karma", "total_comments", "created_at"}
    await world.check()


async def test_who_is_new_says_a_name_and_the_code_stays_valid(world: World, http: httpx.AsyncClient) -> None:
    client, target = OldClient(world, http), {"email": "ann@example.org"}
    sent = await client.ask("POST", "/auth/send-otp", target)
    assert (sent.status_code, sent.content) == (200, b"")
    code = await world.code_for("ann@example.org")
    wrong = await client.ask(
        "POST", "/auth/verify-otp", {**target, "code": "000000" if code != "000000" else "1"}
    )
    assert wrong.status_code in (400, 401, 422)
    nameless = await client.ask("POST", "/auth/verify-otp", {**target, "code": code})
    assert "Name required" in nameless.json()["error"]
    named = await client.ask("POST", "/auth/verify-otp", {**target, "code": code, "name": "Ann"})
    assert (named.json()["user"]["name"], named.json()["user"]["email_verified"]) == ("Ann", True)
    again = await client.ask("POST", "/auth/refresh", {"refresh_token": named.json()["refresh_token"]})
    client.headers["Authorization"] = f"Bearer {again.json()['token']}"
    assert (await client.ask("GET", "/users/me")).json()["name"] == "Ann"
    renamed = await client.ask("PUT", "/users/me", {"name": "Anne"})
    assert renamed.json()["name"] == "Anne"


async def test_errors_have_the_words_that_the_client_looks_for(world: World, http: httpx.AsyncClient) -> None:
    client = OldClient(world, http)
    assert (await client.ask("GET", "/users/me")).json()["error"] == "unauthorized"
    client.headers["Origin"] = "https://evil.org"
    refused = await client.ask("GET", "/comments", page_url="/p")
    assert (refused.status_code, refused.json()["error"]) == (403, "origin is not allowed")
    client.headers["projectid"] = "tsq_pub_wrong"
    refused = await client.ask("GET", "/comments", page_url="/p")
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid api key")
    assert await world.scores(keys.site_pages(world.site.id)) == {}


class OldSocket:
    """Reads frames as the client's handlers do: a field of another shape is an error there as well."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.present: list[str] = []

    async def send(self, method: str, **params: Any) -> None:
        await self._socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def wait_for(self, *methods: str) -> dict[str, Any]:
        while True:
            frame = json.loads(await self._socket.recv())
            assert frame["jsonrpc"] == "2.0"
            params: dict[str, Any] = frame["params"]
            match frame["method"]:
                case "presence":
                    self.present = [user["name"] for user in params["users"]]
                case "user_joined":
                    self.present.append(params["user"]["name"])
                case "user_left":
                    assert isinstance(params["user_id"], str)
                case "typing":
                    assert {"id", "name"} <= set(params["user"]) <= {"id", "name", "avatar_url"}
                case "error":
                    assert set(params) == {"code", "message"}
            if frame["method"] in methods:
                return params

    async def wait_for_present(self, *names: str) -> None:
        while set(self.present) != set(names):
            await self.wait_for("presence", "user_joined")


@asynccontextmanager
async def old_socket(process: Process, viewer: Viewer | None = None) -> AsyncIterator[OldSocket]:
    token = f"&token={await process._token(str(viewer.user_id))}" if viewer else ""
    path = f"/threadkit/ws?project_id={process.world.site.api_key_public}{token}"
    async with asyncio.timeout(20), process.server.opened(path, origin=ORIGIN) as socket:
        client = OldSocket(socket)
        assert await client.wait_for("connected") == {"user_id": viewer and viewer.user_id}
        yield client


async def test_the_socket_sends_the_frames_that_the_client_reads(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(bob, "root")
    async with process_of(world) as process, old_socket(process, ann) as client:
        await client.send("ping")
        assert await client.wait_for("pong") == {}
        await client.send("subscribe", page_id=root.page_id)
        await client.wait_for_present("ann")
        reply = await world.comment(bob, "*reply*", parent=root.id)
        new = await client.wait_for("new_comment")
        assert (new["page_id"], new["comment"]["i"], new["comment"]["t"], new["comment"]["q"]) == (
            root.page_id,
            reply.id,
            "*reply*",
            root.id,
        )
        await world.threads.comments.vote(bob, root.id, "up")
        voted = await client.wait_for("vote_update")
        assert voted == {"page_id": root.page_id, "comment_id": root.id, "upvotes": 1, "downvotes": 0}
        await world.threads.comments.edit(bob, await world.key(), reply.id, "**new**")
        assert (await client.wait_for("edit_comment"))["content_html"] == "<p><strong>new</strong></p>"
        await world.threads.comments.delete(bob, reply.id)
        assert (await client.wait_for("delete_comment"))["comment_id"] == reply.id


async def test_presence_typing_and_notifications_name_users(world: World, clock: PinnedClock) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    await world.settings(display=Display(typing=True))
    root = await world.comment(ann, "root")
    picture = "https://example.org/bob.png"
    await world.threads.commenters.call_oneself(str(bob.user_id), avatar_url=picture)
    bobs_user = {"id": bob.user_id, "name": "bob", "avatar_url": picture}
    async with process_of(world) as process, old_socket(process, ann) as anns:
        await anns.send("subscribe", page_id=root.page_id)
        await anns.wait_for_present("ann")
        async with old_socket(process, bob) as bobs:
            await bobs.send("subscribe", page_id=root.page_id)
            assert await anns.wait_for("user_joined") == {"page_id": root.page_id, "user": bobs_user}
            await bobs.wait_for_present("ann", "bob")
            await bobs.send("typing", page_id=root.page_id)
            assert await anns.wait_for("typing") == {"page_id": root.page_id, "user": bobs_user}
            clock.move(seconds=2)
            await bobs.send("typing", page_id=root.page_id, reply_to=root.id)
            expected = {"page_id": root.page_id, "user": bobs_user, "reply_to": root.id}
            assert await anns.wait_for("typing") == expected
            await bobs.send("typing", page_id=root.page_id, reply_to="nonsense")
            assert (await bobs.wait_for("error"))["code"] == "comment_not_found"
            await until(lambda: process.hears(ann))
            await world.comment(bob, "reply", parent=root.id)
            notification = {"type": "reply", "comment_id": ANY, "from_user": bobs_user}
            assert await anns.wait_for("notification") == notification
            mod = await world.moderator()
            await world.threads.moderation.reject(mod, root.id)
            by_moderator = await anns.wait_for("notification")
            assert (by_moderator["type"], by_moderator["from_user"]["name"]) == ("mod_action", "Moderator")
        assert await anns.wait_for("user_left") == {"page_id": root.page_id, "user_id": bob.user_id}


async def test_a_page_without_comments_can_be_subscribed_to(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    await world.settings(display=Display(typing=True))
    page = await world.page("/empty")
    other = await world.threads.sites.create("Other", "other.example.org")
    foreign = page_address(await world.threads.sites.by_key(other.api_key_public), "/x")
    async with (
        process_of(world) as process,
        old_socket(process, ann) as anns,
        old_socket(process, bob) as bobs,
    ):
        for client in (anns, bobs):
            for page_id in (page.id, foreign.id):
                await client.send("subscribe", page_id=page_id)
        await anns.wait_for_present("ann", "bob")
        await bobs.send("typing", page_id=page.id)
        assert (await anns.wait_for("typing"))["user"]["name"] == "bob"
        site = await world.threads.sites.by_key(other.api_key_public)
        stranger = Viewer(site_id=other.id, user_id=bob.user_id)
        await world.threads.comments.create(stranger, site, foreign, "of another site")
        await world.comment(bob, "first", path="/empty")
        new = await anns.wait_for("new_comment")
        assert (new["page_id"], new["comment"]["t"]) == (page.id, "first")
        await anns.send("unsubscribe", page_id=foreign.id)
        await anns.send("subscribe", page_id=foreign.id)  # by now it is known whose page it is
        assert (await anns.wait_for("error"))["code"] == "page_not_found"


async def test_what_the_socket_refuses_is_an_error_frame(world: World) -> None:
    async with process_of(world) as process, old_socket(process) as client:
        await client.send("dance")
        assert (await client.wait_for("error"))["code"] == "invalid_method"
        await client._socket.send("{")
        assert (await client.wait_for("error"))["code"] == "invalid_json"
    assert error_frame(TooManyPages()).params["code"] == "subscription_limit"

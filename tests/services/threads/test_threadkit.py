"""ThreadKit's own client: its requests as it sends them, and the fields that it reads."""

import asyncio
import json
from typing import Any

import httpx

from tests.services.threads.live_clients import process_of
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from townsquare.services.threads import keys
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


async def test_the_socket_tells_in_the_frames_of_the_client(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(bob, "root")
    async with process_of(world) as process:
        token = await process._token(str(ann.user_id))
        path = f"/threadkit/ws?project_id={world.site.api_key_public}&token={token}"
        async with asyncio.timeout(20), process.server.opened(path, origin=ORIGIN) as socket:

            async def say(method: str, **params: Any) -> None:
                await socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

            async def hear(method: str) -> dict[str, Any]:
                while True:
                    frame = json.loads(await socket.recv())
                    assert frame["jsonrpc"] == "2.0"
                    if frame["method"] == method:
                        return dict(frame["params"])

            assert await hear("connected") == {"user_id": ann.user_id}
            await say("ping")
            assert await hear("pong") == {}
            await say("subscribe", page_id=root.page_id)
            present = (await hear("presence"))["users"] or [(await hear("user_joined"))["user_id"]]
            assert present == [ann.user_id]
            reply = await world.comment(bob, "*reply*", parent=root.id)
            told = await hear("new_comment")
            assert (told["page_id"], told["comment"]["i"], told["comment"]["t"], told["comment"]["q"]) == (
                root.page_id,
                reply.id,
                "*reply*",
                root.id,
            )
            await world.threads.comments.vote(bob, root.id, "up")
            voted = await hear("vote_update")
            assert voted == {"page_id": root.page_id, "comment_id": root.id, "upvotes": 1, "downvotes": 0}
            await world.threads.comments.edit(bob, await world.key(), reply.id, "**new**")
            edited = await hear("edit_comment")
            assert edited["content_html"] == "<p><strong>new</strong></p>"
            await world.threads.comments.delete(bob, reply.id)
            assert (await hear("delete_comment"))["comment_id"] == reply.id
            await say("dance")
            assert (await hear("error"))["code"] == "invalid_method"
            other = await world.threads.sites.create("Other", "other.example.org")
            elsewhere = page_address(await world.threads.sites.by_key(other.api_key_public), "/x")
            await say("subscribe", page_id=elsewhere.id)
            assert (await hear("error"))["code"] == "page_not_found"

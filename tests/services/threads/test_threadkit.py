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
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.problems import TooManyPages
from townsquare.services.threads.routes.threadkit_socket import error_frame

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


async def test_a_password_account_signs_up_in_and_out(world: World, http: httpx.AsyncClient) -> None:
    await world.settings(sign_in=["code", "password"])
    client, mail = OldClient(world, http), {"email": "ann@example.org"}
    made = await client.ask("POST", "/auth/register", {**mail, "name": "Ann", "password": "kludge-mirth-9"})
    assert made.status_code == 200, made.text
    assert (made.json()["user"]["name"], made.json()["user"]["email_verified"]) == ("Ann", False)
    taken = await client.ask("POST", "/auth/register", {**mail, "name": "Eve", "password": "kludge-mirth-8"})
    assert taken.status_code == 409
    wrong = await client.ask("POST", "/auth/login", {**mail, "password": "nonsense"})
    assert (wrong.status_code, "error" in wrong.json()) == (401, True)
    signed = await client.ask("POST", "/auth/login", {**mail, "password": "kludge-mirth-9"})
    assert signed.status_code == 200, signed.text
    tokens = signed.json()
    client.headers["Authorization"] = f"Bearer {tokens['token']}"
    confirmed = {**mail, "code": await world.code_for("ann@example.org")}
    tokens = (await client.ask("POST", "/auth/verify", confirmed)).json()
    client.headers["Authorization"] = f"Bearer {tokens['token']}"
    me = (await client.ask("GET", "/users/me")).json()
    assert (me["name"], me["email"]) == ("Ann", "ann@example.org")
    assert (await world.square.accounts.users.get(me["id"])).email_verified
    assert me["social_links"] == {}
    assert (await client.ask("POST", "/auth/logout")).status_code == 200
    assert (await client.ask("GET", "/users/me")).status_code == 401
    del client.headers["Authorization"]
    assert (await client.ask("POST", "/auth/forgot", mail)).status_code == 200
    reset = {**mail, "code": await world.code_for("ann@example.org"), "new_password": "sprocket-lime-4"}
    assert (await client.ask("POST", "/auth/reset", reset)).status_code == 200
    again = await client.ask("POST", "/auth/login", {**mail, "password": "sprocket-lime-4"})
    assert again.status_code == 200


async def test_only_the_ways_in_that_the_site_allows(world: World, http: httpx.AsyncClient) -> None:
    client, mail = OldClient(world, http), {"email": "ann@example.org"}
    await world.settings(sign_in=["sso"])
    before = len(world.letters.sent)
    for path, body in (
        ("/auth/anonymous", {"name": "Ann"}),
        ("/auth/send-otp", mail),
        ("/auth/verify-otp", {**mail, "code": "123456", "name": "Ann"}),
        ("/auth/register", {**mail, "name": "Ann", "password": "kludge-mirth-9"}),
        ("/auth/login", {**mail, "password": "kludge-mirth-9"}),
        ("/auth/forgot", mail),
        ("/auth/reset", {**mail, "code": "123456", "new_password": "kludge-mirth-9"}),
    ):
        refused = await client.ask("POST", path, body)
        assert (path, refused.status_code) == (path, 403)
    assert (await client.ask("GET", "/auth/methods")).json() == {"methods": []}
    await world.square.accounts.delivered()
    assert len(world.letters.sent) == before
    assert await world.square.accounts.users.find_by("email", "ann@example.org") is None


async def test_users_are_checked_blocked_and_deleted(world: World, http: httpx.AsyncClient) -> None:
    await world.user("ann")
    ann, bob = OldClient(world, http), OldClient(world, http)
    anns, bobs = (await ann.sign_in("Ann A"))["user"]["id"], (await bob.sign_in("Bob"))["user"]["id"]
    for name, available in (("Nobody yet", True), ("ann", False), ("", False), ("x" * 51, False)):
        checked = (await bob.ask("POST", "/users/check-username", {"username": name})).json()
        assert (name, checked["available"]) == (name, available)
        assert ("error" in checked) == (name in ("", "x" * 51))
    await ann.ask("POST", "/comments", {"page_url": "/p", "content": "by ann"})
    listed = (await bob.ask("GET", f"/users/{anns}/comments", limit="1")).json()
    assert ([one["comment"]["t"] for one in listed["comments"]], listed["has_more"]) == (["by ann"], False)
    assert (await ann.ask("GET", "/users/me/comments")).json() == listed
    assert (await bob.ask("POST", f"/users/{anns}/block")).status_code == 200
    (blocked,) = (await bob.ask("GET", "/users/me/blocked")).json()["users"]
    assert (blocked["id"], blocked["name"]) == (anns, "Ann A")
    (hidden,) = (await bob.ask("GET", "/comments", page_url="/p")).json()["tree"]["c"]
    assert hidden["t"] == ""
    assert (await bob.ask("DELETE", f"/users/{anns}/block")).status_code == 200
    assert (await bob.ask("POST", f"/users/{anns}/block")).status_code == 200
    assert (await bob.ask("POST", f"/users/{anns}/unblock")).status_code == 200
    assert (await bob.ask("GET", "/users/me/blocked")).json() == {"users": []}
    assert (await bob.ask("POST", f"/users/{bobs}/block")).status_code == 422
    assert (await ann.ask("DELETE", "/users/me")).status_code == 204
    job = (await world.square.accounts.users.get(anns)).deleting
    await world.square.jobs.run(str(job))
    assert (await ann.ask("GET", "/users/me")).status_code == 401
    assert (await bob.ask("GET", f"/users/{anns}")).status_code == 404
    registered = OldClient(world, http)
    await registered.ask("POST", "/auth/send-otp", {"email": "eve@example.org"})
    code = {"email": "eve@example.org", "code": await world.code_for("eve@example.org"), "name": "Eve"}
    tokens = (await registered.ask("POST", "/auth/verify-otp", code)).json()
    registered.headers["Authorization"] = f"Bearer {tokens['token']}"
    assert (await registered.ask("DELETE", "/users/me")).status_code == 403
    assert (await registered.ask("GET", "/users/me")).json()["name"] == "Eve"
    await world.check()


async def test_notifications_name_their_senders(
    world: World, http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    ann, bob = OldClient(world, http), OldClient(world, http)
    await ann.sign_in("Ann")
    bobs = (await bob.sign_in("Bob"))["user"]["id"]
    root = (await ann.ask("POST", "/comments", {"page_url": "/p", "content": "root"})).json()["comment"]["i"]
    reply = {"page_url": "/p", "content": "reply", "parent_path": [root]}
    replied = (await bob.ask("POST", "/comments", reply)).json()["comment"]["i"]
    clock.move(seconds=1)
    await world.threads.moderation.reject(await world.moderator(), root)
    found = (await ann.ask("GET", "/notifications", offset="0", limit="50")).json()
    by_moderator, by_bob = found["notifications"]
    assert (found["unread_count"], by_bob["notification_type"], by_bob["comment_id"]) == (2, "reply", replied)
    assert (by_bob["from_user"]["id"], by_bob["from_user"]["name"], by_bob["read"]) == (bobs, "Bob", False)
    assert by_moderator["from_user"]["name"] == "Moderator"
    assert (await ann.ask("GET", "/notifications", offset="1")).json()["notifications"] == [by_bob]
    assert (await ann.ask("POST", "/notifications/read")).status_code == 200
    assert (await ann.ask("GET", "/notifications")).json()["unread_count"] == 0


async def test_moderators_moderate_and_nobody_else(
    world: World, http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    ann, mod = OldClient(world, http), OldClient(world, http)
    anns, mods = (await ann.sign_in("Ann"))["user"]["id"], (await mod.sign_in("Mod"))["user"]["id"]
    posted = await ann.ask("POST", "/comments", {"page_url": "/p", "content": "zero"})
    public = posted.json()["comment"]["i"]
    await world.settings(moderation="pre")
    made = []
    for text in ("one", "two"):
        posted = await ann.ask("POST", "/comments", {"page_url": "/p", "content": text})
        made.append(posted.json()["comment"]["i"])
        clock.move(seconds=1)
    where = {"page_id": (await world.page("/p")).id, "path": [made[0]]}
    calls = [
        ("GET", "/moderation/queue", None),
        ("GET", "/moderation/reports", None),
        ("POST", f"/moderation/approve/{made[0]}", where),
        ("POST", f"/moderation/reject/{made[1]}", where),
        ("POST", f"/comments/{made[0]}/pin", {"pinned": True}),
        ("POST", f"/moderation/shadowban/{anns}", None),
        ("POST", f"/moderation/unban/{anns}", None),
        ("POST", f"/users/{anns}/ban", None),
        ("POST", f"/moderation/ban/{anns}", {"delete_comments": True}),
    ]
    for method, path, body in calls:
        assert (path, (await ann.ask(method, path, body)).status_code) == (path, 403)
    await world.threads.sites.set_role(world.site.id, mods, "moderator")
    queue = (await mod.ask("GET", "/moderation/queue", offset="1", limit="1")).json()
    assert ([one["comment"]["t"] for one in queue["items"]], queue["total"]) == (["two"], 1)
    assert queue["items"][0]["page_id"] == where["page_id"]
    reported = await mod.ask("POST", f"/comments/{public}/report")  # as the React component does
    assert reported.status_code == 204, reported.text
    answers = {path: await mod.ask(method, path, body) for method, path, body in calls}
    assert {path: one.status_code for path, one in answers.items()} == dict.fromkeys(answers, 200)
    (report,) = answers["/moderation/reports"].json()["items"]
    assert (report["comment_id"], report["reporter"]["name"]) == (public, "Mod")
    assert answers[f"/moderation/ban/{anns}"].json() == {"comments_deleted": 3}
    assert await world.store.call("SISMEMBER", keys.site_blocked(world.site.id), anns)
    await world.check()


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
    await world.threads.commenters.set_own_name(str(bob.user_id), avatar_url=picture)
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

import httpx
import pytest

from tests.services.social.world import World, signed_in
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean

ALICE, BOB, ROOT = signed_in("alice"), signed_in("bob"), signed_in("root/admin")


@pytest.fixture(autouse=True)
async def everybody(world: World) -> None:
    await world.people("alice", given={"display_name": "Alice"})
    await world.people("bob")
    await world.people("root", role="admin")


async def written(http: httpx.AsyncClient, content: str = "hi #tag") -> str:
    answer = await http.post("/social/posts", json={"content": content}, headers=ALICE)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_a_post_from_first_to_last(http: httpx.AsyncClient, world: World) -> None:
    id = await written(http, "Hello #Travel")
    for _ in range(2):
        liked = await http.post(f"/social/posts/{id}/like", headers=BOB)
        assert liked.status_code == 200
    assert liked.json() == {"changed": False, "count": 1}
    assert (await http.post(f"/social/posts/{id}/bookmark", headers=BOB)).json() == {
        "changed": True,
        "count": 1,
    }
    shown = (await http.get(f"/social/posts/{id}", headers=BOB)).json()
    assert (shown["isLiked"], shown["isBookmarked"], shown["post"]["likesCount"]) == (True, True, 1)
    assert shown["author"]["display_name"] == "Alice"
    edited = await http.patch(f"/social/posts/{id}", json={"content": "new #tag"}, headers=ALICE)
    assert (edited.json()["content"], edited.json()["hashtags"]) == ("new #tag", ["tag"])
    assert (await http.delete(f"/social/posts/{id}/like", headers=BOB)).json() == {
        "changed": True,
        "count": 0,
    }
    assert (await http.delete(f"/social/posts/{id}/bookmark", headers=BOB)).json()["changed"]
    refused = await http.delete(f"/social/posts/{id}", headers=BOB)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_yours")
    assert (await http.delete(f"/social/posts/{id}", headers=ALICE)).json() == {"id": id, "deleted": True}
    assert (await http.get(f"/social/posts/{id}")).status_code == 404
    await assert_clean(world.store)


async def test_media_can_be_set_and_removed(http: httpx.AsyncClient) -> None:
    id = await written(http)
    url = "https://m.example/1.png"
    changed = await http.patch(f"/social/posts/{id}", json={"media_url": url}, headers=ALICE)
    assert (changed.json()["media_url"], changed.json()["content"]) == (url, "hi #tag")
    changed = await http.patch(f"/social/posts/{id}", json={"media_url": None}, headers=ALICE)
    assert changed.json()["media_url"] is None


async def test_the_same_idempotency_key_writes_once(http: httpx.AsyncClient) -> None:
    headers = {**ALICE, "Idempotency-Key": "first-post-ever"}
    first = await http.post("/social/posts", json={"content": "once"}, headers=headers)
    again = await http.post("/social/posts", json={"content": "once"}, headers=headers)
    assert first.json() == again.json()
    assert len((await http.get("/social/feed/explore")).json()["items"]) == 1


async def test_follow_and_read_the_feed(http: httpx.AsyncClient) -> None:
    id = await written(http)
    assert (await http.post("/social/users/alice/follow", headers=BOB)).json() == {
        "changed": True,
        "count": 1,
    }
    feed = (await http.get("/social/feed/following", headers=BOB)).json()
    assert [item["post"]["id"] for item in feed["items"]] == [id]
    assert feed["next"] is None
    followers = (await http.get("/social/users/alice/followers")).json()["items"]
    assert [one["username"] for one in followers] == ["bob"]
    following = (await http.get("/social/users/me/following", headers=BOB)).json()["items"]
    assert [one["username"] for one in following] == ["alice"]
    assert (await http.get("/social/users/alice", headers=BOB)).json()["isFollowing"] is True
    assert (await http.delete("/social/users/alice/follow", headers=BOB)).json() == {
        "changed": True,
        "count": 0,
    }


@pytest.mark.parametrize("relation", ["follow", "block", "mute"])
@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_nobody_does_it_to_themselves(http: httpx.AsyncClient, method: str, relation: str) -> None:
    for name in ("me", "alice"):
        answer = await http.request(method, f"/social/users/{name}/{relation}", headers=ALICE)
        assert (answer.status_code, answer.json()["code"]) == (422, "not_yourself")


async def test_block_and_mute(http: httpx.AsyncClient) -> None:
    id = await written(http)
    assert (await http.post("/social/users/alice/mute", headers=BOB)).json() == {"changed": True}
    assert (await http.get("/social/feed/explore", headers=BOB)).json()["items"] == []
    assert [
        one["username"] for one in (await http.get("/social/users/me/muted", headers=BOB)).json()["items"]
    ] == ["alice"]
    assert (await http.delete("/social/users/alice/mute", headers=BOB)).json() == {"changed": True}
    assert (await http.post("/social/users/alice/block", headers=BOB)).json() == {"changed": True}
    assert (await http.get(f"/social/posts/{id}", headers=BOB)).status_code == 404
    assert (await http.get("/social/users/bob", headers=ALICE)).status_code == 404
    blocked = (await http.get("/social/users/me/blocked", headers=BOB)).json()["items"]
    assert [one["username"] for one in blocked] == ["alice"]
    assert (await http.delete("/social/users/alice/block", headers=BOB)).json() == {"changed": True}


async def test_moderation_is_for_moderators(http: httpx.AsyncClient) -> None:
    id = await written(http)
    assert (await http.post(f"/social/posts/{id}/report", json={"reason": "spam"}, headers=BOB)).json() == {
        "changed": True
    }
    assert (await http.get("/social/reports", headers=ROOT)).json()["items"][0]["reports"][0][
        "reason"
    ] == "spam"
    for refused in (
        await http.post(f"/social/posts/{id}/ban", headers=BOB),
        await http.delete(f"/social/posts/{id}/ban", headers=BOB),
        await http.get("/social/reports", headers=BOB),
    ):
        assert refused.status_code == 403
    assert (await http.post(f"/social/posts/{id}/ban", headers=ROOT)).json() == {"changed": True}
    assert (await http.post(f"/social/posts/{id}/ban", headers=ROOT)).json() == {"changed": False}
    assert (await http.get("/social/feed/hashtag/TAG")).json()["items"] == []
    assert (await http.get(f"/social/posts/{id}")).status_code == 404
    assert (await http.get(f"/social/posts/{id}", headers=ALICE)).json()["post"]["banned"] is True
    liked = await http.post(f"/social/posts/{id}/like", headers=ALICE)
    assert (liked.status_code, liked.json()["code"]) == (403, "post_banned")
    assert (await http.delete(f"/social/posts/{id}/ban", headers=ROOT)).json() == {"changed": True}
    assert len((await http.get("/social/feed/hashtag/tag/ranked")).json()["items"]) == 1
    assert (await http.delete(f"/social/posts/{id}", headers=ROOT)).status_code == 200


async def test_a_profile_is_changed_by_its_owner(http: httpx.AsyncClient) -> None:
    changed = await http.patch(
        "/social/users/me",
        json={"bio": "hi", "links": ["https://a.example"], "email": "a@b.c", "custom": {"hat": "red"}},
        headers=ALICE,
    )
    assert (changed.json()["bio"], changed.json()["private"]) == ("hi", {"email": "a@b.c", "hat": "red"})
    removed = await http.patch(
        "/social/users/alice", json={"bio": None, "custom": {"hat": None}}, headers=ALICE
    )
    assert (removed.json()["bio"], removed.json()["private"]) == (None, {"email": "a@b.c"})
    other = await http.patch("/social/users/alice", json={"bio": "x"}, headers=BOB)
    assert other.status_code == 403
    moderator = await http.patch("/social/users/alice", json={"bio": "x", "role": "model"}, headers=ROOT)
    assert moderator.status_code == 403
    self_made = await http.patch("/social/users/me", json={"role": "admin"}, headers=BOB)
    assert self_made.status_code == 403
    made = await http.patch("/social/users/alice", json={"role": "model"}, headers=ROOT)
    assert made.json()["role"] == "model"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"password": "x"}, "sensitive_field"),
        ({"ssn": "1"}, "sensitive_field"),
        ({"custom": {"creditCard": "1"}}, "sensitive_field"),
        ({"postCount": 5}, "system_field"),
        ({"custom": {"followerCount": "5"}}, "system_field"),
        ({"custom": {"deleting": "x"}}, "system_field"),
        ({"custom": {"username": "x"}}, "system_field"),
        ({"avatar": "javascript:x"}, "bad_profile_field"),
        ({"bio": 5}, "invalid"),
        ({"role": "king"}, "invalid"),
        ({"custom": {"a": 1}}, "invalid"),
    ],
)
async def test_what_cannot_be_set_is_refused_whole(
    http: httpx.AsyncClient, body: dict[str, object], code: str
) -> None:
    answer = await http.patch("/social/users/me", json={"bio": "new", **body}, headers=ROOT)
    assert (answer.json()["code"], answer.status_code) == (code, answer.status_code)
    assert answer.status_code in (403, 422)
    assert (await http.get("/social/users/root")).json()["bio"] is None


@pytest.mark.parametrize("path", ["me", "root"])
async def test_a_field_that_nobody_knows_is_named(http: httpx.AsyncClient, path: str) -> None:
    body = {"bio": "new", "nickname": "x", "PostCount": "5", "username": "other"}
    answer = await http.patch(f"/social/users/{path}", json=body, headers=ROOT)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field")
    assert [one["field"] for one in answer.json()["errors"]] == ["nickname", "PostCount", "username"]
    assert "`custom`" in answer.json()["detail"]
    assert (await http.get("/social/users/root")).json()["bio"] is None


async def test_a_moderator_whom_a_user_blocks_may_change_the_role(http: httpx.AsyncClient) -> None:
    await http.post("/social/users/root/block", headers=ALICE)
    made = await http.patch("/social/users/alice", json={"role": "model"}, headers=ROOT)
    assert (made.status_code, made.json()["role"]) == (200, "model")
    assert "private" not in made.json()


async def test_a_change_of_nothing_is_no_edit(http: httpx.AsyncClient) -> None:
    id = await written(http)
    answer = await http.patch(f"/social/posts/{id}", json={}, headers=ALICE)
    assert (answer.status_code, answer.json()["edited_at"]) == (200, None)


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("", {"content": "\u200b"}, "A post has"),
        ("", {"content": "x", "media_url": "ftp://x"}, "media_url"),
        ("", {"content": "x", "media_url": "http://[::1"}, "media_url"),
        ("/{id}/report", {"reason": "  "}, "reason"),
    ],
)
async def test_a_problem_says_what_is_wrong(
    http: httpx.AsyncClient, path: str, body: dict[str, str], says: str
) -> None:
    where = path.replace("{id}", await written(http))
    answer = await http.post(f"/social/posts{where}", json=body, headers=ALICE)
    assert answer.status_code == 422
    assert says in answer.json()["title"]
    assert says.split()[-1] in answer.json()["title"] + answer.json()["detail"]


async def test_a_write_needs_a_user(http: httpx.AsyncClient) -> None:
    id = await written(http)
    for method, path in (
        ("POST", "/social/posts"),
        ("DELETE", f"/social/posts/{id}"),
        ("POST", f"/social/posts/{id}/like"),
        ("POST", "/social/users/alice/follow"),
        ("PATCH", "/social/users/alice"),
        ("GET", "/social/users/me"),
        ("GET", "/social/users/me/bookmarked"),
        ("GET", "/social/feed/following"),
    ):
        answer = await http.request(method, path, json={"content": "x"} if method != "GET" else None)
        assert answer.status_code == 401, (method, path)
    nameless = await http.post("/social/posts", json={"content": "x"}, headers=signed_in("/user"))
    assert nameless.status_code == 403
    ghost = await http.post(f"/social/posts/{id}/like", headers=signed_in("ghost"))
    assert (ghost.status_code, ghost.json()["code"]) == (404, "profile_not_found")


@pytest.mark.parametrize("limit", ["-1", "0", "101", "x", "1e3"])
async def test_a_page_has_a_size(http: httpx.AsyncClient, limit: str) -> None:
    for path in ("feed/explore", "users/alice/posts", "users/alice/followers", "search/models/top"):
        assert (await http.get(f"/social/{path}?limit={limit}")).status_code == 422


async def test_search(http: httpx.AsyncClient, world: World, clock: PinnedClock) -> None:
    await world.people("mia", role="model")
    id = await written(http, "#a #b")
    assert [one["username"] for one in (await http.get("/social/search/users?q=AL")).json()["items"]] == [
        "alice"
    ]
    newest = (await http.get("/social/search/users/newest?role=model")).json()["items"]
    assert [one["username"] for one in newest] == ["mia"]
    top = (await http.get("/social/search/models/top")).json()["items"]
    assert (top[0]["profile"]["username"], top[0]["engagement"]) == ("mia", 0)
    best = (await http.get("/social/search/hashtags/top-posts?hashtags=a,b")).json()["items"]
    assert [(one["hashtag"], one["items"][0]["post"]["id"]) for one in best] == [("a", id), ("b", id)]
    too_many = ",".join(f"t{number}" for number in range(13))
    assert (await http.get(f"/social/search/hashtags/top-posts?hashtags={too_many}")).status_code == 422
    assert (await http.get("/social/search/hashtags/top-posts")).status_code == 422
    trends = (await http.get("/social/search/hashtags/trending")).json()["items"]
    assert sorted(one["hashtag"] for one in trends) == ["a", "b"]
    assert (await http.get("/social/search/users?q=")).status_code == 422


async def test_the_api_describes_itself(http: httpx.AsyncClient) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]
    assert {"get", "patch"} <= set(paths["/social/users/{username}"])
    assert {"post", "delete"} <= set(paths["/social/posts/{id}/like"])
    for path, methods in paths.items():
        for method, operation in methods.items():
            leads_on = path.removeprefix("/social").startswith("/users/{username}")
            assert ("308" in operation["responses"]) == leads_on, (method, path)
    assert "Location" in paths["/social/users/{username}"]["delete"]["responses"]["308"]["headers"]


@pytest.mark.parametrize("cursor", ["zzz", "%00", "🙂", "x" * 5000])
async def test_a_bad_cursor_is_a_bad_request(http: httpx.AsyncClient, cursor: str) -> None:
    answer = await http.get("/social/feed/explore", params={"cursor": cursor})
    assert answer.status_code == 422


async def test_the_seed_names_its_endpoints_at_the_root(http: httpx.AsyncClient, world: World) -> None:
    token = {"x-access-token": ALICE["Authorization"].removeprefix("Bearer ")}
    posted = await http.post("/posts", json={"content": "Hello #Travel"}, headers=token)
    id = posted.json()["id"]
    assert (posted.status_code, (await http.get(f"/posts/{id}")).status_code) == (201, 200)
    bob = {"x-authorization": BOB["Authorization"]}
    for path in (f"/posts/{id}/like", f"/posts/{id}/bookmark", "/users/alice/follow"):
        assert (await http.post(path, headers=bob)).json()["changed"] is True
        assert (await http.post(f"/social{path}", headers=BOB)).json()["changed"] is False
    for feed in ("explore", "following", "hashtag/travel", "hashtag/travel/ranked"):
        shown = (await http.get(f"/feed/{feed}", headers=bob)).json()
        assert [item["post"]["id"] for item in shown["items"]] == [id], feed
    changed = await http.patch("/users/alice", json={"bio": "there"}, headers=token)
    assert (changed.json()["bio"], (await http.get("/users/alice")).json()["bio"]) == ("there", "there")
    for saved in ("bob", "me"):
        page = (await http.get(f"/users/{saved}/bookmarked?limit=20", headers=bob)).json()
        assert [item["post"]["id"] for item in page["items"]] == [id]
    assert (await http.get("/users/bob/bookmarked", headers=token)).status_code == 403
    await world.people("mia", role="model")
    for path in ("users/newest?role=model&limit=10", "users?q=mi"):
        assert [one["username"] for one in (await http.get(f"/search/{path}")).json()["items"]] == ["mia"]
    top = (await http.get("/search/models/top?limit=5")).json()["items"]
    assert [one["profile"]["username"] for one in top] == ["mia"]
    best = await http.get("/search/hashtags/top-posts?hashtags=travel,food&postsPerHashtag=5")
    assert [len(one["items"]) for one in best.json()["items"]] == [1, 0]
    assert [one["hashtag"] for one in (await http.get("/search/hashtags/trending")).json()["items"]] == [
        "travel"
    ]
    assert (await http.get("/ping")).json() == {"status": "ok", "message": "pong"}
    assert (await http.patch(f"/posts/{id}/ban", headers=bob)).status_code == 403
    assert (await http.patch(f"/posts/{id}/ban", headers=ROOT)).json() == {"changed": True}
    assert (await http.delete(f"/posts/{id}/ban", headers=ROOT)).json() == {"changed": True}
    for path in (f"/posts/{id}/like", f"/posts/{id}/bookmark", "/users/alice/follow"):
        assert (await http.delete(path, headers=bob)).json()["changed"] is True
    assert (await http.patch(f"/posts/{id}", json={"content": "new"}, headers=token)).status_code == 200
    assert (await http.delete(f"/posts/{id}", headers=token)).json()["deleted"] is True
    assert (await http.post("/redis/write", json={"commands": [["ZADD"]]})).status_code == 401
    await assert_clean(world.store)

"""What another process keeps in memory is not shown once it has changed: the next request there sees it."""

import gc
import tracemalloc
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse, open_square
from townsquare.keyspace import Role
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.signin.models import Client
from townsquare.services.social import keys
from townsquare.services.social.service import hydration
from townsquare.square import Square

pytestmark = pytest.mark.with_memory

EXPLORE = "/social/feed/explore"
AVATAR = "https://example.com/" + "a" * 1_900


@pytest.fixture
async def other(place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    async with open_square(place, clock) as square:
        yield square


@pytest.fixture
async def there(other: Square) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP to the other process."""
    async with browse(other) as client:
        yield client


async def signed_up(square: Square, name: str) -> dict[str, str]:
    account = await square.accounts.sign_up(name)
    signed = await square.accounts.sessions.issue(account, "password", Client())
    return bearer(signed.access_token)


async def contents(there: httpx.AsyncClient, path: str, who: dict[str, str]) -> list[str]:
    answer = await there.get(path, headers=who)
    assert answer.status_code == 200, answer.text
    return [item["post"]["content"] for item in answer.json()["items"]]


async def test_what_changes_here_is_seen_there(
    square: Square, other: Square, there: httpx.AsyncClient
) -> None:
    alice, bob = await signed_up(square, "alice"), await signed_up(square, "bob")
    first = await square.social.create_post("alice", "first #tag")
    second = await square.social.create_post("bob", "second #tag")
    await square.social.follow("bob", "alice")
    tag = "/social/feed/hashtag/tag"
    pages = (EXPLORE, tag, f"{tag}/ranked", "/social/feed/following")
    for page in pages * 3:  # until all of it is in memory there
        assert set(await contents(there, page, bob)) == {"first #tag", "second #tag"}
    near = other.store.near
    assert near is not None
    assert near.hits > 10
    assert await contents(there, "/social/users/alice/posts", bob) == ["first #tag"]

    await square.social.edit_post(first.id, "alice", content="changed #tag")
    for page in pages:
        assert "changed #tag" in await contents(there, page, bob)
    await square.social.like(first.id, "bob")
    items = (await there.get(EXPLORE, headers=bob)).json()["items"]
    shown = {item["post"]["id"]: (item["isLiked"], item["post"]["likesCount"]) for item in items}
    assert shown == {first.id: (True, 1), second.id: (False, 0)}
    unseen = (await there.get(EXPLORE, headers=alice)).json()["items"]
    assert not any(item["isLiked"] for item in unseen), "the mark of one viewer is nobody else's"

    await square.social.change_profile("alice", {"display_name": "A."})
    authors = [
        item["author"]["display_name"] for item in (await there.get(EXPLORE, headers=bob)).json()["items"]
    ]
    assert "A." in authors
    await square.social.ban_post(first.id, "bob")
    assert await contents(there, EXPLORE, bob) == ["second #tag"]
    await square.social.unban_post(first.id)
    assert len(await contents(there, EXPLORE, bob)) == 2
    await square.social.block("alice", "bob")
    assert await contents(there, EXPLORE, bob) == ["second #tag"]
    assert (await there.get("/social/users/alice", headers=bob)).status_code == 404
    assert (await there.get("/social/users/alice/posts", headers=bob)).status_code == 404
    await square.social.delete_post(second.id, "bob")
    assert await contents(there, EXPLORE, bob) == []


async def test_a_list_that_was_empty_is_asked_once_it_is_not(
    square: Square, other: Square, there: httpx.AsyncClient
) -> None:
    bob = await signed_up(square, "bob")
    await signed_up(square, "alice")
    post = await square.social.create_post("alice", "seen")

    async def shown() -> tuple[list[bool], int]:
        items = (await there.get(EXPLORE, headers=bob)).json()["items"]
        profile = (await there.get("/social/users/alice", headers=bob)).status_code
        return [item["isBookmarked"] for item in items], profile

    for _ in range(3):
        assert await shown() == ([False], 200)
    near, layout = other.store.near, other.store.role_stores[Role.DATA].layout
    assert near is not None
    for key in (keys.blocking, keys.blocked_by, keys.muting, keys.bookmarked):
        assert layout.name(key("bob")).encode() in near.entries
    await square.social.bookmark(post.id, "bob")
    assert await shown() == ([True], 200)
    await square.social.unbookmark(post.id, "bob")
    assert await shown() == ([False], 200)
    await square.social.mute("bob", "alice")
    assert await shown() == ([], 200)
    await square.social.unmute("bob", "alice")
    assert await shown() == ([False], 200)
    await square.social.block("bob", "alice")
    assert await shown() == ([], 404)
    await square.social.unblock("bob", "alice")
    assert await shown() == ([False], 200)


async def test_an_ended_session_is_out_at_once_everywhere(square: Square, there: httpx.AsyncClient) -> None:
    account = await square.accounts.sign_up("alice")
    sessions = square.accounts.sessions
    signed = [await sessions.issue(account, "password", Client()) for _ in range(3)]
    for one in signed * 2:
        answer = await there.get("/social/users/me", headers=bearer(one.access_token))
        assert answer.status_code == 200, answer.text
    (newest, *_) = await sessions.list(account.id)
    await sessions.end(account.id, newest.id)
    found = [
        (await there.get("/social/users/me", headers=bearer(one.access_token))).status_code for one in signed
    ]
    assert sorted(found) == [200, 200, 401]
    await sessions.end_all(account.id)
    for one in signed:
        answer = await there.get(EXPLORE, headers=bearer(one.access_token))
        assert answer.status_code == 401


async def test_a_new_role_is_seen_there(square: Square, there: httpx.AsyncClient) -> None:
    account = await square.accounts.sign_up("alice")
    for _ in range(2):
        assert (await there.get("/social/users/alice")).json()["role"] == "user"
    await square.accounts.users.set_role(account.id, UserRole.MODEL)
    assert (await there.get("/social/users/alice")).json()["role"] == "model"


async def test_pages_that_repeat_a_long_profile_stay_within_the_memory(
    plain_place: Place, clock: PinnedClock
) -> None:
    """The author counts once; a page of their posts has them twenty times over."""
    limit = 4 << 20
    async with open_square(plain_place, clock, near_memory=f"{limit}") as square, browse(square) as http:
        await square.social.register("bob", given={"bio": "\U0001f600" * 1_000, "avatar": AVATAR})
        await square.social.change_profile("bob", {"links": [f"{AVATAR}{number}" for number in range(10)]})
        for number in range(60):
            await square.social.create_post("bob", f"number {number}")
        await http.get("/social/users/bob/posts", params={"limit": 20})
        tracemalloc.start()
        try:
            cursor: str | None = None
            for _ in range(40):
                shifted = {"cursor": cursor} if cursor else {}
                cursor = (await http.get("/social/users/bob/posts", params={"limit": 1, **shifted})).json()[
                    "next"
                ]
                for _ in range(2):
                    await http.get("/social/users/bob/posts", params={"limit": 20, "cursor": cursor})
            gc.collect()
            used, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert square.store.near is not None
        assert square.store.near.hits > 0
        assert used < 2 * limit


async def test_reads_of_pages_are_remembered_in_bounds(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hydration, "READS_REMEMBERED", 12)
    async with open_square(plain_place, clock) as square:
        await square.social.register("bob")
        ids = [(await square.social.create_post("bob", f"number {number}")).id for number in range(8)]
        found = hydration.Hydration(square.store)
        for _ in range(2):  # the second time their author is known
            for first in range(4):
                records = await found.posts(ids[first : first + 4], None)
                assert [post.id for post in records.posts if post] == ids[first : first + 4]
        assert len(found._known) == 2
        assert sum(len(known.bundle.reads) for known in found._known.values()) == found._known_reads == 10

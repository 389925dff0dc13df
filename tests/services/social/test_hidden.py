"""What is hidden from somebody answers as what is not there."""

from typing import Any

import httpx
import pytest

from tests.services.social.world import World, signed_in
from tests.support.squares import assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import PostNotFound

DEEDS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "", None),
    ("POST", "/like", None),
    ("DELETE", "/like", None),
    ("POST", "/bookmark", None),
    ("DELETE", "/bookmark", None),
    ("POST", "/report", {"reason": "spam"}),
    ("PATCH", "", {"content": "mine now"}),
    ("DELETE", "", None),
]


def nowhere(id: str) -> str:
    """An id in the same place that no post has."""
    return f"00000000{id[8:]}"


async def hide(world: World, how: str, id: str) -> None:
    if how == "author blocks":
        await world.social.follows.block("alice", "bob")
    elif how == "reader blocks":
        await world.social.follows.block("bob", "alice")
    else:
        await world.social.moderation.ban(id, None)


async def record_of(world: World, id: str) -> dict[str, str]:
    """Without reports, a post has none or nought."""
    return {"reportsCount": "0", **await world.record(keys.post(id))}


@pytest.mark.parametrize("before", ["marked", "unmarked"])
@pytest.mark.parametrize("how", ["author blocks", "reader blocks", "banned"])
async def test_a_hidden_post_is_not_there_whatever_one_does(
    world: World, http: httpx.AsyncClient, how: str, before: str
) -> None:
    social = world.social
    await world.people("alice", "bob")
    id = (await world.post("alice", "a #tag")).id
    if before == "marked":
        await social.posts.like(id, "bob")
        await social.posts.bookmark(id, "bob")
        await social.moderation.report(id, "bob", "spam")
    await hide(world, how, id)
    record = await record_of(world, id)
    takes_back = [("DELETE", "/like", None), ("DELETE", "/bookmark", None)] if before == "marked" else []
    for method, path, body in [deed for deed in DEEDS if deed not in takes_back]:
        told = [
            await http.request(method, f"/social/posts/{one}{path}", json=body, headers=signed_in("bob"))
            for one in (id, nowhere(id))
        ]
        hidden, absent = ((answer.status_code, answer.json()["code"]) for answer in told)
        assert hidden == absent == (404, "post_not_found"), (method, path)
    assert await record_of(world, id) == record
    assert await world.members(keys.post_likes(id)) == (["bob"] if before == "marked" else [])
    for method, path, _ in takes_back:  # what one did oneself, but only once
        for status in (200, 404):
            answer = await http.request(method, f"/social/posts/{id}{path}", headers=signed_in("bob"))
            assert answer.status_code == status, answer.text
    await assert_clean(world.store)


async def test_what_is_seen_and_somebody_elses_is_not_ones_own(world: World, http: httpx.AsyncClient) -> None:
    await world.people("alice", "bob")
    await world.social.follows.mute("bob", "alice")
    id = (await world.post("alice")).id
    for method, body in (("PATCH", {"content": "mine now"}), ("DELETE", None)):
        answer = await http.request(method, f"/social/posts/{id}", json=body, headers=signed_in("bob"))
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")


@pytest.mark.parametrize("how", ["author blocks", "reader blocks"])
async def test_a_moderator_sees_a_post_whatever_blocks_there_are(world: World, how: str) -> None:
    social = world.social
    await world.people("alice", "bob")
    id = (await world.post("alice")).id
    await social.posts.like(id, "bob")
    await hide(world, how, id)
    for banned in (False, True):
        item = await social.posts.see(id, "bob", as_moderator=True)
        assert (item.post.banned, item.author.username, item.is_liked) == (banned, "alice", True)
        with pytest.raises(PostNotFound):
            await social.posts.see(id, "bob")
        await social.moderation.ban(id, "bob")

"""No private, secret or unknown field reaches anybody but its owner, by any endpoint."""

from urllib.parse import urlencode

import httpx
import msgspec
import pytest

from tests.services.social.world import World, signed_in
from townsquare.api import AnyEndpoint
from townsquare.keyspace import Visibility
from townsquare.services.social import keys
from townsquare.services.social.fields import BOOKKEEPING
from townsquare.services.social.routes import endpoints

KIND = keys.user.kind
PRIVATE = KIND.visible_fields(Visibility.PRIVATE)
SECRET = KIND.visible_fields(Visibility.SECRET) - BOOKKEEPING
UNKNOWN = {"favourite_colour", "internal_note", "userPassword", "card_number", "socialSecurityNumber"}
SECRET_UNKNOWN = {"userPassword", "card_number", "socialSecurityNumber"}
MARKED = sorted(PRIVATE | SECRET | UNKNOWN)
EXCEPT_PARAMETERS = {"{username}": "alice", "{tag}": "tag"}
ASKED = {"q": "al", "hashtags": "tag", "role": "model", "limit": "20"}


def mark(field: str) -> str:
    return f"MARK-{field}-MARK"


@pytest.fixture
async def post_id(world: World) -> str:
    """Everybody is in every list, and alice has every field there is."""
    social = world.social
    await world.people("alice", role="model", given={"display_name": "Alice"})
    await world.people("bob", "carol")
    for field in MARKED:
        await world.store.call("HSET", keys.user("alice"), field, mark(field))
    post = await world.post("alice", "hi #tag")
    await social.follows.follow("alice", "bob")
    await social.follows.follow("bob", "alice")
    await social.follows.follow("carol", "alice")
    for fan in ("alice", "bob", "carol"):
        await social.posts.like(post.id, fan)
        await social.posts.bookmark(post.id, fan)
    await social.moderation.report(post.id, "bob", "a reason for moderators")
    await social.follows.mute("carol", "alice")
    return post.id


def address(endpoint: AnyEndpoint, post_id: str) -> str:
    path = endpoint.path.replace("{id}", post_id)
    for hole, value in EXCEPT_PARAMETERS.items():
        path = path.replace(hole, value)
    known = {field.encode_name for field in msgspec.structs.fields(endpoint.input)}
    return f"{path}?{urlencode({name: value for name, value in ASKED.items() if name in known})}"


def reads(world: World) -> list[AnyEndpoint]:
    return [one for one in endpoints(world.social) if one.method == "GET" and one.documented]


async def test_nobody_else_sees_a_private_field(world: World, http: httpx.AsyncClient, post_id: str) -> None:
    seen = 0
    for endpoint in reads(world):
        where = address(endpoint, post_id)
        await http.get(where, headers=signed_in("alice"))
        for who in ({}, signed_in("bob"), signed_in("carol"), signed_in("root/admin")):
            answer = await http.get(where, headers=who)
            assert answer.status_code in (200, 401, 403, 404), answer.text
            assert "MARK" not in answer.text, (where, who)
            assert answer.headers["cache-control"] == "no-store"
            seen += "Alice" in answer.text
    assert seen > 20


async def test_the_owner_sees_private_fields_in_the_own_profile_only_and_no_secret_anywhere(
    world: World, http: httpx.AsyncClient, post_id: str
) -> None:
    own = {"/social/users/{username}"}
    for endpoint in reads(world):
        answer = await http.get(address(endpoint, post_id), headers=signed_in("alice"))
        shown = {field for field in MARKED if mark(field) in answer.text}
        expected = (PRIVATE | UNKNOWN) - SECRET_UNKNOWN if endpoint.path in own else set()
        assert shown == expected, endpoint.path
    me = await http.get("/social/users/me", headers=signed_in("alice"))
    assert me.json()["private"] == {field: mark(field) for field in (PRIVATE | UNKNOWN) - SECRET_UNKNOWN}


async def test_bookkeeping_and_moderation_are_not_shown(
    world: World, http: httpx.AsyncClient, post_id: str
) -> None:
    await world.store.call("HSET", keys.user("alice"), "refreshing", "MARK", "refreshed_to", "MARK")
    for endpoint in reads(world):
        if endpoint.path == "/social/reports":
            continue
        for who in ({}, signed_in("alice"), signed_in("bob")):
            text = (await http.get(address(endpoint, post_id), headers=who)).text
            for hidden in (
                "reportsCount",
                "a reason for moderators",
                "banned_by",
                "refreshed_to",
                '"engagement":0',
            ):
                assert hidden not in text, (endpoint.path, hidden)


async def test_what_a_moderator_changes_shows_nothing_private(
    world: World, http: httpx.AsyncClient, post_id: str
) -> None:
    await world.people("root", role="admin")
    answer = await http.patch("/social/users/alice", json={"role": "user"}, headers=signed_in("root/admin"))
    assert answer.json()["role"] == "user"
    assert "MARK" not in answer.text
    assert "private" not in answer.json()

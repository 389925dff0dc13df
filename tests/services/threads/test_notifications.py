"""What commenters are told: replies, mentions, upvotes, and what moderators did."""

import asyncio
import json

import httpx
from msgspec.structs import replace

from tests.services.threads.test_access import by_public, token_of
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.squares import bearer
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Viewer


async def told(world: World, viewer: Viewer) -> list[tuple[str, str | None]]:
    """Kinds of notification with the text of the comment, the newest first."""
    page = await world.threads.notifications.list(viewer)
    return [(one.notification_type, one.comment.content if one.comment else None) for one in page.items]


async def unread(world: World, viewer: Viewer) -> int:
    return int(await world.store.call("GET", keys.user_unread(str(viewer.user_id))) or 0)


async def test_replies_and_mentions_are_told_once_and_not_to_oneself(
    world: World, clock: PinnedClock
) -> None:
    ann, bob, cat = await world.user("ann"), await world.user("bob"), await world.user("cat")
    root = await world.comment(ann, "root, says @ann and @nobody")
    assert await told(world, ann) == []
    clock.move(seconds=1)
    await world.comment(bob, "hi @ann and @cat and @bob", parent=root.id)
    assert await told(world, ann) == [("reply", "hi @ann and @cat and @bob")]
    assert await told(world, cat) == [("mention", "hi @ann and @cat and @bob")]
    assert await told(world, bob) == []
    assert [await unread(world, one) for one in (ann, bob, cat)] == [1, 0, 1]
    ((kept, score),) = await world.store.call(
        "ZRANGE", keys.user_notifications(str(ann.user_id)), 0, 9, "WITHSCORES"
    )
    stored = json.loads(kept)
    assert set(stored) == {
        *("id", "notification_type", "comment_id", "from_user_id", "read", "created_at", "site_id")
    }
    assert (stored["from_user_id"], stored["read"], int(score)) == (bob.user_id, False, clock.now_ms())
    await world.check()


async def test_a_reply_at_the_deepest_level_tells_whom_it_answers(world: World) -> None:
    ann, bob, cat = await world.user("ann"), await world.user("bob"), await world.user("cat")
    await world.settings(max_depth=1)
    root = await world.comment(ann, "root")
    reply = await world.comment(bob, "reply", parent=root.id)
    beside = await world.comment(cat, "beside", parent=reply.id)
    assert beside.parent_id == root.id
    assert await told(world, bob) == [("reply", "beside")]
    assert ("reply", "beside") not in await told(world, ann)


async def test_nothing_is_told_before_approval_and_what_is_hidden_is_taken_back(
    world: World, clock: PinnedClock
) -> None:
    mod, ann, bob = await world.moderator(), await world.user("ann"), await world.user("bob")
    root = await world.comment(ann, "root")
    await world.settings(moderation="pre")
    reply = await world.comment(bob, "reply to @mod", parent=root.id)
    assert (await told(world, ann), await told(world, mod)) == ([], [])
    await world.threads.moderation.approve(mod, reply.id)
    assert await told(world, ann) == [("reply", "reply to @mod")]
    assert await told(world, mod) == [("mention", "reply to @mod")]
    assert await told(world, bob) == [("mod_action", "reply to @mod")]
    await world.threads.notifications.read(mod, all=True)
    clock.move(seconds=1)
    await world.threads.moderation.reject(mod, reply.id)
    assert (await told(world, ann), await told(world, mod)) == ([], [])
    assert (await unread(world, ann), await unread(world, mod)) == (0, 0)
    assert len(await told(world, bob)) == 2
    await world.threads.moderation.approve(mod, reply.id)
    assert await told(world, ann) == [("reply", "reply to @mod")]
    await world.threads.moderation.shadowban(mod, str(bob.user_id))
    assert await told(world, ann) == []
    await world.threads.moderation.unshadowban(mod, str(bob.user_id))
    await world.threads.comments.delete(bob, reply.id)
    assert await told(world, ann) == []
    await world.check()


async def test_who_is_newly_named_by_an_edit_hears_of_it(world: World) -> None:
    ann, bob, cat = await world.user("ann"), await world.user("bob"), await world.user("cat")
    comment = await world.comment(ann, "hi @bob")
    await world.threads.comments.edit(ann, await world.key(), comment.id, "hi @bob and @cat")
    assert (await told(world, bob), await told(world, cat)) == (
        [("mention", "hi @bob and @cat")],
        [("mention", "hi @bob and @cat")],
    )


async def test_upvotes_are_told_if_the_site_says_so_and_once_in_an_hour(
    world: World, http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    ann = await world.user("ann")
    comment = await world.comment(ann)
    voters = [await token_of(world, name) for name in ("bob", "cat", "dan")]

    async def vote(token: str) -> None:
        path = f"/threads/v1/comments/{comment.id}/vote"
        answer = await http.post(path, json={"direction": "up"}, headers=by_public(world, **bearer(token)))
        assert answer.status_code == 200

    await vote(voters[0][1])
    assert await told(world, ann) == []
    await world.settings(upvote_notifications=True)
    await vote(voters[1][1])
    await vote(voters[2][1])
    assert await told(world, ann) == [("upvote", "hello")]
    clock.move(hours=1, seconds=1)
    again, bob = world.threads.comments.vote, replace(ann, user_id=voters[0][0])
    telling = (await world.key()).settings
    await again(bob, comment.id, "up", settings=telling)  # takes it back
    assert len(await told(world, ann)) == 1
    await again(bob, comment.id, "up", settings=telling)
    assert len(await told(world, ann)) == 2
    await again(ann, comment.id, "up", settings=telling)
    assert len(await told(world, ann)) == 2
    clock.move(hours=1, seconds=1)
    _, token = await token_of(world, "eve")
    old_client = {"projectid": world.site.api_key_public, "Origin": ORIGIN, **bearer(token)}
    body = {"page_url": "/hello", "path": [], "direction": "up"}
    voted = await http.post(f"/threadkit/v1/comments/{comment.id}/vote", json=body, headers=old_client)
    assert voted.json()["user_vote"] == "up"
    assert len(await told(world, ann)) == 3
    await world.check()


async def test_notifications_are_paged_read_and_bounded(
    world: World, http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    user_id, token = await token_of(world, "ann")
    await world.threads.commenters.get(user_id)
    ann, bob = Viewer(site_id=world.site.id, user_id=user_id), await world.user("bob")
    for number in range(5):
        clock.move(seconds=1)
        await world.comment(bob, f"@ann {number}")
    headers = by_public(world, **bearer(token))
    path = "/threads/v1/notifications"
    first = (await http.get(f"{path}?limit=2", headers=headers)).json()
    assert ([one["comment"]["content"] for one in first["items"]], first["unread"]) == (
        ["@ann 4", "@ann 3"],
        5,
    )
    assert first["items"][0]["from_user"]["name"] == "bob"
    rest = (await http.get(f"{path}?limit=5&cursor={first['next']}", headers=headers)).json()
    assert ([one["comment"]["content"] for one in rest["items"]], rest["next"]) == (
        ["@ann 2", "@ann 1", "@ann 0"],
        None,
    )
    read = {"ids": [first["items"][0]["id"], "nothing"]}
    assert (await http.post(f"{path}/read", json=read, headers=headers)).json() == {"changed": 1}
    assert (await http.post(f"{path}/read", json=read, headers=headers)).json() == {"changed": 0}
    assert await unread(world, ann) == 4
    assert (await http.post(f"{path}/read", json={"all": True}, headers=headers)).json() == {"changed": 4}
    assert await unread(world, ann) == 0
    for body in ({}, {"ids": ["x"], "all": True}, {"ids": ["x"] * 101}, {"ids": "x"}, {"every": 1}):
        assert (await http.post(f"{path}/read", json=body, headers=headers)).status_code == 422
    assert (await http.get(path, headers=by_public(world))).status_code == 401
    assert (await http.get(f"{path}?cursor=x", headers=headers)).json()["code"] == "bad_cursor"


async def test_only_the_newest_are_kept(world: World, clock: PinnedClock) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    old = [
        json.dumps({"id": str(number), "read": number % 2 == 0, "comment_id": "x", "site_id": "x"})
        for number in range(keys.NOTIFICATIONS_KEPT)
    ]
    user_id = str(ann.user_id)
    scored = [part for number, one in enumerate(old) for part in (number, one)]
    await world.store.call("ZADD", keys.user_notifications(user_id), *scored)
    await world.store.call("SET", keys.user_unread(user_id), keys.NOTIFICATIONS_KEPT // 2)
    await world.comment(bob, "@ann")
    assert await world.store.call("ZCARD", keys.user_notifications(user_id)) == keys.NOTIFICATIONS_KEPT
    assert await unread(world, ann) == keys.NOTIFICATIONS_KEPT // 2 + 1  # the oldest one was read
    await world.comment(bob, "@ann again")
    assert await unread(world, ann) == keys.NOTIFICATIONS_KEPT // 2 + 1


async def test_a_hundred_replies_at_once_are_a_hundred_notifications(world: World) -> None:
    ann, others = await world.user("ann"), await world.users(100)
    root = await world.comment(ann, "root")
    await asyncio.gather(*(world.comment(one, f"by {one.user_id}", parent=root.id) for one in others))
    assert await unread(world, ann) == 100
    assert len((await world.threads.notifications.list(ann, limit=100)).items) == 100
    await world.check()


async def test_another_site_does_not_learn_of_it(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    await world.comment(bob, "@ann")
    other = await world.threads.sites.create("Other", "other.example.org")
    there = await world.threads.notifications.list(replace(ann, site_id=other.id))
    assert (there.items, there.unread) == ([], 0)
    assert await world.threads.notifications.read(replace(ann, site_id=other.id), all=True) == 0
    assert (await world.threads.notifications.list(ann)).unread == 1


async def test_an_account_that_goes_takes_its_notifications_along(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(ann, "root")
    await world.comment(bob, "reply", parent=root.id)
    await world.comment(ann, "@bob")
    await world.square.accounts.privacy.delete(str(bob.user_id))
    assert await told(world, ann) == []
    assert not await world.store.call("EXISTS", keys.user_notifications(str(bob.user_id)))
    await world.check()

import httpx
import pytest

from tests.services.social.world import World, ids, signed_in
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import BadReport, PostBanned, PostNotFound


async def feeds_of(world: World, viewer: str) -> list[list[str]]:
    social = world.social
    return [
        ids(await social.feeds.explore(viewer)),
        ids(await social.feeds.hashtag("TAG", viewer)),
        ids(await social.feeds.ranked("Tag", viewer)),
        ids(await social.feeds.user_posts("alice", viewer)),
        ids(await social.feeds.bookmarked(viewer)),
        ids(await social.feeds.home(viewer)),
    ]


async def test_a_ban_takes_the_post_out_of_everything_and_an_unban_brings_it_back(
    world: World, clock: PinnedClock
) -> None:
    social = world.social
    await world.people("alice", "bob")
    await world.people("root", role="admin")
    post = await world.post("alice", "a #Tag")
    await social.follows.follow("bob", "alice")
    await social.posts.like(post.id, "bob")
    await social.posts.bookmark(post.id, "bob")
    before = await social.posts.see(post.id, "bob")
    assert await feeds_of(world, "bob") == [[post.id]] * 6

    assert (await social.moderation.ban(post.id, "root")).changed
    assert not (await social.moderation.ban(post.id, "root")).changed
    clock.move(minutes=1)
    assert await feeds_of(world, "bob") == [[]] * 6
    assert await world.count("alice", "postCount") == 0
    assert await world.members(keys.post_likes(post.id)) == ["bob"]
    assert await world.field(keys.post(post.id), "banned") == "true"
    with pytest.raises(PostNotFound):
        await social.posts.see(post.id, "bob")
    with pytest.raises(PostNotFound):
        await social.posts.see(post.id, None)
    assert (await social.posts.see(post.id, "alice")).post.banned
    assert (await social.posts.see(post.id, "root", as_moderator=True)).post.banned
    await assert_clean(world.store)

    assert (await social.moderation.unban(post.id)).changed
    assert not (await social.moderation.unban(post.id)).changed
    clock.move(minutes=1)
    assert await feeds_of(world, "bob") == [[post.id]] * 6
    assert await world.count("alice", "postCount") == 1
    assert await social.posts.see(post.id, "bob") == before
    assert await world.score(keys.user_engagement("alice"), post.id) == 7
    await assert_clean(world.store)


async def test_a_banned_post_that_is_deleted_counts_down_once(world: World) -> None:
    await world.people("alice", "bob")
    banned, kept = await world.post("alice"), await world.post("alice")
    await world.social.moderation.ban(banned.id, "bob")
    await world.social.posts.delete(banned.id, "alice")
    assert await world.count("alice", "postCount") == 1
    assert ids(await world.social.feeds.user_posts("alice", None)) == [kept.id]
    assert await world.members(keys.banned_posts("alice")) == []
    assert await world.members(keys.moderated("bob")) == []
    await assert_clean(world.store)


@pytest.mark.parametrize("moderator", [None, "nobody", "leaving", "gone"])
async def test_a_moderator_without_a_profile_leaves_no_name(world: World, moderator: str | None) -> None:
    social = world.social
    await world.people("alice", "leaving", "gone")
    post = await world.post("alice", "a #tag")
    await social.users.begin_delete("leaving")
    await social.users.delete("gone")
    assert (await social.moderation.ban(post.id, moderator)).changed
    assert ids(await social.feeds.explore(None)) == []
    assert await world.field(keys.post(post.id), "banned") == "true"
    assert await world.field(keys.post(post.id), "banned_by") is None
    for name in ("nobody", "leaving", "gone"):
        assert await world.members(keys.moderated(name)) == []
    await social.users.delete("leaving")
    await assert_clean(world.store)
    assert (await social.moderation.unban(post.id)).changed
    assert ids(await social.feeds.explore(None)) == [post.id]
    await assert_clean(world.store)


async def test_the_operator_moderates_without_a_username(world: World, http: httpx.AsyncClient) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice")
    await world.social.moderation.report(post.id, "bob", "spam")
    operator = signed_in("/admin")
    reports = (await http.get("/social/reports", headers=operator)).json()["items"]
    assert [one["post"]["id"] for one in reports] == [post.id]
    for method in ("POST", "DELETE"):
        done = await http.request(method, f"/social/posts/{post.id}/ban", headers=operator)
        assert (done.status_code, done.json()) == (200, {"changed": True})
        assert (await http.get(f"/social/posts/{post.id}", headers=operator)).status_code == 200
    await assert_clean(world.store)


async def test_moderators_see_the_most_reported_first(world: World, clock: PinnedClock) -> None:
    social = world.social
    await world.people("alice", "bob", "carol")
    mild, bad = await world.post("alice"), await world.post("alice")
    assert (await social.moderation.report(mild.id, "bob", "meh")).changed
    assert (await social.moderation.report(bad.id, "bob", "spam")).changed
    assert not (await social.moderation.report(bad.id, "bob", "spam again")).changed
    clock.move(ms=5)
    await social.moderation.report(bad.id, "carol", "scam")
    page = await social.moderation.reported()
    assert [(one.post.id, one.count) for one in page.items] == [(bad.id, 2), (mild.id, 1)]
    assert [(one.username, one.reason) for one in page.items[0].reports] == [
        ("carol", "scam"),
        ("bob", "spam"),
    ]
    await assert_clean(world.store)
    await social.moderation.ban(bad.id, "carol")
    assert [one.post.id for one in (await social.moderation.reported()).items] == [mild.id]
    with pytest.raises(PostBanned):
        await social.moderation.report(bad.id, "alice", "x")
    await social.moderation.unban(bad.id)
    first = await social.moderation.reported(limit=1)
    assert first.items[0].post.id == bad.id
    assert (await social.moderation.reported(first.next, 1)).items[0].post.id == mild.id
    await assert_clean(world.store)


@pytest.mark.parametrize("reason", ["", " ", "\u200b", "x" * 501])
async def test_a_report_needs_a_reason(world: World, reason: str) -> None:
    await world.people("alice")
    post = await world.post("alice")
    with pytest.raises(BadReport):
        await world.social.moderation.report(post.id, "alice", reason)

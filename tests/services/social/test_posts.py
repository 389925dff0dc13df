import pytest

from tests.services.social.world import World, ids
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean, raw_names
from townsquare.keyspace import carried_bucket
from townsquare.services.social import keys
from townsquare.services.social.problems import (
    BadMedia,
    BadPost,
    NotYours,
    PostBanned,
    PostNotFound,
    ProfileNotFound,
    TooLateToEdit,
)

NOWHERE = "00000000-0000-4000-8000-000000000000"


async def test_a_post_lives_with_its_author_and_copies_it(world: World) -> None:
    await world.people("alice", given={"display_name": "Alice", "avatar": "https://a.example/a.png"})
    post = await world.post("alice", "  hello #World  ")
    assert carried_bucket(post.id) == keys.user_bucket("alice")
    assert (post.content, post.hashtags, post.display_name) == ("hello #World", ("world",), "Alice")
    assert await world.social.posts.get(post.id) == post
    seen = await world.social.posts.see(post.id, None)
    assert (seen.post, seen.author.username, seen.is_liked) == (post, "alice", False)


async def test_a_post_may_be_long_and_strange(world: World) -> None:
    await world.people("alice")
    for content in ("x" * 5000, "日本語 😀 \u202e", "</script>", '{"a": []}', "a\nb\tc"):
        assert (await world.social.posts.get((await world.post("alice", content)).id)).content == content


async def test_a_post_loses_what_nobody_types(world: World) -> None:
    await world.people("alice")
    post = await world.post("alice", "one\r\ntwo\rthree\tfour \x07\x1b[31m#red\x85\u200d❤️")
    assert post.content == "one\ntwo\nthree\tfour [31m#red\n\u200d❤️"
    assert await world.social.posts.get(post.id) == post


@pytest.mark.parametrize(
    "content",
    [
        "",
        "  \n ",
        "x" * 5001,
        "\u200b",
        "\u2028",
        "\ufeff",
        "\u3164",
        "\u2800",
        "\x07",
        "\u200b \u202e\n\u00ad",
    ],
)
async def test_a_bad_text_is_refused(world: World, content: str) -> None:
    await world.people("alice")
    with pytest.raises(BadPost):
        await world.post("alice", content)
    assert await world.count("alice", "postCount") == 0


@pytest.mark.parametrize(
    "url", ["javascript:x", "ftp://e.com", "/a.png", "https://e.com/ a", "https://e.com/" + "x" * 2048]
)
async def test_bad_media_is_refused(world: World, url: str) -> None:
    await world.people("alice")
    with pytest.raises(BadMedia, match="media_url: use an http or https URL"):
        await world.social.posts.create("alice", "hi", url)


async def test_nobody_cannot_post(world: World) -> None:
    with pytest.raises(ProfileNotFound):
        await world.post("nobody")
    await world.people("alice")
    await world.vanish("alice")
    with pytest.raises(ProfileNotFound):
        await world.post("alice")
    assert await world.members(keys.explore_feed()) == []


async def test_an_edit_moves_the_post_between_tags(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#one #two")
    await world.social.posts.like(post.id, "bob")
    clock.move(minutes=14)
    edited = await world.social.posts.edit(
        post.id, "alice", content="#two #three", media_url="https://e.com/i.png"
    )
    assert (edited.hashtags, edited.media_url) == (("two", "three"), "https://e.com/i.png")
    assert edited.edited_at == clock.now_ms()
    assert ids(await world.social.feeds.hashtag("one", None)) == []
    assert ids(await world.social.feeds.hashtag("three", None)) == [post.id]
    assert await world.score(keys.hashtag_weights("three"), post.id) == 3
    await assert_clean(world.store)
    assert (await world.social.posts.edit(post.id, "alice", media_url="")).media_url is None
    assert (await world.social.posts.edit(post.id, "alice", content="plain")).hashtags == ()
    await assert_clean(world.store)


async def test_what_is_the_same_is_no_edit(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    post = await world.social.posts.create("alice", "hi #tag", "https://e.com/i.png")
    clock.move(minutes=1)
    edit = world.social.posts.edit
    assert await edit(post.id, "alice") == post
    assert await edit(post.id, "alice", content=" hi #tag ", media_url="https://e.com/i.png") == post
    with pytest.raises(NotYours):
        await edit(post.id, "bob")
    dropped = await edit(post.id, "alice", content="hi #tag", media_url="")
    assert (dropped.media_url, dropped.edited_at) == (None, clock.now_ms())
    clock.move(minutes=1)
    assert await edit(post.id, "alice", media_url="") == dropped


async def test_only_the_author_edits_and_not_for_long(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice")
    with pytest.raises(NotYours):
        await world.social.posts.edit(post.id, "bob", content="x")
    await world.social.moderation.ban(post.id, "bob")
    with pytest.raises(PostBanned):
        await world.social.posts.edit(post.id, "alice", content="x")
    await world.social.moderation.unban(post.id)
    clock.move(minutes=15, ms=1)
    with pytest.raises(TooLateToEdit):
        await world.social.posts.edit(post.id, "alice", content="x")
    with pytest.raises(PostNotFound):
        await world.social.posts.edit(NOWHERE, "alice", content="x")


async def test_a_deleted_post_leaves_nothing(world: World) -> None:
    social = world.social
    await world.people("alice", "bob", "carol")
    await social.follows.follow("bob", "alice")
    post = await world.post("alice", "hi #tag")
    await social.feeds.home("bob")
    await social.posts.like(post.id, "bob")
    await social.posts.bookmark(post.id, "carol")
    await social.moderation.report(post.id, "carol", "spam")
    with pytest.raises(NotYours):
        await social.posts.delete(post.id, "bob")
    await social.posts.delete(post.id, "alice")
    for again in (social.posts.delete(post.id, "alice"), social.posts.delete(post.id, None)):
        with pytest.raises(PostNotFound):
            await again
    assert await world.count("alice", "postCount") == 0
    names = await raw_names(world.store)
    assert not [name for name in names if post.id in name]
    for key in (keys.liked("bob"), keys.bookmarked("carol"), keys.reported("carol"), keys.explore_feed()):
        assert await world.members(key) == []
    assert ids(await social.feeds.home("bob")) == []
    await assert_clean(world.store)


async def test_many_likes_are_undone_by_a_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.posts.DELETE_CHUNK", 3)
    fans = [f"fan{number}" for number in range(10)]
    await world.people("alice", *fans)
    post = await world.post("alice", "#tag")
    for fan in fans:
        await world.social.posts.like(post.id, fan)
        await world.social.posts.bookmark(post.id, fan)
    await world.social.posts.delete(post.id, "alice")
    assert ids(await world.social.feeds.explore(None)) == []
    assert await world.count("alice", "postCount") == 0
    for refused in (
        world.social.posts.like(post.id, "fan1"),
        world.social.posts.unlike(post.id, "fan1"),
        world.social.posts.see(post.id, "alice"),
        world.social.posts.delete(post.id, "alice"),
        world.social.moderation.ban(post.id, "alice"),
    ):
        with pytest.raises(PostNotFound):
            await refused
    await assert_clean(world.store)
    (job,) = await world.jobs.list()
    assert job.kind == "social.delete_post"
    await world.jobs.run_open()
    assert not [name for name in await raw_names(world.store) if post.id in name]
    assert await world.members(keys.liked("fan1")) == []
    await assert_clean(world.store)


async def test_ids_that_are_none_lead_nowhere(world: World) -> None:
    await world.people("alice")
    for id in ("", "x", NOWHERE, NOWHERE.upper(), f"{NOWHERE}:likes", "{x}", NOWHERE[:-3] + "fff"):
        for refused in (
            world.social.posts.get(id),
            world.social.posts.see(id, "alice"),
            world.social.posts.like(id, "alice"),
            world.social.posts.unlike(id, "alice"),
            world.social.posts.delete(id, None),
            world.social.moderation.ban(id, "alice"),
            world.social.moderation.unban(id),
            world.social.posts.set_comments_count(id, 3),
        ):
            with pytest.raises(PostNotFound):
                await refused
    await assert_clean(world.store)

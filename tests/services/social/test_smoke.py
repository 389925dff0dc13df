from tests.services.social.world import World, ids
from tests.support.squares import assert_clean
from townsquare.services.social import keys


async def test_smoke(world: World) -> None:
    s = world.social
    await world.people("alice", "bob", "carol")
    await s.register("mia", role="model", given={"display_name": "Mia"})
    p = await world.post("alice", "hi #Travel &#39; http://x.y/#no #travel #日本")
    assert p.hashtags == ("travel", "日本")
    print(await s.like(p.id, "bob"), await s.like(p.id, "bob"), await s.bookmark(p.id, "carol"))
    await s.follow("bob", "alice")
    await s.follow("bob", "mia")
    q = await world.post("mia", "model #travel")
    print(await s.home.following("bob"))
    assert sorted(ids(await s.home.following("bob"))) == sorted([p.id, q.id])
    r = await world.post("mia", "model again #travel")
    assert sorted(ids(await s.home.following("bob"))) == sorted([p.id, q.id, r.id])
    await s.like(q.id, "alice")
    print(await s.search.top_models(None))
    print(ids(await s.feeds.ranked("travel", None)))
    await s.profiles.change("mia", {"display_name": "Mia B"})
    assert await world.field(keys.post(q.id), "display_name") == "Mia B"
    await assert_clean(world.store)
    await s.moderation.report(q.id, "carol", "spam")
    print(await s.moderation.reported())
    await s.moderation.ban(q.id, "alice")
    await assert_clean(world.store)
    await s.moderation.unban(q.id)
    await s.follows.block("bob", "mia")
    await s.follows.mute("bob", "carol")
    await assert_clean(world.store)
    await s.delete_post(q.id, "mia")
    await assert_clean(world.store)
    print(await s.search.users("A", None), await s.search.trending())

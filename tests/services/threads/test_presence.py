"""Who looks at a page and who types there, over processes that come, go and crash."""

from typing import Any

from tests.services.threads.live_clients import LiveClient, another_process, process_of
from tests.services.threads.test_seed_keys import kind_of
from tests.services.threads.world import World
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Display, Viewer
from townsquare.services.threads.service import live_page


async def hear_names(client: LiveClient, *names: str) -> None:
    """Wait until these are there, and nobody else."""
    while True:
        told = await client.hear("presence")
        assert told["count"] == len(told["users"])
        if {user["name"] for user in told["users"]} == set(names):
            return


async def kept(world: World, page_id: str) -> set[str]:
    members = await world.store.call("SMEMBERS", keys.page_presence(page_id))
    return {member.decode() for member in members}


async def test_a_user_stays_until_the_last_tab_closes(
    world: World, place: Place, clock: PinnedClock, monkeypatch: Any
) -> None:
    monkeypatch.setattr(live_page, "PRESENCE_SECONDS", 0)
    ann, bob = await world.user("ann"), await world.user("bob")
    async with (
        process_of(world) as here,
        another_process(world, place, clock) as there,
        here.client() as watching,
    ):
        page_id = (await watching.subscribe())["page_id"]
        async with here.client(bob) as first, there.client(ann) as other:
            await other.subscribe()
            await hear_names(watching, "ann")
            async with here.client(ann) as second, here.client(ann) as third:
                for client in (first, second, third):
                    await client.subscribe()
                await hear_names(watching, "ann", "bob")
                assert await kept(world, page_id) == {ann.user_id, bob.user_id}
                assert await kind_of(world, keys.page_presence(page_id)) == ("set", False)
            await other.say("unsubscribe", page_url="/hello")
            await hear_names(watching, "bob")
        await hear_names(watching)
        assert await kept(world, page_id) == set()
    await world.check()


async def test_whom_a_crashed_process_saw_is_gone_within_half_a_minute(
    world: World, place: Place, clock: PinnedClock, monkeypatch: Any
) -> None:
    monkeypatch.setattr(live_page, "PRESENCE_SECONDS", 0)
    ann, bob = await world.user("ann"), await world.user("bob")
    async with process_of(world) as here, here.client(bob) as watching:
        await watching.subscribe()
        async with another_process(world, place, clock) as there, there.client(ann) as lost:
            page_id = (await lost.subscribe())["page_id"]
            lonely = (await lost.subscribe("/lonely"))["page_id"]
            await hear_names(watching, "ann", "bob")
            while not await kept(world, lonely):
                await there.threads.live.beat()
            monkeypatch.setattr(there.threads.live._presence, "announce", nothing)  # it dies without a word
        await world.threads.live.beat()
        assert await kept(world, page_id) == {ann.user_id, bob.user_id}
        for _ in range(3):
            clock.move(seconds=10)
            await world.threads.live.beat()
        assert await kept(world, page_id) == {bob.user_id}
        assert await kept(world, lonely) == set()
        await hear_names(watching, "bob")
        scores = await world.scores(keys.presence_pages())
        assert scores == {page_id: clock.now_ms()}
    await world.check()


async def nothing(*args: Any) -> None:
    pass


async def test_presence_is_not_shown_where_the_site_does_not_want_it(world: World) -> None:
    ann = await world.user("ann")
    await world.settings(display=Display(presence=False))
    async with process_of(world) as here, here.client(ann) as client:
        page_id = (await client.subscribe())["page_id"]
        await world.threads.live.beat()
        await client.say("ping")
        await client.hear("pong")
        assert await kept(world, page_id) == set()
        assert not [message for message in client.heard if message["type"] == "presence"]


async def test_typing_is_told_for_a_while_where_the_site_wants_it(world: World, clock: PinnedClock) -> None:
    ann, bob, ghost = await world.user("ann"), await world.user("bob"), await world.user("ghost")
    await world.store.call("SADD", keys.site_shadowbanned(world.site.id), str(ghost.user_id))
    async with (
        process_of(world) as here,
        here.client(ann) as anns,
        here.client(bob) as bobs,
        here.client(ghost) as ghosts,
        here.client() as stranger,
    ):
        page_id = (await anns.subscribe())["page_id"]
        await anns.say("typing", page_url="/hello")
        await anns.hear("typing_is_off")
        await world.settings(display=Display(typing=True))  # counts at once
        await stranger.subscribe()
        await stranger.say("typing", page_url="/hello")
        await stranger.hear("unauthorized")
        await bobs.say("typing", page_url="/hello")
        await bobs.hear("not_subscribed")
        for client in (bobs, ghosts):
            await client.subscribe()
        await ghosts.say("typing", page_url="/hello")
        await anns.say("typing", page_url="/hello")
        assert [user["name"] for user in (await stranger.hear("typing"))["users"]] == ["ann"]
        clock.move(seconds=3)
        await bobs.say("typing", page_url="/hello")
        assert len((await stranger.hear("typing"))["users"]) == 2
        clock.move(seconds=3)
        await bobs.say("typing", page_url="/hello")
        assert [user["name"] for user in (await stranger.hear("typing"))["users"]] == ["bob"]
        assert await world.scores(keys.page_typing(page_id)) == {bob.user_id: clock.now_ms()}
        assert await kind_of(world, keys.page_typing(page_id)) == ("zset", False)
        await bobs.say("stop_typing", page_url="/hello")
        assert (await stranger.hear("typing"))["users"] == []
        assert await world.scores(keys.page_typing(page_id)) == {}


async def test_who_looks_is_readable_by_the_library(world: World) -> None:
    ann = await world.user("ann")
    async with process_of(world) as here, here.client(ann) as client:
        await client.subscribe()
        await hear_names(client, "ann")
        present = await world.threads.live.present(Viewer(site_id=world.site.id), await world.page())
        assert ([user.name for user in present.users], present.count) == (["ann"], 1)

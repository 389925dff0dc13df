"""Live messages: to everybody who looks at a page, in every process, once, in order, and nothing hidden."""

import asyncio
import json
import random
from contextlib import AsyncExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.services.threads.live_clients import another_process, process_of
from tests.services.threads.world import World
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from tests.support.waiting import until
from townsquare.services.threads import keys
from townsquare.services.threads.routes import live
from townsquare.services.threads.service import live_page
from townsquare.services.threads.service.event_history import EventHistory
from townsquare.services.threads.service.page_events import LiveMessage


def ids(events: list[dict[str, Any]]) -> list[tuple[int, ...]]:
    return [tuple(map(int, event["event"].split("-"))) for event in events]


async def test_what_happens_is_told_in_every_process_once_and_in_order(
    world: World, place: Place, clock: PinnedClock
) -> None:
    ann, bob, mod = await world.user("ann"), await world.user("bob"), await world.moderator()
    async with (
        process_of(world) as here,
        another_process(world, place, clock) as there,
        here.client() as first,
        here.client(bob) as second,  # whom nobody answers: no notifications among the events
        there.client() as third,
        there.client() as elsewhere,
    ):
        clients = [first, second, third]
        for client in clients:
            await client.subscribe()
        await elsewhere.subscribe("/another")
        root = await world.comment(ann, "one")
        await there.threads.comments.vote(bob, root.id, "up")
        await world.threads.comments.edit(ann, await world.key(), root.id, "two")
        await world.threads.comments.pin(mod, root.id, True)
        written = await asyncio.gather(*(world.comment(bob, f"reply {n}", parent=root.id) for n in range(30)))
        replies = {reply.id for reply in written}
        for client in clients:  # an event of a comment that is gone by then would be left out
            while not replies <= {event["comment_id"] for event in client.events}:
                await client.hear("new_comment")
        await world.threads.comments.delete(bob, written[0].id)
        last = await world.comment(ann, "last")
        for client in clients:
            events = await client.hear_until("last")
            assert ids(events) == sorted(set(ids(events)))
            assert ids(events) == ids(clients[0].events)
            kinds = [event["type"] for event in events]
            assert kinds[:4] == ["new_comment", "vote_update", "edit_comment", "pin_update"]
            assert kinds.count("new_comment") == 32
            assert kinds[-2:] == ["delete_comment", "new_comment"]
            assert (events[1]["upvotes"], events[1]["downvotes"]) == (1, 0)
            assert (events[2]["comment"]["content"], events[3]["pinned"]) == ("two", True)
            assert events[-1]["comment"]["id"] == last.id == events[-1]["comment_id"]
        assert elsewhere.events == []


async def test_who_comes_back_gets_what_was_missed_or_is_told_to_reload(
    world: World, place: Place, clock: PinnedClock
) -> None:
    ann = await world.user("ann")
    async with process_of(world) as here, another_process(world, place, clock) as there:
        async with here.client() as client:
            nothing_yet = (await client.subscribe())["event"]
            await world.comment(ann, "one")
            await client.hear_until("one")
            seen = client.events[-1]["event"]
        for number in range(5):
            await world.comment(ann, f"missed {number}")
        async with there.client() as client:
            assert (await client.subscribe(last_event=seen))["event"] == seen
            await world.comment(ann, "then")
            await client.hear_until("then")
            assert client.texts == [*(f"missed {number}" for number in range(5)), "then"]
            assert ids(client.events) == sorted(set(ids(client.events)))
        async with there.client() as client:
            await client.subscribe(last_event=nothing_yet)
            await client.hear_until("then")
            assert len(client.texts) == 7
        an_hour_ago = f"{int(seen.split('-')[0]) - 3_600_001}-0"
        ahead = f"{int(seen.split('-')[0]) + 3_600_000}-0"
        for strange in (an_hour_ago, ahead, "nonsense", "9" * 15 + "-" + "9" * 15, "0-0"):
            async with there.client() as client:
                await client.subscribe(last_event=strange)
                told = await client.hear("reload")
                await world.comment(ann, f"after {strange}")
                await client.hear_until(f"after {strange}")
                assert len(client.events) == 1
                assert told["event"] < client.events[0]["event"]
        page = await world.page()
        for number in range(keys.EVENTS_KEPT):
            await world.store.call(
                *("XADD", keys.page_events(page.id), "MAXLEN", keys.EVENTS_KEPT, "*", "message"),
                json.dumps({"type": "vote_update", "comment_id": page.id, "upvotes": number, "downvotes": 0}),
            )
        async with here.client() as client:
            await client.subscribe(last_event=seen)
            await client.hear("reload")


@pytest.mark.slow
async def test_many_who_come_back_after_fifteen_busy_seconds_share_one_read(
    world: World, place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 comments and 10 votes a second while a worker was away: no reload, and no read for each client."""
    monkeypatch.setattr(live_page, "HISTORY_SECONDS", 60)  # a slow machine takes longer than a second
    ann = await world.user("ann")
    comment = await world.comment(ann, "first")
    missed: list[dict[str, Any]] = [{"type": "edit_comment", "comment_id": comment.id}] * 300
    missed += [{"type": "vote_update", "comment_id": comment.id, "upvotes": 1, "downvotes": 0}] * 150
    async with another_process(world, place, clock) as there, AsyncExitStack() as stack:
        reads = 0
        read = there.threads.live._events.read

        async def counted(*args: Any) -> Any:
            nonlocal reads
            reads += 1
            return await read(*args)

        monkeypatch.setattr(there.threads.live._events, "read", counted)
        before = await there.threads.live._events.newest(comment.page_id)
        events = keys.page_events(comment.page_id)
        await world.store.pipeline(
            [("XADD", events, "MAXLEN", keys.EVENTS_KEPT, "*", "message", json.dumps(one)) for one in missed]
        )
        clients = [await stack.enter_async_context(there.client()) for _ in range(50)]
        await asyncio.gather(
            *(client.say("subscribe", page_url="/hello", last_event=before) for client in clients)
        )
        for client in clients:
            while len(client.events) < len(missed):
                assert (await client.hear("edit_comment", "vote_update", "reload"))["type"] != "reload"
            assert ids(client.events) == sorted(set(ids(client.events)))
        assert reads <= 2


async def test_replayed_events_show_comments_as_they_are_now(world: World) -> None:
    ann = await world.user("ann")
    async with process_of(world) as here, here.client() as stays:
        await stays.subscribe()
        async with here.client() as client:
            before = (await client.subscribe())["event"]
        kept, gone = await world.comment(ann, "old text"), await world.comment(ann, "gone")
        await world.threads.comments.edit(ann, await world.key(), kept.id, "new text")
        await world.threads.comments.delete(ann, gone.id)
        await world.comment(ann, "last")
        await stays.hear_until("last")
        async with here.client() as client:
            await client.subscribe(last_event=before)
            await client.hear_until("last")
            assert client.texts == ["new text", "new text", "last"]
            assert [event["type"] for event in client.events][-2:] == ["delete_comment", "new_comment"]


async def test_replayed_events_show_authors_as_they_are_now(world: World) -> None:
    ann = await world.user("ann")
    async with process_of(world) as here, here.client() as stays:
        before = (await stays.subscribe())["event"]
        await world.comment(ann, "here")
        await stays.hear_until("here")
        await world.threads.commenters.save(str(ann.user_id), {"name": "Ann Smith"})
        async with here.client() as client:
            await client.subscribe(last_event=before)
            await client.hear_until("here")
            assert client.events[0]["comment"]["author"]["name"] == "Ann Smith"


def test_the_memory_of_a_history_is_counted_in_bytes() -> None:
    def one(number: int) -> LiveMessage:
        return LiveMessage("new_comment", f"{number}-0", "\N{GRINNING FACE}" * 1_000)

    history = EventHistory("0-0", [one(1)])
    history.add(one(2))
    history.trim(4_000 + 200)
    assert history.after("0-0") is None
    assert [message.event for message in history.after("1-0") or []] == ["2-0"]


async def test_a_lost_bell_is_made_up_for(world: World) -> None:
    """What is on the stream is told although the channel did not say so."""
    ann = await world.user("ann")
    comment = await world.comment(ann)
    async with process_of(world) as here, here.client() as client:
        await client.subscribe()
        message = json.dumps({"type": "vote_update", "comment_id": comment.id, "upvotes": 3, "downvotes": 0})
        await world.store.call("XADD", keys.page_events(comment.page_id), "*", "message", message)
        await world.threads.live.beat()
        assert (await client.hear("vote_update"))["upvotes"] == 3


async def test_what_is_hidden_is_told_to_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, mod = await world.user("ann"), await world.moderator()
    shadowed = await world.user("ghost")
    await world.store.call("SADD", keys.site_shadowbanned(world.site.id), str(shadowed.user_id))
    async with (
        process_of(world) as here,
        here.client() as stranger,
        here.client(ann) as author,
        here.client(mod) as moderator,
    ):
        clients = [stranger, author, moderator]
        for client in clients:
            await client.subscribe()
        ghost = await world.comment(shadowed, "ghost")
        await world.threads.comments.vote(shadowed, ghost.id, "up")
        await world.settings(moderation="pre")
        held = await world.comment(ann, "held")
        await world.settings(moderation="post")
        public = await world.comment(ann, "public")
        for client in clients:
            await client.hear_until("public")
            assert client.texts == ["public"]
            assert {event["comment_id"] for event in client.events}.isdisjoint({held.id, ghost.id})

        # hidden between the event and the moment in which it is loaded
        loading, hidden = asyncio.Event(), asyncio.Event()
        real = world.threads.reading.comments

        async def slowly(*args: Any) -> Any:
            loading.set()
            await hidden.wait()
            return await real(*args)

        monkeypatch.setattr(world.threads.reading, "comments", slowly)
        edited = asyncio.create_task(
            world.threads.comments.edit(ann, await world.key(), public.id, "a secret")
        )
        await loading.wait()
        await world.store.call("HSET", keys.comment(public.id), "status", "pending")
        hidden.set()
        await edited
        monkeypatch.undo()
        await world.comment(mod, "over")
        for client in clients:
            await client.hear_until("over")
            assert "a secret" not in client.texts


async def test_a_missed_comment_that_is_hidden_by_now_is_not_told(world: World) -> None:
    ann = await world.user("ann")
    await world.comment(ann, "first")
    async with process_of(world) as here:
        async with here.client() as client:
            before = (await client.subscribe())["event"]
        gone = await world.comment(ann, "gone")
        await world.store.call("HSET", keys.comment(gone.id), "shadow", "true")
        parent = await world.comment(ann, "hidden later")
        await world.comment(ann, "reply", parent=parent.id)
        await world.store.call("HSET", keys.comment(parent.id), "status", "pending")
        await world.comment(ann, "here")
        async with here.client() as client:
            await client.subscribe(last_event=before)
            await client.hear_until("here")
            assert client.texts == ["reply", "here"]


async def test_a_page_of_another_site_cannot_be_listened_to(world: World) -> None:
    other = await world.threads.sites.create("Other", "other.example.org")
    ann = await world.user("ann")
    page = await world.page()
    there = "https://other.example.org"
    async with process_of(world) as here, here.client(key=other.api_key_public, origin=there) as client:
        for page_id in (page.id, "nonsense", "x" * 5_000):  # no comment there yet
            await client.say("subscribe", page_id=page_id)
            await client.hear("page_not_found")
        await world.comment(ann, "one")
        await client.say("subscribe", page_id=page.id)
        await client.hear("page_not_found")
        await client.say("subscribe", page_url="https://blog.example.org/hello")
        assert (await client.hear("subscribed"))["page_id"] != page.id
        await world.comment(ann, "two")
        await client.say("ping")
        await client.hear("pong")
        assert client.events == []
        async with here.client() as own:
            await own.say("subscribe", page_id=page.id)
            assert (await own.hear("subscribed"))["page_id"] == page.id


async def test_keys_origins_and_tokens_count_as_over_http(world: World) -> None:
    ann = await world.user("ann")
    async with process_of(world) as here:
        refusals = [
            (401, {"key": "tsq_pub_nobody"}),
            (403, {"origin": "https://evil.org"}),
            (401, {"subprotocols": ["bearer.nonsense"]}),
        ]
        for status, options in refusals:
            with pytest.raises(InvalidStatus) as refused:
                async with here.client(**options):  # type: ignore[arg-type]
                    pass
            assert refused.value.response.status_code == status
        async with here.client(origin=None) as client:
            await client.subscribe()
        async with here.client(ann) as client:
            await client.subscribe()
            await world.threads.sites.rotate_keys(world.site.id, "public")
            await client.say("subscribe", page_url="/other")
            await client.hear("bad_api_key")
            with pytest.raises(ConnectionClosed) as closed:
                await client.hear("subscribed")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401


async def test_ten_pages_of_one_client(world: World) -> None:
    ann = await world.user("ann")
    async with process_of(world) as here, here.client() as client:
        pages = [(await client.subscribe(f"/page/{number}"))["page_id"] for number in range(10)]
        await client.say("subscribe", page_url="/page/10")
        await client.hear("too_many_pages")
        await client.subscribe("/page/3")  # again is not one more
        await client.say("unsubscribe", page_id=pages[0])
        await client.hear("unsubscribed")
        await client.say("unsubscribe", page_id=pages[0])
        await client.hear("not_subscribed")
        await client.subscribe("/page/10")
        await world.comment(ann, "unheard", path="/page/0")
        await world.comment(ann, "heard", path="/page/3")
        await client.hear_until("heard")
        assert client.texts == ["heard"]


async def test_a_slow_reader_is_dropped_and_delays_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "OUTBOX", 100)
    ann = await world.user("ann")
    comment = await world.comment(ann, "&" * 10_000)
    edited = json.dumps({"type": "edit_comment", "comment_id": comment.id})
    async with (
        process_of(world) as here,
        here.client() as quick,
        here.client(compression=None, max_queue=1) as slow,
    ):
        await quick.subscribe()
        await slow.subscribe()
        page = here.threads.live._pages._pages[world.site.id, comment.page_id]
        for wanted in range(50, 501, 50):
            await world.store.pipeline(
                [("XADD", keys.page_events(comment.page_id), "*", "message", edited)] * 50
            )
            page.check_events()
            while len(quick.events) < wanted:
                await quick.hear("edit_comment")
        await until(lambda: len(page._watchers) == 1)
        slow.socket.transport.abort()
        assert ids(quick.events) == sorted(set(ids(quick.events)))


async def test_whatever_a_client_sends_the_server_goes_on(world: World) -> None:
    random_one = random.Random(7)
    ann = await world.user("ann")
    values: list[Any] = [
        None,
        1,
        -1,
        2**70,
        1.5,
        True,
        "",
        "/hello",
        "x" * 3_000,
        "\ud800",
        "a\0b",
        [],
        {},
        "0-0",
    ]
    names = ["page_url", "page_key", "page_id", "last_event", "type", "x"]
    kinds = ["subscribe", "unsubscribe", "typing", "stop_typing", "ping", "", None, 7, "new_comment"]
    texts = ["", "null", "[]", "{}", "7", '"x"', "{", "[" * 5_000, '{"type":"subscribe"', "\x00", "NaN"]
    async with process_of(world) as here:
        for round in range(8):
            async with here.client(ann if round % 2 else None) as client:
                for _ in range(50):
                    text = random_one.choice(texts)
                    if random_one.random() < 0.8:
                        message = {"type": random_one.choice(kinds)}
                        for name in random_one.sample(names, random_one.randrange(4)):
                            message[name] = random_one.choice(values)
                        text = json.dumps(message)
                    await client.socket.send(text)
                await client.say("ping")
                await client.hear("pong")
                assert all(message.get("status", 400) < 500 for message in client.heard)
        async with here.client() as client:
            await client.socket.send(b"bytes")
            with pytest.raises(ConnectionClosed):
                await client.hear("pong")
    await world.check()


async def test_over_the_limit_of_connections_clients_are_told_to_poll(
    world: World, place: Place, clock: PinnedClock
) -> None:
    async with another_process(world, place, clock, live_connections=1) as there, there.client() as first:
        await first.subscribe()
        async with there.client() as second:
            assert "pages/events" in (await second.hear("too_many_live_connections"))["title"]
            with pytest.raises(ConnectionClosed) as closed:
                await second.hear("never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4429


async def test_a_notification_reaches_its_user_on_its_site(
    world: World, place: Place, clock: PinnedClock
) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    other = await world.threads.sites.create("Other", "other.example.org")
    elsewhere = {"key": other.api_key_public, "origin": "https://other.example.org"}
    async with (
        process_of(world) as here,
        another_process(world, place, clock) as there,
        here.client(ann) as anns,
        here.client(ann, **elsewhere) as anns_elsewhere,
        there.client(bob) as bobs,
    ):
        await until(lambda: here.hears(ann) and there.hears(bob))
        root = await world.comment(ann, "root")
        reply = await world.comment(bob, "reply", parent=root.id)
        told = await anns.hear("notification")
        assert (told["notification_type"], told["comment_id"]) == ("reply", reply.id)
        for client in (bobs, anns_elsewhere):
            await client.say("ping")
            await client.hear("pong")
            assert [message["type"] for message in client.heard] == ["pong"]


async def test_nobody_hears_of_the_comments_of_whom_they_have_blocked(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    await world.threads.profiles.block(ann, str(bob.user_id))
    start = await world.threads.live.events(ann, await world.page())
    async with process_of(world) as here, here.client(ann) as anns, here.client() as stranger:
        for client in (anns, stranger):
            await client.subscribe()
        await world.comment(bob, "from bob")
        await world.comment(ann, "from ann")
        for client, expected in ((anns, ["from ann"]), (stranger, ["from bob", "from ann"])):
            await client.hear_until("from ann")
            assert client.texts == expected
    polled = await world.threads.live.events(ann, await world.page(), after=start.last)
    assert [one.comment.content for one in polled.events if one.comment] == ["from ann"]


async def test_the_other_tab_of_a_shadowed_author_hears_it_and_nobody_else_does(world: World) -> None:
    ghost, reader = await world.user("ghost"), await world.user("reader")
    mod = await world.moderator()
    await world.threads.moderation.shadowban(mod, str(ghost.user_id))
    start = await world.threads.live.events(ghost, await world.page())
    async with process_of(world) as process, process.client(ghost) as own, process.client(reader) as other:
        await own.subscribe()
        await other.subscribe()
        comment = await world.comment(ghost, "boo")
        told = await own.hear("new_comment")
        assert (told["comment"]["content"], told["comment"]["status"]) == ("boo", "approved")
        await world.threads.comments.vote(ghost, comment.id, "up")
        assert (await own.hear("vote_update"))["upvotes"] == 1
        await world.threads.comments.edit(ghost, await world.key(), comment.id, "boo!")
        assert (await own.hear("edit_comment"))["comment"]["content"] == "boo!"
        await world.threads.comments.delete(ghost, comment.id)
        assert (await own.hear("delete_comment"))["comment_id"] == comment.id
        last = await world.comment(reader, "did you hear?")
        await other.hear_until(last.content)
        assert [one["comment_id"] for one in other.events] == [last.id]
    missed = await world.threads.live.events(reader, await world.page(), start.last)
    assert [one.comment_id for one in missed.events] == [last.id]
    missed = await world.threads.live.events(ghost, await world.page(), start.last)
    assert "delete_comment" in [one.type for one in missed.events]
    assert "boo" not in str(await world.threads.live.events(world.reader, await world.page(), start.last))
    await world.check()

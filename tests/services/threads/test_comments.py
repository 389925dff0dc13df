"""Comments: written, read in every order, edited, deleted, voted on."""

import asyncio
import json
import math

import pytest
from msgspec.structs import replace

from tests.services.threads.world import World
from tests.support.clock import PinnedClock
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.problems import (
    Banned,
    CommentNotFound,
    NotYourComment,
    RefusedAsSpam,
    TooLateToChange,
)
from townsquare.services.threads.spam import Submission


async def test_a_comment_is_written_read_and_answered(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(ann, "**hi**")
    reply = await world.comment(bob, "hello", parent=root.id)
    assert (root.content_html, root.depth, reply.depth, reply.parent_id) == (
        "<p><strong>hi</strong></p>",
        0,
        1,
        root.id,
    )
    thread = await world.thread()
    assert thread.total == 2
    (shown,) = thread.comments
    assert (shown.author and shown.author.name, shown.reply_count) == ("ann", 1)
    assert [one.content for one in shown.replies] == ["hello"]
    await world.check()


async def test_the_four_cases_of_a_vote(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    comment = await world.comment(ann)
    vote = world.threads.comments.vote
    steps = [("up", (1, 0, "up")), ("up", (0, 0, None)), ("down", (0, 1, "down")), ("up", (1, 0, "up"))]
    for direction, expected in steps:
        voted = await vote(bob, comment.id, direction)  # type: ignore[arg-type]
        assert (voted.upvotes, voted.downvotes, voted.my_vote) == expected
        kept = await world.store.get(keys.vote(str(bob.user_id), comment.id))
        assert kept == expected[2]
        assert await world.karma(ann) == expected[0]
    assert (await vote(ann, comment.id, "up")).upvotes == 2
    assert await world.karma(ann) == 1  # not for one's own
    assert await world.scores(keys.page_top(comment.page_id)) == {comment.id: 2}
    await world.check()


async def test_a_hundred_users_vote_at_once(world: World) -> None:
    ann, voters = await world.user("ann"), await world.users(100)
    comment = await world.comment(ann)
    vote = world.threads.comments.vote
    await asyncio.gather(
        *(vote(one, comment.id, "up" if number % 4 else "down") for number, one in enumerate(voters))
    )
    await asyncio.gather(*(vote(one, comment.id, "up") for one in voters[:4]))  # one switches
    record = await world.record(keys.comment(comment.id))
    assert (record["upvotes"], record["downvotes"]) == ("73", "24")
    assert await world.karma(ann) == 73
    assert await world.scores(keys.page_top(comment.page_id)) == {comment.id: 49}
    hot = await world.scores(keys.page_hot(comment.page_id))
    seconds = world.store.clock.now_ms() // 1000
    assert hot[comment.id] == pytest.approx(math.log10(49) + math.log10(seconds) / 45_000, abs=1e-12)
    await world.check()


async def test_every_order_pages_through_all_once(world: World, clock: PinnedClock) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    made = []
    for number in range(7):
        clock.move(seconds=1)
        made.append(await world.comment(ann, f"text {number}"))
    for place in (2, 4):
        await world.threads.comments.vote(bob, made[place].id, "up")
    await world.threads.comments.vote(ann, made[4].id, "up")
    await world.threads.comments.vote(bob, made[0].id, "down")
    await world.threads.comments.vote(ann, made[0].id, "up")
    expected = {
        "new": [6, 5, 4, 3, 2, 1, 0],
        "old": [0, 1, 2, 3, 4, 5, 6],
        "hot": [4, 6, 5, 3, 2, 1, 0],
    }
    for sort in ("new", "old", "top", "hot", "controversial"):
        seen: list[str] = []
        cursor = None
        for _ in range(4):
            part = await world.thread(sort=sort, cursor=cursor, limit=2)
            seen += [one.content for one in part.comments]
            cursor = part.next
        assert cursor is None
        assert sorted(seen) == sorted(one.content for one in made)
        if sort in expected:
            assert seen == [f"text {number}" for number in expected[sort]]
        if sort == "top":
            assert seen[:2] == ["text 4", "text 2"]
        if sort == "controversial":
            assert seen[0] == "text 0"


async def test_a_permalink_leads_to_its_part_of_the_thread(world: World, clock: PinnedClock) -> None:
    ann = await world.user("ann")
    made = []
    for number in range(6):
        clock.move(seconds=1)
        made.append(await world.comment(ann, f"text {number}"))
    reply = await world.comment(ann, "below", parent=made[1].id)
    placed = await world.threads.reading.one(world.reader, (await world.key()).settings, reply.id)
    assert [one.content for one in placed.ancestors] == ["text 1"]
    part = await world.thread(cursor=placed.cursor, limit=2)
    assert [one.content for one in part.comments] == ["text 1", "text 0"]


async def test_an_author_edits_for_a_while_and_the_text_before_is_kept(
    world: World, clock: PinnedClock
) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    comment = await world.comment(ann, "first")
    site = await world.key()
    edited = await world.threads.comments.edit(ann, site, comment.id, "second")
    assert (edited.content, edited.edited) == ("second", True)
    with pytest.raises(NotYourComment):
        await world.threads.comments.edit(bob, site, comment.id, "mine")
    clock.move(minutes=16)
    with pytest.raises(TooLateToChange):
        await world.threads.comments.edit(ann, site, comment.id, "third")
    mod = await world.moderator()
    await world.threads.comments.edit(mod, site, comment.id, "repaired", as_moderator=True)
    assert await world.texts() == ["repaired"]
    assert await world.store.call("LLEN", keys.comment_edits(comment.id)) == 2
    await world.check()


async def test_a_deleted_comment_keeps_its_place_while_it_has_replies(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(ann, "root")
    reply = await world.comment(bob, "reply", parent=root.id)
    await world.threads.comments.vote(bob, root.id, "up")
    with pytest.raises(NotYourComment):
        await world.threads.comments.delete(bob, root.id)
    await world.threads.comments.delete(ann, root.id)
    (place,) = (await world.thread()).comments
    assert (place.status, place.author, place.content, place.content_html) == ("deleted", None, "", "")
    assert [one.content for one in place.replies] == ["reply"]
    assert (await world.thread()).total == 1
    assert await world.karma(ann) == 0
    await world.threads.comments.delete(bob, reply.id)
    assert (await world.thread()).comments == []
    with pytest.raises(CommentNotFound):
        await world.threads.comments.vote(bob, root.id, "up")
    await world.check()


async def test_what_is_hidden_is_seen_by_its_author_and_moderators_at_its_place(
    world: World, clock: PinnedClock
) -> None:
    ann, bob, mod = await world.user("ann"), await world.user("bob"), await world.moderator()
    await world.comment(bob, "one")
    clock.move(seconds=1)
    await world.settings(moderation="pre")
    held = await world.comment(ann, "held")
    assert held.status == "pending"
    clock.move(seconds=1)
    await world.settings(moderation="post")
    await world.comment(bob, "two")
    for viewer, expected in (
        (None, ["two", "one"]),
        (bob, ["two", "one"]),
        (ann, ["two", "held", "one"]),
        (mod, ["two", "held", "one"]),
    ):
        assert await world.texts(viewer) == expected
    assert await world.store.call("ZSCORE", keys.site_modqueue(world.site.id), held.id)
    with pytest.raises(CommentNotFound):
        await world.comment(bob, "answer", parent=held.id)
    own = await world.comment(ann, "answer to myself", parent=held.id)
    assert own.status == "pending"
    await world.check()


@pytest.mark.slow
async def test_two_hundred_people_write_on_one_page_at_mixed_depths(world: World) -> None:
    people = await world.users(20)
    chain = [await world.comment(people[0], "0")]
    for depth in range(1, 100):
        chain.append(await world.comment(people[depth % 20], f"{depth}", parent=chain[-1].id))
    written = await asyncio.gather(
        *(
            world.comment(people[number % 20], f"reply {number}", parent=chain[number % 100].id)
            for number in range(200)
        )
    )
    assert max(one.depth for one in written) == 100
    thread = await world.thread(depth=20)
    assert thread.total == 300
    for level in (0, 50, 98):
        assert await world.store.call("ZCARD", keys.comment_replies(chain[level].id)) == 3
    deepest = await world.comment(people[0], "deeper", parent=written[99].id)
    assert deepest.depth == 100
    await world.check()


async def test_who_is_banned_cannot_write_edit_or_vote(world: World, clock: PinnedClock) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    comment, own = await world.comment(ann), await world.comment(bob)
    await world.store.call("SADD", keys.site_blocked(world.site.id), str(bob.user_id))
    with pytest.raises(Banned):
        await world.comment(bob)
    with pytest.raises(Banned):
        await world.threads.comments.edit(bob, await world.key(), own.id, "changed")
    with pytest.raises(Banned):
        await world.threads.comments.vote(bob, comment.id, "up")
    until = world.store.clock.now_ms() + 1_000
    await world.store.call("ZADD", keys.site_blocked_until(world.site.id), until, str(bob.user_id))
    clock.move(seconds=2)
    await world.comment(bob, "back again")
    await world.check()


async def test_nobody_hears_for_long_of_a_comment_that_is_not_admitted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    page_id = (await world.comment(ann)).page_id
    await world.store.call("SADD", keys.site_blocked(world.site.id), str(bob.user_id))

    async def told() -> list[dict[str, str]]:
        events = await world.store.call("XRANGE", keys.page_events(page_id), "-", "+")
        return [json.loads(fields[1]) for _, fields in events[1:]]

    with pytest.raises(Banned):
        await world.comment(bob)
    assert await told() == []

    async def unaware(*_: str) -> tuple[bool, list[str]]:
        return False, []

    monkeypatch.setattr(
        world.threads.comments._admission, "read_author_state", unaware
    )  # banned a moment later
    with pytest.raises(Banned):
        await world.comment(bob)
    events = await told()
    new = [one["comment_id"] for one in events if one["type"] == "new_comment"]
    gone = [one["comment_id"] for one in events if one["type"] == "delete_comment"]
    assert new == gone
    await world.check()


async def test_nobody_says_the_same_twice_while_it_stands(world: World) -> None:
    await world.settings(proof_of_work=False)
    ann, bob, site = await world.user("ann"), await world.user("bob"), await world.key()

    async def say(text: str, viewer: Viewer = ann) -> Comment:
        page = page_address(site, "/hello")
        made = await world.threads.comments.create(viewer, site, page, text, submission=Submission())
        return made.comment

    first = await say("It is so.")
    assert await world.threads.reading.comments(ann, [first.id]) == [first]
    with pytest.raises(RefusedAsSpam, match="the same"):
        await say("it is SO")
    await say("It is so.", bob)
    await world.threads.comments.edit(ann, site, first.id, "It was so.")
    second = await say("It is so.")
    with pytest.raises(RefusedAsSpam):
        await say("It was so!")
    await world.threads.comments.delete(ann, second.id)
    await say("It is so.")
    await world.check()


async def test_who_is_shadow_banned_does_not_notice(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    await world.store.call("SADD", keys.site_shadowbanned(world.site.id), str(ann.user_id))
    comment = await world.comment(ann, "ghost")
    reply = await world.comment(ann, "ghost reply", parent=comment.id)
    assert (comment.status, reply.status) == ("approved", "approved")
    seen = await world.thread(ann)
    assert (seen.total, [one.content for one in seen.comments]) == (2, ["ghost"])
    assert [one.content for one in seen.comments[0].replies] == ["ghost reply"]
    assert (seen.comments[0].reply_count, seen.comments[0].status) == (1, "approved")
    assert (await world.thread(bob)).comments == (await world.thread()).comments == []
    assert (await world.thread(bob)).total == 0
    with pytest.raises(CommentNotFound):
        await world.threads.comments.vote(bob, comment.id, "up")
    assert (await world.threads.comments.vote(ann, comment.id, "up")).upvotes == 1
    await world.check()


async def test_another_site_sees_nothing_of_it(world: World) -> None:
    ann = await world.user("ann")
    comment = await world.comment(ann)
    other = await world.threads.sites.create("Other", "other.example.org")
    stranger = replace(world.owner, site_id=other.id)
    with pytest.raises(CommentNotFound):
        await world.threads.reading.record(stranger, comment.id)
    with pytest.raises(CommentNotFound):
        await world.threads.comments.delete(stranger, comment.id, as_moderator=True)
    thread = await world.threads.reading.thread(stranger, other.settings, comment.page_id)
    assert (thread.comments, thread.total) == ([], 0)


async def test_an_account_that_goes_takes_votes_and_texts_along(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(ann, "root")
    await world.comment(bob, "reply", parent=root.id)
    await world.threads.comments.vote(bob, root.id, "up")
    await world.threads.comments.vote(ann, root.id, "up")
    for viewer in (bob, ann):
        await world.square.accounts.privacy.delete(str(viewer.user_id))
    assert (await world.thread()).comments == []
    record = await world.record(keys.comment(root.id))
    assert (record["status"], record["content"], record["upvotes"]) == ("deleted", "", "0")
    assert "author_id" not in record
    assert await world.record(keys.user(str(ann.user_id))) == {}
    await world.check()


async def test_all_that_somebody_did_is_exported_and_goes_with_the_account(world: World) -> None:
    ann, bob, site = await world.user("ann"), await world.user("bob"), await world.key()
    comment, own = await world.comment(ann), await world.comment(bob, "before")
    await world.threads.comments.edit(bob, site, own.id, "after")
    await world.comment(ann, "an answer", parent=own.id)
    await world.threads.comments.vote(bob, comment.id, "down")
    await world.threads.comments.report(bob, site, comment.id, "spam", "what bob thinks of it")
    await world.threads.profiles.block(bob, str(ann.user_id))
    await world.threads.mailing.follow(bob, comment.page_id)
    await world.threads.rss.new_token(bob)
    exported = await world.threads.export_user(str(bob.user_id))
    (mine,) = exported["comments"]
    assert (mine["content"], [one["content"] for one in mine["earlier"]]) == ("after", ["before"])
    assert exported["votes"] == [{"comment_id": comment.id, "direction": "down"}]
    assert [one["details"] for one in exported["reports"]] == ["what bob thinks of it"]
    assert (exported["blocks"], exported["follows"]) == ([ann.user_id], ["https://blog.example.org/hello"])
    assert [one["notification_type"] for one in exported["notifications"]] == ["reply"]
    assert {"feed_key", "shadow_banned"}.isdisjoint(exported["user"])

    await world.square.accounts.privacy.delete(str(bob.user_id))
    assert (await world.threads.moderation.reports(world.owner)).items == []
    assert await world.record(keys.comment_reports(comment.id)) == {}
    assert (await world.record(keys.comment(comment.id)))["report_count"] == "0"
    await world.check()


async def test_a_page_is_deleted_with_all_that_is_on_it(world: World) -> None:
    ann, bob = await world.user("ann"), await world.user("bob")
    root = await world.comment(ann, "root")
    await world.comment(bob, "reply", parent=root.id)
    await world.threads.comments.vote(bob, root.id, "up")
    await world.square.deletion.delete(keys.page(root.page_id))
    assert await world.record(keys.comment(root.id)) == {}
    assert await world.scores(keys.user_votes(str(bob.user_id))) == {}
    assert await world.karma(ann) == 0
    await world.check()


async def test_a_site_without_https_is_linked_as_it_is(world: World) -> None:
    site = await world.key()
    plain, secure = page_address(site, "http://blog.example.org/a"), page_address(site, "/a")
    assert (plain.url, secure.url) == ("http://blog.example.org/a", "https://blog.example.org/a")
    assert plain.id == secure.id

"""Two pages that both have comments become one, with everything that belongs to them."""

import asyncio
import random
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.comment_files.files import MAKERS, deep_thread
from tests.services.threads.test_access import by_public, by_secret
from tests.services.threads.test_importing import PAGE, load, told_tree, tree
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.threads import keys
from townsquare.services.threads.keys import common
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import (
    AdminsOnly,
    BadPage,
    CommentNotFound,
    NotYourComment,
    PageMerging,
    PageNotFound,
    PostingClosed,
)
from townsquare.services.threads.service import pages
from townsquare.services.threads.service.page_events import EventReader
from townsquare.services.threads.service.pages import merged_id

MERGE = "/threads/v1/site/pages/merge"


async def everything(world: World, viewer: Viewer, path: str) -> dict[str, Any]:
    """Texts of a thread as a tree, with votes."""

    def tree(comments: list[Comment]) -> dict[str, Any]:
        return {
            f"{one.content} {one.upvotes}/{one.downvotes} {one.my_vote} {one.status}": tree(one.replies)
            for one in comments
        }

    return tree((await world.thread(viewer, path=path, sort="old")).comments)


async def test_a_merged_page_brings_everything_along(
    world: World, http: httpx.AsyncClient, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MERGE_SHARE", 2)
    ann, bob, cid = await world.users(3)
    mod = await world.moderator()
    threads = world.threads
    first = await world.comment(ann, "first", path="/old")
    clock.move(seconds=1)
    there = await world.comment(bob, "there", path="/new")
    clock.move(seconds=1)
    reply = await world.comment(bob, "reply", parent=first.id, path="/old")
    deep = await world.comment(cid, "deep", parent=reply.id, path="/old")
    gone = await world.comment(cid, "gone", path="/old")
    await world.comment(ann, "below", parent=gone.id, path="/old")
    held = await world.comment(cid, "held", path="/old")
    for voter in (ann, bob, cid):
        await threads.comments.vote(voter, first.id, "up")
    await threads.comments.vote(ann, reply.id, "down")
    await threads.comments.pin(mod, first.id, True)
    await threads.comments.edit(ann, await world.key(), first.id, "first, edited")
    await threads.comments.report(bob, await world.key(), held.id, "spam")
    await threads.moderation.reject(mod, held.id)
    await threads.comments.report(ann, await world.key(), deep.id, "spam")
    await threads.comments.delete(cid, gone.id)
    await threads.mailing.follow(cid, (await world.page("/old")).id)
    page = await world.page("/old")
    await world.store.call("SET", keys.page_views(page.id), 7)
    seen_before = {
        viewer: await everything(world, viewer, "/old") for viewer in (world.reader, ann, cid, mod)
    }
    karma = [await world.karma(one) for one in (ann, bob, cid)]

    answer = await http.post(MERGE, json={"page_url": "/old", "to_url": "/new"}, headers=by_secret(world))
    assert answer.json() == {"finished": True}

    for viewer, before in seen_before.items():
        expected = {**before, f"there 0/0 {None} approved": {}}
        assert await everything(world, viewer, "/new") == expected
        assert await everything(world, viewer, "/old") == expected
    assert [await world.karma(one) for one in (ann, bob, cid)] == karma
    counts = await threads.lists.counts(world.reader, await world.key(), ["/old", "/new"])
    assert counts == {"/old": 5, "/new": 5}
    new_page = await world.page("/new")
    placed = await threads.reading.one(world.reader, (await world.key()).settings, deep.id)
    assert [one.content for one in placed.ancestors] == ["first, edited", "reply"]
    assert placed.page_url == f"{ORIGIN}/new"
    assert placed.comment.id == merged_id(new_page.id, deep.id)
    assert (await world.thread(path="/new")).pinned[0].content == "first, edited"
    assert (
        len(await world.store.call("LRANGE", keys.comment_edits(merged_id(new_page.id, first.id)), 0, 9)) == 1
    )
    assert await world.store.call("GET", keys.page_views(new_page.id)) == b"7"
    assert await world.store.call("SISMEMBER", keys.page_followers(new_page.id), str(cid.user_id))
    told = (await threads.notifications.list(bob)).items
    assert [one.comment.content for one in told if one.comment] == ["deep"]
    reports = (await threads.moderation.reports(mod)).items
    assert [one.comment.content for one in reports if one.comment] == ["deep"]
    await world.check()

    # what people had open goes on working by the old ids
    assert (await threads.comments.vote(bob, first.id, "up")).my_vote is None
    await world.comment(bob, "late", parent=reply.id, path="/old")
    await threads.moderation.dismiss(mod, deep.id, str(ann.user_id))
    await threads.comments.delete(cid, deep.id)
    assert there.id in {one.id for one in (await world.thread(path="/old")).comments}
    refused = await http.post(MERGE, json={"page_url": "/old", "to_url": "/x"}, headers=by_public(world))
    assert refused.status_code == 403
    await world.check()


async def test_a_merge_that_was_killed_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MERGE_SHARE", 1)
    monkeypatch.setattr(pages, "VOTES_SHARE", 3)
    voters = await world.users(7)
    roots = [await world.comment(voters[0], f"root {number}", path="/old") for number in range(4)]
    for number in range(8):
        await world.comment(voters[1], f"reply {number}", parent=roots[number % 4].id, path="/old")
    await world.comment(voters[2], "there", path="/new")
    for voter in voters:
        await world.threads.comments.vote(voter, roots[3].id, "up")
    merging = world.threads.merging
    steps = 0

    async def killed_now(args: dict[str, Any]) -> int:
        nonlocal steps
        steps += 1
        if steps == 3:
            raise asyncio.CancelledError
        return await step(args)

    step = merging._step
    monkeypatch.setitem(world.square.jobs._steps, common.MERGE_PAGE_JOB, killed_now)
    old, new = await world.page("/old"), await world.page("/new")
    assert not (await merging.merge(world.owner, old, new)).finished
    left = [one for one in roots if await world.store.call("EXISTS", keys.comment(one.id))]
    assert left
    with pytest.raises(PageMerging):
        await world.comment(voters[3], "too soon", parent=left[-1].id, path="/old")
    await world.comment(voters[3], "meanwhile", path="/old")
    assert "meanwhile" in await world.texts(path="/old")
    with pytest.raises(PageMerging):
        await merging.merge(world.owner, new, await world.page("/old"))
    await world.threads.comments.vote(voters[0], left[-1].id, "down")

    for job in await world.square.jobs.list():
        await world.square.jobs.run(job.id)
    thread = await world.thread(path="/new", sort="old")
    assert thread.total == 14
    assert sorted(len(one.replies) for one in thread.comments) == [0, 0, 2, 2, 2, 2]
    await world.check()


async def test_what_cannot_be_merged(world: World) -> None:
    ann = await world.user("ann")
    await world.comment(ann, "one", path="/one")
    one, none = await world.page("/one"), await world.page("/none")
    merge = world.threads.merging.merge
    for page, into in ((one, none), (none, one)):
        with pytest.raises(PageNotFound):
            await merge(world.owner, page, into)
    with pytest.raises(BadPage):
        await merge(world.owner, one, one)
    with pytest.raises(AdminsOnly):
        await merge(await world.moderator(), one, none)
    other = await world.threads.sites.create("Other", "other.example.org")
    with pytest.raises(PageNotFound):
        await merge(Viewer(site_id=other.id, owner=True), one, none)
    await world.comment(ann, "still here", path="/one")
    assert len(await world.texts(path="/one")) == 2
    await world.check()


async def test_pages_merge_one_after_another_and_their_people_can_go(world: World) -> None:
    ann, bob = await world.users(2)
    made = [await world.comment(ann, f"at {path}", path=path) for path in ("/a", "/b", "/c")]
    await world.threads.comments.vote(bob, made[0].id, "up")
    merge = world.threads.merging.merge
    await merge(world.owner, await world.page("/a"), await world.page("/b"))
    await merge(world.owner, await world.page("/b"), await world.page("/c"))
    for path in ("/a", "/b", "/c"):
        assert sorted(await world.texts(path=path)) == ["at /a", "at /b", "at /c"]
    assert (await world.threads.reading.record(world.reader, made[0].id)).content == "at /a"
    await world.square.accounts.privacy.delete(str(bob.user_id))
    await world.square.accounts.privacy.delete(str(ann.user_id))
    while await world.square.jobs.run_open():
        pass
    assert await world.texts(path="/a") == []
    await world.check()


async def test_the_oldest_address_is_as_good_as_any_after_many_merges(world: World) -> None:
    ann, bob = await world.users(2)
    mod, threads = await world.moderator(), world.threads
    paths = [f"/p{number}" for number in range(14)]
    first, *_ = [await world.comment(ann, f"at {path}", path=path) for path in paths]
    pages = [await world.page(path) for path in paths]
    for page, into in pairwise(pages):
        await threads.merging.merge(world.owner, page, into)
    root = await world.comment(bob, "late", path="/p0")
    reply = await world.comment(bob, "late reply", parent=first.id, path="/p0")
    now = await threads.reading.record(world.reader, first.id)
    assert (now.page_id, reply.parent_id) == (pages[-1].id, now.id)
    assert root.id in {one.id for one in (await world.thread(path="/p13")).comments}
    assert (await threads.comments.vote(bob, first.id, "up")).upvotes == 1
    found = await threads.pages.find(await world.key(), "/p0")
    await threads.mailing.follow(bob, found.id)
    assert await threads.pages.set_closed(mod, found, True)
    with pytest.raises(PostingClosed):
        await world.comment(bob, "too late", path="/p0")
    await world.check()


async def test_a_reply_waits_for_what_an_earlier_merge_brought(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.user("ann")
    first, *_ = [await world.comment(ann, f"at {path}", path=path) for path in ("/a", "/b", "/c")]
    a, b, c = [await world.page(path) for path in ("/a", "/b", "/c")]
    await world.threads.merging.merge(world.owner, a, b)

    async def killed(args: dict[str, Any]) -> int:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setitem(world.square.jobs._steps, common.MERGE_PAGE_JOB, killed)
        await world.threads.merging.merge(world.owner, b, c)
    with pytest.raises(PageMerging):
        await world.comment(ann, "too soon", parent=first.id, path="/a")
    for job in await world.square.jobs.list():
        await world.square.jobs.run(job.id)
    await world.comment(ann, "in time", parent=first.id, path="/a")
    await world.check()


async def test_title_and_address_are_those_of_the_page_that_stays(world: World) -> None:
    ann, site = await world.user("ann"), await world.key()
    create = world.threads.comments.create
    old, new, newer = [await world.page(path) for path in ("/old", "/new", "/newer")]
    await create(ann, site, old, "there", title="Old title")
    await create(ann, site, new, "here", title="New title")
    await world.threads.merging.merge(world.owner, old, new)
    late = await create(ann, site, old, "late", title="Old title")
    reply = await create(ann, site, old, "reply", parent_id=late.comment.id, title="Old title")
    assert {late.page_url, reply.page_url} == {f"{ORIGIN}/new"}
    assert (await world.record(keys.page(new.id)))["title"] == "New title"
    # but a page that has moved is called what it is called at its address
    await world.threads.pages.move(world.owner, new, newer)
    await create(ann, site, newer, "moved", title="Newer title")
    assert (await world.record(keys.page(new.id)))["title"] == "Newer title"
    await world.check()


async def test_a_file_is_imported_where_its_pages_have_gone(world: World, tmp_path: Path) -> None:
    comments = deep_thread([PAGE])
    MAKERS["isso"](tmp_path / "first", comments[:20])
    MAKERS["isso"](tmp_path / "all", comments)
    await load(world, tmp_path / "first")
    await world.comment(await world.user("ann"), "there", path="/new")
    await world.threads.merging.merge(world.owner, await world.page(PAGE), await world.page("/new"))
    report = await load(world, tmp_path / "all")
    assert (report.created, report.unchanged) == (13, 20)
    assert await tree(world) == {*told_tree(comments), ("there",)}
    ids = await world.store.call("ZRANGE", keys.page_all((await world.page("/new")).id), 0, -1)
    kept = [await world.record(keys.comment(id.decode())) for id in ids]
    assert {one["page_url"] for one in kept} == {f"{ORIGIN}/new"}
    report = await load(world, tmp_path / "all")
    assert (report.created, report.unchanged) == (0, 33)
    await world.check()


async def test_who_looks_at_a_merged_page_is_told_to_reload(world: World) -> None:
    ann = await world.user("ann")
    for path in ("/old", "/new"):
        await world.comment(ann, "hello", path=path)
    events = EventReader(world.store, world.threads.reading)
    pages = [await world.page("/old"), await world.page("/new")]
    last = [await events.newest(page.id) for page in pages]
    await world.threads.merging.merge(world.owner, *pages)
    for page, event in zip(pages, last, strict=True):
        assert (await events.read(world.site.id, page.id, event)).reload


async def test_people_go_on_while_their_page_is_merged(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MERGE_SHARE", 3)
    monkeypatch.setattr(pages, "VOTES_SHARE", 2)
    users, threads, site = await world.users(8), world.threads, await world.key()
    mod = await world.moderator()
    await world.comment(users[0], "there", path="/new")
    made = [await world.comment(users[0], "root", path="/old")]
    for number in range(40):
        parent = made[number * 7 % len(made)].id if number % 3 else None
        made.append(await world.comment(users[number % 8], f"text {number}", parent=parent, path="/old"))
    merging = asyncio.create_task(
        threads.merging.merge(world.owner, await world.page("/old"), await world.page("/new"))
    )

    async def go_on(user: Viewer, chance: random.Random) -> list[str]:
        written = []
        for number in range(25):
            one = chance.choice(made)
            with suppress(PageMerging, CommentNotFound, NotYourComment):
                match chance.randrange(6):
                    case 0:
                        text = f"{user.user_id} {number}"
                        await world.comment(user, text, parent=chance.choice([None, one.id]), path="/old")
                        written.append(text)
                    case 1:
                        await threads.comments.report(user, site, one.id, "spam")
                    case 2:
                        await threads.comments.edit(user, site, one.id, f"edited {number}")
                    case 3:
                        await threads.moderation.reject(mod, one.id)
                    case _:
                        await threads.comments.vote(user, one.id, chance.choice(("up", "down")))
        return written

    done = await asyncio.gather(*(go_on(user, random.Random(number)) for number, user in enumerate(users)))
    await merging
    for job in await world.square.jobs.list():
        await world.square.jobs.run(job.id)
    page = await world.page("/new")
    ids = await world.store.call("ZRANGE", keys.page_all(page.id), 0, -1)
    texts = {(await world.record(keys.comment(id.decode())))["content"] for id in ids}
    assert len(ids) == 1 + len(made) + sum(map(len, done))
    assert {text for written in done for text in written} <= texts
    assert not await world.store.call("EXISTS", keys.page((await world.page("/old")).id))
    await world.check()


async def test_notifications_of_deleted_comments_follow_a_merge(world: World) -> None:
    ann, bob = await world.users(2)
    mod = await world.moderator()
    for number, delete_as in enumerate((mod, ann)):
        gone = await world.comment(ann, f"gone {number}", path="/old")
        await world.threads.comments.vote(bob, gone.id, "up")
        await world.threads.comments.delete(delete_as, gone.id, as_moderator=delete_as is mod)
    await world.comment(bob, "stays", path="/new")
    await world.threads.merging.merge(world.owner, await world.page("/old"), await world.page("/new"))
    shown = (await world.threads.notifications.list(ann)).items
    assert [one.notification_type for one in shown] == ["mod_action"]
    await assert_clean(world.store)

"""What moderators do: the queue, reports, bans that reach the comments, and the log of all of it."""

import asyncio

import httpx
import pytest
from msgspec.structs import replace

from tests.services.threads.live_clients import process_of
from tests.services.threads.test_access import by_public, by_secret, token_of
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.squares import bearer, raw_names
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import (
    BadBanEnd,
    Banned,
    CannotBanModerator,
    CommentNotFound,
    ModeratorsOnly,
)
from townsquare.services.threads.scripts import BeginBanStep
from townsquare.services.threads.service import bans

MODERATION = "/threads/v1/moderation"


async def report(world: World, viewer: Viewer, comment_id: str) -> bool:
    return await world.threads.comments.report(viewer, await world.key(), comment_id, "spam", "look")


async def test_the_queue_is_approved_and_rejected(world: World, clock: PinnedClock) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    await world.settings(moderation="pre")
    made = []
    for text in ("one", "two", "three"):
        clock.move(seconds=1)
        made.append(await world.comment(ann, text))
    first = await world.threads.moderation.queue(mod, limit=2)
    assert [one.comment.content for one in first.items] == ["one", "two"]
    assert first.items[0].reasons
    rest = await world.threads.moderation.queue(mod, first.next, 2)
    assert ([one.comment.content for one in rest.items], rest.next) == (["three"], None)
    assert await world.threads.moderation.approve(mod, made[0].id)
    assert not await world.threads.moderation.approve(mod, made[0].id)
    assert await world.threads.moderation.reject(mod, made[1].id)
    assert await world.texts() == ["one"]
    assert [one.comment.content for one in (await world.threads.moderation.queue(mod)).items] == ["three"]
    log = (await world.threads.moderation.log(mod)).items
    assert {(one.action, one.target, one.moderator_id) for one in log} == {
        ("approve", made[0].id, mod.user_id),
        ("reject", made[1].id, mod.user_id),
    }
    await world.check()


async def test_reports_hold_a_comment_until_a_moderator_has_seen_to_them(world: World) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    readers = await world.users(4)
    comment = await world.comment(ann, "rude")
    for one in readers[:3]:
        assert await report(world, one, comment.id)
    assert await world.texts() == []
    reports = (await world.threads.moderation.reports(mod)).items
    assert {one.report.reporter_id for one in reports} == {one.user_id for one in readers[:3]}
    assert reports[0].comment is not None
    assert (reports[0].comment.content, reports[0].report.details) == ("rude", "look")
    assert (await world.threads.moderation.queue(mod)).items[0].report_count == 3
    assert await world.threads.moderation.approve(mod, comment.id)
    assert (await world.threads.moderation.reports(mod)).items == []
    assert await world.texts() == ["rude"]
    assert not await report(world, readers[0], comment.id)  # was seen to
    assert await report(world, readers[3], comment.id)
    assert await world.texts() == ["rude"]  # one new report is not three
    dismiss = world.threads.moderation.dismiss
    assert await dismiss(mod, comment.id, str(readers[3].user_id))
    assert not await dismiss(mod, comment.id, str(readers[3].user_id))
    assert (await world.threads.moderation.reports(mod)).items == []
    assert await world.texts() == ["rude"]
    await world.check()


async def test_what_a_moderator_does_to_comments_is_logged_too(world: World) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    comment = await world.comment(ann)
    comments = world.threads.comments
    await comments.pin(mod, comment.id, True)
    await comments.pin(mod, comment.id, False)
    await comments.edit(mod, await world.key(), comment.id, "better", as_moderator=True)
    await comments.edit(ann, await world.key(), comment.id, "my own", as_moderator=False)
    await comments.delete(mod, comment.id, as_moderator=True)
    log = (await world.threads.moderation.log(mod)).items
    assert sorted(one.action for one in log) == ["delete", "edit", "pin", "unpin"]


async def test_a_ban_ends_when_it_was_said_to(world: World, clock: PinnedClock) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    moderation, user_id = world.threads.moderation, str(ann.user_id)
    assert (await moderation.ban(mod, user_id, days=2)).changed
    comment = await world.comment(mod, "Vote on this")
    with pytest.raises(Banned):
        await world.comment(ann, "no")
    with pytest.raises(Banned):
        await world.threads.comments.vote(ann, comment.id, "up")
    (ban,) = await moderation.bans(mod)
    assert (ban.user_id, ban.shadow, ban.until) == (user_id, False, "2026-03-16T15:09:26.535Z")
    clock.move(days=2, seconds=1)
    await world.comment(ann, "again")
    assert (await world.threads.comments.vote(ann, comment.id, "up")).upvotes == 1
    assert await moderation.bans(mod) == []
    await moderation.ban(mod, user_id)
    clock.move(days=4_000)
    with pytest.raises(Banned):
        await world.comment(ann, "never")
    assert (await moderation.unban(mod, user_id)).changed
    await world.comment(ann, "at last")
    for until in ("2001-01-01", "soon", "", "9999-12-31"):
        with pytest.raises(BadBanEnd):
            await moderation.ban(mod, user_id, until=until)
    with pytest.raises(BadBanEnd):
        await moderation.ban(mod, user_id, until="2040-01-01T00:00:00Z", days=3)
    with pytest.raises(CannotBanModerator):
        await moderation.ban(mod, str(mod.user_id))
    await world.check()


async def test_a_ban_may_remove_the_comments_of_the_site(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bans, "SHARE", 2)
    mod, ann, bob = await world.moderator(), await world.user("ann"), await world.user("bob")
    other = await world.threads.sites.create("Other", "other.example.org")
    there = World(world.square, other)
    kept = await there.comment(replace(ann, site_id=other.id), "effects")
    for number in range(5):
        await world.comment(ann, f"bad {number}")
    root = await world.comment(ann, "root")
    await world.comment(bob, "reply", parent=root.id)
    outcome = await world.threads.moderation.ban(mod, str(ann.user_id), remove_comments=True)
    assert outcome.finished
    (place,) = (await world.thread(mod)).comments
    assert (place.content, place.author, [one.content for one in place.replies]) == ("", None, ["reply"])
    assert [one.id for one in (await there.thread()).comments] == [kept.id]
    assert await world.record(keys.site_open_bans(world.site.id)) == {}
    await world.check()


async def test_shadow_banning_hides_what_is_there_and_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bans, "SHARE", 2)
    mod, ann, bob = await world.moderator(), await world.user("ann"), await world.user("bob")
    texts = [f"text {number}" for number in range(5)]
    for text in texts:
        await world.comment(ann, text)
    before = await world.thread(ann)
    moderation = world.threads.moderation
    assert (await moderation.shadowban(mod, str(ann.user_id))).finished
    assert await world.texts(bob) == []
    seen = await world.thread(ann)
    assert (seen.comments, seen.total) == (before.comments, before.total)
    assert sorted(await world.texts(mod)) == texts
    assert [(one.user_id, one.shadow) for one in await moderation.bans(mod)] == [(ann.user_id, True)]
    assert (await moderation.unshadowban(mod, str(ann.user_id))).finished
    assert sorted(await world.texts(bob)) == texts
    assert not (await moderation.unshadowban(mod, str(ann.user_id))).changed
    await world.check()


async def test_who_is_shadow_banned_while_they_look_does_not_notice(world: World) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    comment = await world.comment(ann)
    await world.threads.comments.pin(mod, comment.id, True)
    page, site = await world.page(), await world.key()
    last = (await world.threads.live.events(ann, page)).last

    async def seen() -> list[object]:
        whole = await world.threads.whole.read(ann, site.settings, page.id)
        thread = await world.thread(ann)
        exported = await world.threads.export_user(str(ann.user_id))
        return [whole.total, whole.pinned, thread.pinned, exported["comments"]]

    before = await seen()
    async with process_of(world) as here, here.client(ann) as author, here.client() as stranger:
        for client in (author, stranger):
            await client.subscribe()
        await world.threads.moderation.shadowban(mod, str(ann.user_id))
        await world.comment(mod, "over")
        for client in (author, stranger):
            await client.hear_until("over")
        assert [event["type"] for event in stranger.events] == ["delete_comment", "new_comment"]
        assert [event["type"] for event in author.events] == ["new_comment"]
    polled = await world.threads.live.events(ann, page, last)
    assert [event.type for event in polled.events] == ["new_comment"]
    await world.threads.comments.delete(mod, (await world.thread()).comments[0].id)
    assert await seen() == before
    await world.settings(moderation="pre")
    held = await world.comment(ann, "held")
    exported = (await world.threads.export_user(str(ann.user_id)))["comments"]
    assert {one["status"] for one in exported if one["id"] == held.id} == {held.status}


async def test_a_ban_that_a_crash_cut_off_is_carried_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bans, "SHARE", 2)
    mod, ann = await world.moderator(), await world.user("ann")
    for number in range(5):
        await world.comment(ann, f"text {number}")
    steps = 0
    run = world.store.run

    async def dies(script):  # type: ignore[no-untyped-def]
        nonlocal steps
        steps += isinstance(script, BeginBanStep)
        if steps == 2:
            raise RuntimeError("the process is gone")
        return await run(script)

    monkeypatch.setattr(world.store, "run", dies)
    outcome = await world.threads.moderation.shadowban(mod, str(ann.user_id))
    assert not outcome.finished
    monkeypatch.setattr(world.store, "run", run)
    assert 0 < len(await world.texts()) < 5
    world.store.clock.move(minutes=5)  # type: ignore[attr-defined]
    await world.square.jobs.run_open()
    assert await world.texts() == []
    await world.check()


async def test_a_moderator_who_changes_their_mind_is_heard_last(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bans, "SHARE", 2)
    mod, ann = await world.moderator(), await world.user("ann")
    for number in range(9):
        await world.comment(ann, f"text {number}")
    moderation, user_id = world.threads.moderation, str(ann.user_id)
    await asyncio.gather(
        moderation.shadowban(mod, user_id),
        moderation.unshadowban(mod, user_id),
        moderation.shadowban(mod, user_id),
    )
    shadowed = bool(await moderation.bans(mod))
    await world.square.jobs.run_open()
    assert len(await world.texts()) == (0 if shadowed else 9)
    await world.check()


async def test_only_moderators_of_the_site_act_on_it(world: World, http: httpx.AsyncClient) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    comment = await world.comment(ann)
    moderation = world.threads.moderation
    for acts in (moderation.approve, moderation.reject):
        with pytest.raises(ModeratorsOnly):
            await acts(ann, comment.id)
    for lists in (moderation.queue, moderation.reports, moderation.log, moderation.bans):
        with pytest.raises(ModeratorsOnly):
            await lists(ann)
    other = await world.threads.sites.create("Other", "other.example.org")
    with pytest.raises(CommentNotFound):
        await moderation.reject(replace(mod, site_id=other.id), comment.id)

    user_id, token = await token_of(world, "boss")
    await world.threads.sites.set_role(other.id, user_id, "admin")
    there = {"X-API-Key": other.api_key_public, "Origin": "https://other.example.org", **bearer(token)}
    here = by_public(world, **bearer(token))
    for headers, status in ((here, 403), (there, 404)):
        for path in (f"approve/{comment.id}", f"reject/{comment.id}"):
            assert (await http.post(f"{MODERATION}/{path}", headers=headers)).status_code == status
    for path in ("queue", "reports", "log", "bans"):
        assert (await http.get(f"{MODERATION}/{path}", headers=here)).status_code == 403
        assert (await http.get(f"{MODERATION}/{path}", headers=there)).status_code == 200
    for verb in ("ban", "unban", "shadowban", "unshadowban"):
        answer = await http.post(f"{MODERATION}/{verb}/{ann.user_id}", headers=here)
        assert answer.json()["code"] == "moderators_only"
    assert await world.texts() == ["hello"]


async def test_moderation_over_http(world: World, http: httpx.AsyncClient) -> None:
    _, token = await token_of(world, "ann")
    user_id, boss = await token_of(world, "boss")
    await world.threads.sites.set_role(world.site.id, user_id, "moderator")
    await world.settings(moderation="pre")
    made = await http.post(
        "/threads/v1/comments",
        json={"content": "hi", "page_url": "/hello"},
        headers=by_public(world, **bearer(token)),
    )
    comment = made.json()["comment"]
    headers = by_public(world, **bearer(boss))
    (queued,) = (await http.get(f"{MODERATION}/queue", headers=headers)).json()["items"]
    assert (queued["comment"]["id"], queued["page_url"]) == (comment["id"], f"{ORIGIN}/hello")
    approved = await http.post(f"{MODERATION}/approve/{comment['id']}", headers=headers)
    assert approved.json() == {"id": comment["id"], "status": "approved", "changed": True}
    author = comment["author"]["id"]
    banned = await http.post(f"{MODERATION}/ban/{author}", json={"days": 3}, headers=by_secret(world))
    assert banned.json() == {"user_id": author, "changed": True, "finished": True}
    log = (await http.get(f"{MODERATION}/log", headers=headers)).json()["items"]
    assert [one["action"] for one in log if one["moderator_id"] is None] == ["ban"]
    for bad in ("nobody", "usr_" + "0" * 32):
        assert (await http.post(f"{MODERATION}/ban/{bad}", headers=headers)).status_code == 404
        assert (await http.post(f"{MODERATION}/approve/{bad}", headers=headers)).status_code == 404
    for body in ({"days": 0}, {"days": "x"}, {"until": "x"}, {"until": 5}, {"since": 1}):
        answer = await http.post(f"{MODERATION}/ban/{author}", json=body, headers=headers)
        assert answer.status_code == 422


async def test_who_is_gone_is_in_no_role_ban_or_log(world: World) -> None:
    ann, bob = await world.users(2)
    mod, admin = await world.moderator(), await world.user("admin")
    silent = await world.square.accounts.sign_up("silent")  # has a role, and never commented
    await world.threads.sites.set_role(world.site.id, str(admin.user_id), "admin")
    await world.threads.sites.set_role(world.site.id, silent.id, "admin")
    comment = await world.comment(bob)
    await world.threads.comments.report(ann, await world.key(), comment.id, "spam")
    await world.threads.moderation.dismiss(mod, comment.id, str(ann.user_id))
    await world.threads.moderation.ban(mod, str(ann.user_id), days=3)
    await world.threads.moderation.shadowban(mod, str(bob.user_id))
    gone = [str(one.user_id) for one in (ann, bob, mod, admin)] + [silent.id]
    for user_id in gone:
        await world.square.accounts.privacy.delete(user_id)
    log = (await world.threads.moderation.log(world.owner)).items
    assert sorted(one.action for one in log) == ["ban", "dismiss", "shadowban"]
    said = str([*await raw_names(world.store), *log, await world.threads.moderation.bans(world.owner)])
    for key in (keys.site_blocked, keys.site_shadowbanned, keys.site_admins, keys.site_moderators):
        said += str(await world.store.call("SMEMBERS", key(world.site.id)))
    assert not [user_id for user_id in gone if user_id in said]
    await world.check()

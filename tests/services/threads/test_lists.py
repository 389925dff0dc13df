"""Comments outside of a thread: counts, the newest, those of one user, feeds; and whom one blocks."""

from xml.etree import ElementTree

import httpx
import pytest
from msgspec.structs import replace

from tests.services.threads.test_access import by_public, by_secret, token_of
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.squares import bearer
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import CannotBlockYourself, CommenterNotFound, TooManyBlocks

API = "/threads/v1"


def texts_of(feed: httpx.Response) -> list[str]:
    assert feed.headers["content-type"].startswith("application/rss+xml")
    items = ElementTree.fromstring(feed.content).iter("item")
    return [item.findtext("description", "") for item in items]


async def test_many_pages_are_counted_in_one_call(world: World, http: httpx.AsyncClient) -> None:
    mod, ann = await world.moderator(), await world.user("ann")
    for number in range(3):
        await world.comment(ann, f"text {number}", path="/a")
    await world.comment(ann, "here", path="/b")
    ghost = await world.user("ghost")
    await world.comment(ghost, "boo", path="/b")
    await world.threads.moderation.shadowban(mod, str(ghost.user_id))
    params = {"urls": ["/a", f"{ORIGIN}/b?utm_source=x", "/none"]}
    counted = await http.get(f"{API}/counts", params=params, headers=by_public(world))
    assert counted.json() == {"counts": {"/a": 3, f"{ORIGIN}/b?utm_source=x": 1, "/none": 0}}
    own = await world.threads.lists.counts(ghost, await world.key(), ["/b"])
    assert own == {"/b": 2}  # nothing reveals it
    many = {"urls": [f"/{number}" for number in range(101)]}
    assert (await http.get(f"{API}/counts", params=many, headers=by_public(world))).status_code == 422
    bad = await http.get(f"{API}/counts?urls=ftp://x", headers=by_public(world))
    assert bad.json()["code"] == "bad_page"


async def test_the_newest_comments_of_a_site(world: World, clock: PinnedClock) -> None:
    mod, ann, ghost = await world.moderator(), await world.user("ann"), await world.user("ghost")
    for number in range(4):
        clock.move(seconds=1)
        await world.comment(ghost if number % 2 else ann, f"text {number}", path=f"/{number}")
    await world.threads.moderation.shadowban(mod, str(ghost.user_id))
    recent = world.threads.lists.recent
    first = await recent(world.reader, limit=1)
    assert [one.comment.content for one in first.items] == ["text 2"]
    assert first.items[0].page_url == f"{ORIGIN}/2"
    rest = await recent(world.reader, first.next)
    assert ([one.comment.content for one in rest.items], rest.next) == (["text 0"], None)
    seen, cursor = [], None
    for _ in range(4):
        page = await recent(ghost, cursor, 1)
        seen += [one.comment.content for one in page.items]
        cursor = page.next
    assert (seen, cursor) == (["text 3", "text 2", "text 1", "text 0"], None)


async def test_a_commenter_and_what_they_wrote_here(world: World, http: httpx.AsyncClient) -> None:
    mod, ann, bob = await world.moderator(), await world.user("ann"), await world.user("bob")
    other = World(world.square, await world.threads.sites.create("Other", "other.example.org"))
    await other.comment(replace(ann, site_id=other.site.id), "effects")
    comment = await world.comment(ann, "public")
    await world.threads.comments.vote(bob, comment.id, "up")
    await world.settings(moderation="pre")
    await world.comment(ann, "held")
    profiles, user_id = world.threads.profiles, str(ann.user_id)
    for viewer, expected in ((world.reader, ["public"]), (bob, ["public"]), (ann, ["held", "public"])):
        found = (await profiles.comments(viewer, user_id)).items
        assert sorted(one.comment.content for one in found) == expected
        shown = await profiles.get(viewer, user_id)
        assert (shown.name, shown.karma, shown.total_comments) == ("ann", 1, len(expected))
    assert len((await profiles.comments(mod, user_id)).items) == 2
    answer = await http.get(f"{API}/users/{user_id}", headers=by_public(world))
    assert set(answer.json()) == {
        *("id", "name", "avatar_url", "karma", "total_comments", "created_at", "blocked")
    }
    for bad in ("nobody", "usr_" + "0" * 32):
        assert (await http.get(f"{API}/users/{bad}", headers=by_public(world))).status_code == 404
    await world.check()


async def test_whom_one_blocks_one_does_not_see(
    world: World, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_id, token = await token_of(world, "ann")
    ann, bob = Viewer(site_id=world.site.id, user_id=user_id), await world.user("bob")
    root = await world.comment(bob, "rude")
    await world.comment(await world.user("cat"), "kind", parent=root.id)
    headers = by_public(world, **bearer(token))
    path = f"{API}/users/{bob.user_id}/block"
    assert (await http.post(path, headers=headers)).json() == {
        "id": bob.user_id,
        "blocked": True,
        "changed": True,
    }
    assert (await http.post(path, headers=headers)).json()["changed"] is False
    (place,) = (await world.thread(ann)).comments
    assert (place.content, place.author, place.blocked) == ("", None, True)
    assert [one.content for one in place.replies] == ["kind"]
    assert await world.texts() == ["rude"]
    assert [one.comment.content for one in (await world.threads.lists.recent(ann)).items] == ["kind"]
    await world.comment(bob, "@ann look")
    assert (await world.threads.notifications.list(ann)).items == []
    assert (await world.threads.profiles.get(ann, str(bob.user_id))).blocked
    await world.check()
    assert (await http.delete(path, headers=headers)).json()["changed"] is True
    assert "rude" in await world.texts(ann)
    profiles = world.threads.profiles
    with pytest.raises(CannotBlockYourself):
        await profiles.block(ann, user_id)
    with pytest.raises(CommenterNotFound):
        await profiles.block(ann, "usr_" + "0" * 32)
    await profiles.block(ann, str(bob.user_id))
    await world.square.accounts.privacy.delete(str(bob.user_id))
    assert await world.store.call("SCARD", keys.user_blocks(user_id)) == 0
    fillers = [f"usr_{number:029x}000" for number in range(keys.BLOCKS)]
    await world.store.call("SADD", keys.user_blocks(user_id), *fillers)
    with pytest.raises(TooManyBlocks):
        await profiles.block(ann, str((await world.user("dan")).user_id))


async def test_how_one_voted_on_a_page(world: World, http: httpx.AsyncClient) -> None:
    user_id, token = await token_of(world, "ann")
    ann, bob = Viewer(site_id=world.site.id, user_id=user_id), await world.user("bob")
    one, two = await world.comment(bob, "one"), await world.comment(bob, "two")
    await world.comment(bob, "effects", path="/else")
    await world.threads.comments.vote(ann, one.id, "up")
    await world.threads.comments.vote(ann, two.id, "down")
    path = f"{API}/pages/my_votes?page_url=/hello"
    answer = await http.get(path, headers=by_public(world, **bearer(token)))
    assert answer.json() == {"votes": {one.id: "up", two.id: "down"}}
    assert (await http.get(path, headers=by_public(world))).status_code == 401


async def test_feeds_are_rss_and_safe(world: World, http: httpx.AsyncClient, clock: PinnedClock) -> None:
    ann = await world.user("ann")
    root = await world.comment(ann, "a <b> & ]]> **bold** \x0b")
    clock.move(seconds=1)
    await world.comment(ann, "reply", parent=root.id)
    await world.comment(ann, "other page", path="/else")
    site = world.site.api_key_public
    page = await http.get(f"{API}/feed.xml?site={site}&page_url=/hello")
    assert texts_of(page) == ["<p>reply</p>", root.content_html]
    (channel,) = ElementTree.fromstring(page.content)
    first = channel.find("item")
    assert first is not None
    assert (first.findtext("title"), first.findtext("pubDate")) == ("ann", "Sat, 14 Mar 2026 15:09:27 GMT")
    assert str(first.findtext("link")).startswith(f"{ORIGIN}/hello#comment-")
    assert len(texts_of(await http.get(f"{API}/feed.xml?site={site}"))) == 3
    again = await http.get(f"{API}/feed.xml?site={site}", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 200
    same = await http.get(
        f"{API}/feed.xml?site={site}&page_url=/hello", headers={"If-None-Match": page.headers["ETag"]}
    )
    assert same.status_code == 304


async def test_ones_replies_are_a_feed_with_a_secret_address(world: World, http: httpx.AsyncClient) -> None:
    user_id, token = await token_of(world, "ann")
    await world.threads.commenters.get(user_id)
    mod, bob = await world.moderator(), await world.user("bob")
    reply = await world.comment(bob, "hi @ann")
    headers = by_public(world, **bearer(token))
    old = (await http.post(f"{API}/feed/token", headers=headers)).json()["url"]
    address = (await http.post(f"{API}/feed/token", headers=headers)).json()["url"]
    assert texts_of(await http.get(address)) == [reply.content_html]
    assert (await http.get(old)).status_code == 404
    for wrong in ("x", f"{user_id}..", f"{user_id}.{world.site.id}.", "ä.ö.ü", "." * 50):
        assert (await http.get(f"{API}/feed/replies.xml", params={"token": wrong})).status_code == 404
    await world.threads.moderation.reject(mod, reply.id)
    assert texts_of(await http.get(address)) == []
    assert (await http.post(f"{API}/feed/token", headers=by_secret(world))).status_code == 401

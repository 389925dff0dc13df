"""The pages of a site: closed and opened, moved to another address one by one or by prefix."""

import httpx
import pytest

from tests.services.threads.test_access import by_public, by_secret
from tests.services.threads.world import ORIGIN, World
from townsquare.services.threads import keys
from townsquare.services.threads.problems import (
    AdminsOnly,
    BadPage,
    PageNotFound,
    PageTaken,
    PostingClosed,
)
from townsquare.services.threads.service import pages

PAGES = "/threads/v1/site/pages"


async def test_a_closed_page_takes_no_comments(world: World, http: httpx.AsyncClient) -> None:
    ann = await world.user("ann")
    await world.comment(ann, "before")
    body = {"page_url": "/hello"}
    closed = await http.post(f"{PAGES}/close", json=body, headers=by_secret(world))
    assert closed.json() == {"closed": True, "changed": True}
    assert (await world.thread()).closed
    with pytest.raises(PostingClosed):
        await world.comment(ann, "after")
    assert (await http.post(f"{PAGES}/open", json=body, headers=by_secret(world))).json()["changed"] is True
    await world.comment(ann, "again")
    (page,) = (await http.get(PAGES, headers=by_secret(world))).json()["items"]
    assert (page["url"], page["comment_count"], page["closed"]) == (f"{ORIGIN}/hello", 2, False)
    for path, given in (("close", body), ("open", body), ("move", {**body, "to_url": "/x"})):
        assert (await http.post(f"{PAGES}/{path}", json=given, headers=by_public(world))).status_code == 403
    assert (await http.get(PAGES, headers=by_public(world))).status_code == 403
    missing = await http.post(f"{PAGES}/close", json={"page_url": "/none"}, headers=by_secret(world))
    assert missing.json()["code"] == "page_not_found"
    actions = [one.action for one in (await world.threads.moderation.log(world.owner)).items]
    assert sorted(actions) == ["close_page", "open_page"]


async def test_a_page_that_moves_keeps_its_comments_and_both_addresses(
    world: World, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SHARE", 2)
    ann, bob = await world.user("ann"), await world.user("bob")
    made = [await world.comment(ann, f"text {number}") for number in range(5)]
    await world.threads.comments.vote(bob, made[0].id, "up")
    given = {"page_url": "/hello", "to_url": "/moved"}
    assert (await http.post(f"{PAGES}/move", json=given, headers=by_secret(world))).json() == {
        "finished": True
    }
    for number, path in enumerate(("/hello", "/moved")):
        assert len(await world.texts(path=path)) == 5 + number
        await world.comment(bob, f"written at {path}", path=path)
    assert len(await world.texts(path="/moved")) == 7
    counts = await world.threads.lists.counts(world.reader, await world.key(), ["/hello", "/moved"])
    assert counts == {"/hello": 7, "/moved": 7}
    feed = await http.get("/threads/v1/feed.xml?page_url=/moved", headers=by_public(world))
    assert feed.text.count("<item>") == 7
    for one in made:
        assert (await world.record(keys.comment(one.id)))["page_url"] == f"{ORIGIN}/moved"
    page = await world.threads.pages.find(await world.key(), "/moved")
    assert await world.threads.lists.my_votes(bob, page.id) == {made[0].id: "up"}
    await world.check()


async def test_a_page_does_not_move_onto_another(world: World) -> None:
    ann = await world.user("ann")
    await world.comment(ann, "one", path="/one")
    await world.comment(ann, "two", path="/two")
    one, two, none = await world.page("/one"), await world.page("/two"), await world.page("/none")
    with pytest.raises(PageTaken):
        await world.threads.pages.move(world.owner, one, two)
    with pytest.raises(PageNotFound):
        await world.threads.pages.move(world.owner, none, two)
    with pytest.raises(AdminsOnly):
        await world.threads.pages.move(await world.moderator(), one, none)
    await world.square.jobs.run_open()
    assert (await world.texts(path="/one"), await world.texts(path="/two")) == (["one"], ["two"])
    assert (await world.record(keys.page(one.id)))["url"] == f"{ORIGIN}/one"
    await world.check()


async def test_pages_move_by_their_prefix(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SHARE", 2)
    ann = await world.user("ann")
    plain = "http://blog.example.org/blog/d"  # links to it have no https; it is a page as any other
    for path in ("/blog/a", "/blog/b", "/blog/c", "/other", "/articles/c", plain):
        await world.comment(ann, f"at {path}", path=path)
    moved = await world.threads.pages.move_all(world.owner, await world.key(), "/blog/", "/articles/")
    assert moved.finished
    assert await world.texts(path="/articles/a") == ["at /blog/a"]
    assert await world.texts(path="/articles/b") == ["at /blog/b"]
    assert await world.texts(path="/articles/d") == await world.texts(path="/blog/d") == [f"at {plain}"]
    assert await world.texts(path="/articles/c") == ["at /articles/c"]  # was there already
    assert await world.texts(path="/blog/c") == ["at /blog/c"]
    assert await world.texts(path="/other") == ["at /other"]
    with pytest.raises(BadPage):
        await world.threads.pages.move_all(world.owner, await world.key(), "/blog/", "/blog/")
    await world.check()

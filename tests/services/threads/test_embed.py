"""Comments without JavaScript: read as HTML, written by a form."""

import re
from html import unescape
from typing import Any

import httpx
import pytest

from tests.services.threads.world import World

EMBED = "/threads/v1/embed"
OWN_PAGE = {"Origin": "http://square.test"}  # the form is on a page of ours


def asked(world: World, **more: str) -> dict[str, str]:
    return {"site": world.site.api_key_public, "page_url": "/hello", **more}


async def write(
    world: World, http: httpx.AsyncClient, headers: Any = OWN_PAGE, **form: str
) -> httpx.Response:
    given = {"name": "Ann", "content": "hello", **form}
    return await http.post(EMBED, params=asked(world), data=given, headers=headers)


async def test_a_reader_without_javascript_writes_and_answers(world: World, http: httpx.AsyncClient) -> None:
    posted = await write(world, http, content="**first**")
    assert posted.status_code == 303
    page = await http.get(posted.headers["location"])
    assert "<b>Ann</b>" in page.text
    assert "<strong>first</strong>" in page.text
    assert 'role="status">Your comment is posted.' in page.text
    (reply_to,) = re.findall(r'<a href="([^"]+)">Reply</a>', page.text)
    answering = await http.get(unescape(reply_to))
    (action,) = re.findall(r'action="([^"]+)"', answering.text)
    assert "Reply to Ann" in answering.text
    await http.post(unescape(action), data={"name": "Bob", "content": "second"}, headers=OWN_PAGE)
    (root,) = (await world.thread()).comments
    assert [(one.author and one.author.name, one.content) for one in root.replies] == [("Bob", "second")]


async def test_what_is_refused_comes_back_with_what_was_typed(world: World, http: httpx.AsyncClient) -> None:
    for form in ({"name": " "}, {"content": "  "}, {"website": "spam"}):
        answer = await write(world, http, **{"name": 'A"nn', "content": "<b>text", **form})
        assert answer.status_code in (403, 422, 400)
        assert 'role="alert"' in answer.text
        assert ("&lt;b&gt;text" in answer.text) == ("content" not in form)
        assert "<b>text" not in answer.text
    assert await world.square.accounts.users.count_visitors() <= 1  # a bad text makes no writer
    assert (await world.thread()).total == 0


@pytest.mark.parametrize("origin", [None, "https://evil.org"])
async def test_only_our_own_form_may_write(world: World, http: httpx.AsyncClient, origin: str | None) -> None:
    answer = await write(world, http, headers={"Origin": origin} if origin else {})
    assert answer.status_code == 403
    assert "<html" in answer.text
    assert (await world.thread()).total == 0


async def test_where_guests_may_not_write_there_is_no_form(world: World, http: httpx.AsyncClient) -> None:
    await world.settings(anonymous=False)
    page = await http.get(EMBED, params=asked(world, lang="ja"))
    assert "<form" not in page.text
    assert "まだコメントがありません" in page.text
    assert (await write(world, http)).status_code == 403
    assert (await world.thread()).total == 0


async def test_all_of_a_thread_can_be_reached_by_links(world: World, http: httpx.AsyncClient) -> None:
    ann = await world.user("ann")
    roots = [await world.comment(ann, f"root {number}.") for number in range(60)]
    for number in range(15):
        await world.comment(ann, f"reply {number}.", parent=roots[0].id)
    seen: set[str] = set()
    leads = [f"{EMBED}?{httpx.QueryParams(asked(world))}"]
    followed: set[str] = set()
    while leads:
        lead = leads.pop()
        followed.add(lead)
        page = await http.get(lead)
        assert page.status_code == 200
        seen |= set(re.findall(r"<p>((?:root|reply) \d+\.)</p>", page.text))
        found = re.findall(r'<a href="([^"]+)">(?:Older comments|More replies)</a>', page.text)
        leads += {unescape(one) for one in found} - followed
    assert len(seen) == 75


async def test_a_held_comment_is_not_in_the_page(world: World, http: httpx.AsyncClient) -> None:
    await world.settings(moderation="pre")
    posted = await write(world, http, content="wait for me")
    page = await http.get(posted.headers["location"])
    assert "A moderator will look" in page.text
    assert "wait for me" not in page.text
    assert (await http.get(EMBED, params={"page_url": "/hello"})).status_code == 401


async def test_a_form_cannot_do_work_so_it_must_wait(world: World, http: httpx.AsyncClient) -> None:
    answers = [await write(world, http, content=f"number {number}") for number in range(4)]
    assert [answer.status_code for answer in answers] == [303, 303, 303, 429]
    assert "number 3</textarea>" in answers[-1].text

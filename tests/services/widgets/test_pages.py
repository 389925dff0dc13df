"""Pages that work without JavaScript."""

import re

import httpx
import pytest

from tests.services.widgets.given import ID, NASTY, TOKEN, URL, visitor
from tests.support.clock import PinnedClock
from townsquare.services.widgets.drawing import THEMES
from townsquare.services.widgets.models import Select
from townsquare.services.widgets.routes import pages
from townsquare.square import Square


async def test_a_like_is_a_form(square: Square, http: httpx.AsyncClient) -> None:
    await square.widgets.like.create(URL, TOKEN)
    page = await http.get(f"/widgets/like/{ID}")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<output>0</output>" in page.text
    pressed = await http.post(f"/widgets/like/{ID}")
    assert (pressed.status_code, pressed.headers["location"]) == (303, f"/widgets/like/{ID}")
    assert "<output>1</output>" in (await http.get(f"/widgets/like/{ID}")).text
    await http.post(f"/widgets/like/{ID}")
    assert "<output>0</output>" in (await http.get(f"/widgets/like/{ID}")).text


async def test_a_board_is_a_form(square: Square, http: httpx.AsyncClient, clock: PinnedClock) -> None:
    await square.widgets.bbs.create(
        URL, TOKEN, title="Guests", icons=["😀"], selects=[Select("Mood", ["good"])], messages_per_page=1
    )
    posted = await http.post(
        f"/widgets/bbs/{ID}", data={"author": "ann", "message": "hi", "icon": "😀", "select0": "good"}
    )
    assert posted.status_code == 200
    assert "Mood: good" in posted.text
    found = re.search(r"<code>([^<]+)</code>", posted.text)
    assert found
    token = found[1]
    message_id = re.findall(rf"/widgets/bbs/{ID}/messages/(\w+)", posted.text)[0]
    too_soon = await http.post(f"/widgets/bbs/{ID}", data={"message": "again"})
    assert (too_soon.status_code, "try again in 10 s" in too_soon.text) == (429, True)
    clock.move(seconds=10)
    await http.post(f"/widgets/bbs/{ID}", data={"message": "newer"})
    first = (await http.get(f"/widgets/bbs/{ID}")).text
    assert "newer" in first
    assert token not in first
    assert f"/widgets/bbs/{ID}?page=2" in first
    assert "hi" in (await http.get(f"/widgets/bbs/{ID}", params={"page": 2})).text
    place = f"/widgets/bbs/{ID}/messages/{message_id}"
    by_others = await http.get(f"/widgets/bbs/{ID}", headers={"User-Agent": "another"})
    assert "/messages/" in first
    assert "/messages/" not in by_others.text
    assert "hi</textarea>" in (await http.get(place)).text
    wrong = await http.post(place, data={"message": "mine", "editToken": "guess guess"})
    assert wrong.status_code == 403
    saved = await http.post(place, data={"message": "edited", "editToken": token, "icon": "😀"})
    assert saved.status_code == 303
    assert (await square.widgets.bbs.message(ID, message_id)).message == "edited"
    gone = await http.post(place, data={"editToken": TOKEN, "deed": "delete"})
    assert gone.status_code == 303
    assert (await http.get(place)).status_code == 404


async def test_a_ranking_is_a_table(square: Square, http: httpx.AsyncClient) -> None:
    await square.widgets.ranking.create(URL, TOKEN)
    assert "No scores yet" in (await http.get(f"/widgets/ranking/{ID}")).text
    await square.widgets.ranking.submit(ID, visitor(), "ann", 7)
    assert "<td><bdi>ann</bdi></td><td><bdi>7</bdi></td>" in (await http.get(f"/widgets/ranking/{ID}")).text


@pytest.mark.parametrize("text", NASTY)
async def test_text_stays_text(square: Square, http: httpx.AsyncClient, text: str) -> None:
    widgets = square.widgets
    await widgets.like.create(URL, TOKEN, icon=text[:16].strip())
    await widgets.ranking.create(URL, TOKEN, title=text, description=text)
    await widgets.ranking.submit(ID, visitor(), text, 1, display_score=text)
    await widgets.bbs.create(
        URL, TOKEN, title=text, icons=[text[:16].strip()], selects=[Select(text, [text])]
    )
    posted = await widgets.bbs.post(
        ID, visitor(), text, author=text[:20].strip(), icon=text[:16].strip(), selects={text: text}
    )
    for path in ("like/{}", "ranking/{}", "bbs/{}", f"bbs/{{}}/messages/{posted.message_id}"):
        page = await http.get(f"/widgets/{path.format(ID)}")
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "default-src 'self'" in page.headers["content-security-policy"]


async def test_pages_speak_the_readers_language(square: Square, http: httpx.AsyncClient) -> None:
    await square.widgets.bbs.create(URL, TOKEN)
    page = await http.get(f"/widgets/bbs/{ID}", headers={"Accept-Language": "ja"})
    assert '<html lang="ja">' in page.text
    assert "投稿" in page.text


@pytest.mark.parametrize(
    "path", ["like/nobody-00000000", "bbs/nobody-00000000", "ranking/%3Cb%3E", "like/%00"]
)
async def test_what_is_not_there_is_said_on_a_page(http: httpx.AsyncClient, path: str) -> None:
    page = await http.get(f"/widgets/{path}")
    assert page.status_code in (404, 422)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<b>" not in page.text


async def test_the_page_to_make_widgets_and_its_files(http: httpx.AsyncClient) -> None:
    for path in (
        "/widgets",
        "/widgets/demo?kind=like&id=%22%3E%3Cscript%3E",
        "/widgets/assets/make.js",
        "/widgets/assets/widgets.css",
        *(
            f"/components/modules/{name}.js"
            for name in ("shared", "themes", "counter", "like", "ranking", "bbs")
        ),
        *(f"/components/{name}.js" for name in ("visit", "counter", "like", "ranking", "bbs")),
    ):
        answer = await http.get(path)
        assert answer.status_code == 200, path
        assert "><script>" not in answer.text
    assert 'href="/widgets"' in (await http.get("/")).text


async def test_theme_pictures_are_drawn_once(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = (await http.get("/widgets")).text.count("data:image")
    assert first >= len(THEMES)
    monkeypatch.delattr(pages, "draw_number")
    assert (await http.get("/widgets")).text.count("data:image") == first


async def test_a_page_has_the_theme_of_its_widget(square: Square, http: httpx.AsyncClient) -> None:
    await square.widgets.bbs.create(URL, TOKEN)
    themed = (await http.get(f"/widgets/bbs/{ID}?theme=retro")).text
    assert 'href="/widgets/themes/retro.css"' in themed
    assert f'action="/widgets/bbs/{ID}?theme=retro"' in themed
    style = await http.get("/widgets/themes/retro.css")
    assert (style.status_code, "--paper: #000000" in style.text) == (200, True)
    unknown = (await http.get(f"/widgets/bbs/{ID}", params={"theme": '"><script>'})).text
    assert "<script>" not in unknown.replace('<script type="module"', "").replace('<script src="/assets', "")
    assert "/widgets/themes/" not in unknown

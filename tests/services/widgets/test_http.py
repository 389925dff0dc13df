import json
from collections.abc import AsyncIterator
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from tests.services.widgets.given import ID, NASTY, OTHER_URL, TOKEN, URL
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square

THEMES = ["light", "dark", "retro", "kawaii", "mom", "final", "github", "unknown", ""]
PATHS = ["/widgets/{}", "/api/{}", "/{}"]


class Client:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def ask(
        self, name: str, action: str, /, path: str = "/widgets/{}", **params: Any
    ) -> httpx.Response:
        return await self.http.get(path.format(name), params={"action": action, **params})

    async def data(self, name: str, action: str, /, **params: Any) -> Any:
        answer = await self.ask(name, action, **params)
        assert answer.status_code == 200, answer.text
        assert answer.json()["success"] is True
        return answer.json()["data"]

    async def create_all(self, **params: Any) -> None:
        for name in ("visit", "like", "ranking", "bbs"):
            await self.data(name, "create", url=URL, token=TOKEN, **params)

    def as_somebody(self, number: int) -> None:
        self.http.headers["User-Agent"] = f"browser {number}"


@pytest.fixture
def client(http: httpx.AsyncClient) -> Client:
    return Client(http)


@pytest.fixture
async def plain(plain_place: Place, clock: PinnedClock) -> AsyncIterator[Client]:
    """For what does not depend on the kind of store."""
    async with open_square(plain_place, clock) as square, browse(square) as http:
        yield Client(http)


@pytest.mark.parametrize("path", PATHS)
async def test_each_widget_answers_under_every_path(client: Client, path: str) -> None:
    await client.create_all()
    for name, action in (("visit", "increment"), ("like", "toggle"), ("ranking", "display"), ("bbs", "get")):
        answer = await client.ask(name, action, path, id=ID)
        assert answer.json()["data"]["id"] == ID
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        posted = await client.http.post(path.format(name), json={"action": action, "id": ID})
        assert posted.json()["data"]["url"] == URL


async def test_a_like_in_the_old_shape(client: Client) -> None:
    await client.create_all()
    liked = await client.data("like", "toggle", id=ID)
    assert liked == {
        "id": ID,
        "url": URL,
        "total": 1,
        "liked": True,
        "userLiked": True,
        "icon": "heart",
        "lastLike": "2026-03-14T15:09:26.535Z",
    }
    assert (await client.data("like", "get", id=ID))["userLiked"] is True
    client.as_somebody(2)
    assert (await client.data("like", "get", url=URL))["userLiked"] is False
    assert (await client.data("like", "set", id=ID, token=TOKEN, total=9))["total"] == 9
    assert (await client.data("like", "update", id=ID, token=TOKEN, icon="star"))["icon"] == "star"


async def test_a_ranking_in_the_old_shape(client: Client) -> None:
    await client.data("ranking", "create", url=URL, token=TOKEN, title="Heroes", maxEntries=5)
    submitted = await client.data("ranking", "submit", id=ID, name="ann", score="12.5", displayScore="12.5 s")
    assert (submitted["accepted"], submitted["rank"]) == (True, 1)
    assert await client.data("ranking", "display", id=ID, limit=3) == {
        "id": ID,
        "url": URL,
        "title": "Heroes",
        "description": "",
        "sortOrder": "desc",
        "maxEntries": 5,
        "totalEntries": 1,
        "entries": [
            {
                "rank": 1,
                "name": "ann",
                "score": 12.5,
                "displayScore": "12.5 s",
                "createdAt": "2026-03-14T15:09:26.535Z",
            }
        ],
        "settings": {"title": "Heroes", "maxEntries": 5, "sortOrder": "desc"},
        "lastSubmit": "2026-03-14T15:09:26.535Z",
    }
    updated = await client.data("ranking", "update", id=ID, token=TOKEN, name="ann", score=3, title="New")
    assert (updated["entries"][0]["score"], updated["title"]) == (3, "New")
    assert (await client.data("ranking", "remove", id=ID, token=TOKEN, name="ann"))["entries"] == []
    assert (await client.data("ranking", "clear", id=ID, token=TOKEN))["totalEntries"] == 0
    nameless = await client.ask("ranking", "update", id=ID, token=TOKEN, name="ann")
    assert nameless.status_code == 422


async def test_a_board_in_the_old_shape(client: Client, clock: PinnedClock) -> None:
    await client.data(
        "bbs",
        "create",
        url=URL,
        token=TOKEN,
        title="Guests",
        icons="😀,😎",
        selects='[{"label":"Mood","options":["good","bad"]}]',
        messagesPerPage=2,
    )
    posted = await client.data(
        "bbs", "post", id=ID, author="ann", message="hi", icon="😎", selects='{"Mood":"bad"}'
    )
    assert len(posted["editToken"]) >= 20
    shown = await client.data("bbs", "display", id=ID, page=1)
    assert shown == {
        "id": ID,
        "url": URL,
        "title": "Guests",
        "maxMessages": 100,
        "messagesPerPage": 2,
        "messages": [
            {
                "id": posted["messageId"],
                "author": "ann",
                "message": "hi",
                "timestamp": "2026-03-14T15:09:26.535Z",
                "icon": "😎",
                "selects": {"Mood": "bad"},
                "userHash": shown["currentUserHash"],
            }
        ],
        "totalMessages": 1,
        "currentPage": 1,
        "totalPages": 1,
        "pagination": {"page": 1, "totalPages": 1, "hasPrev": False, "hasNext": False},
        "settings": {
            "title": "Guests",
            "maxMessages": 100,
            "messagesPerPage": 2,
            "icons": ["😀", "😎"],
            "selects": [{"label": "Mood", "options": ["good", "bad"]}],
            "editByUserHash": True,
        },
        "currentUserHash": shown["currentUserHash"],
        "lastMessage": "2026-03-14T15:09:26.535Z",
    }
    known = {"id": ID, "messageId": posted["messageId"], "editToken": posted["editToken"]}
    edited = await client.data("bbs", "editMessageById", **known, message="hello")
    assert (edited["message"], edited["author"], edited["icon"]) == ("hello", "ann", "😎")
    too_soon = await client.ask("bbs", "post", id=ID, message="again")
    assert (too_soon.status_code, too_soon.json()["code"]) == (429, "cooldown")
    assert too_soon.headers["retry-after"] == "10"
    clock.move(seconds=10)
    japanese = await client.http.get(
        "/api/bbs",
        params={"action": "post", "id": ID, "message": "やあ"},
        headers={"Accept-Language": "ja,en;q=0.5"},
    )
    assert japanese.json()["data"]["messages"][0]["author"] == "名無しさん"
    assert (await client.data("bbs", "deleteMessageById", **known))["deleted"] is True
    assert (await client.ask("bbs", "editMessage", **known, message="x")).status_code == 404
    assert (await client.data("bbs", "update", id=ID, token=TOKEN, title="New", icons=""))["settings"][
        "icons"
    ] == []
    assert (await client.data("bbs", "clear", id=ID, token=TOKEN))["totalMessages"] == 0


async def test_a_board_with_structures_as_json(client: Client) -> None:
    body = {
        "action": "create",
        "url": URL,
        "token": TOKEN,
        "icons": ["😀"],
        "selects": [{"label": "Mood", "options": ["good"]}],
    }
    assert (await client.http.post("/bbs", json=body)).json()["success"] is True
    posted = await client.http.post(
        "/bbs", json={"action": "post", "id": ID, "message": "hi", "selects": {"Mood": "good"}, "icon": "😀"}
    )
    assert posted.json()["data"]["messages"][0]["selects"] == {"Mood": "good"}
    wrong = await client.http.post(
        "/bbs", json={"action": "post", "id": ID, "message": "hi", "selects": ["no"]}
    )
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["field"] == "selects"


@pytest.mark.parametrize("type", ["null", "", "no such", "total"])
async def test_an_unknown_type_shows_the_total(plain: Client, type: str) -> None:
    await plain.create_all()
    await plain.data("visit", "set", id=ID, token=TOKEN, total=77)
    shown = await plain.ask("visit", "get", id=ID, type=type, format="text")
    assert shown.text == "77"
    nothing = await plain.http.post("/visit", json={"action": "get", "id": ID, "type": None})
    assert nothing.json()["data"]["total"] == 77


@pytest.mark.parametrize("theme", THEMES)
async def test_each_theme_draws_each_widget(plain: Client, theme: str) -> None:
    await plain.create_all(title="All <of> them")
    await plain.data("ranking", "submit", id=ID, name="ann", score=1)
    await plain.data("bbs", "post", id=ID, message="hi")
    for name in ("visit", "like", "ranking", "bbs"):
        drawn = await plain.ask(name, "get", id=ID, format="image", theme=theme)
        assert drawn.headers["content-type"].startswith("image/svg+xml")
        assert drawn.headers["cache-control"] == "no-store"
        assert drawn.headers["cross-origin-resource-policy"] == "cross-origin"
        assert ElementTree.fromstring(drawn.text).tag == "{http://www.w3.org/2000/svg}svg"


async def test_text_for_those_who_want_only_that(client: Client) -> None:
    await client.create_all()
    await client.data("ranking", "submit", id=ID, name="ann", score=7, displayScore="seven")
    await client.data("bbs", "post", id=ID, message="hi", author="bob")
    assert (await client.ask("visit", "increment", id=ID, format="text", digits=5)).text == "00001"
    assert (await client.ask("like", "toggle", id=ID, format="text")).text == "1"
    assert (await client.ask("ranking", "get", id=ID, format="text")).text == "1. ann seven\n"
    assert "bob (2026-03-14T15:09:26.535Z)\nhi" in (await client.ask("bbs", "get", id=ID, format="text")).text


@pytest.mark.parametrize("text", NASTY)
async def test_text_stays_text_in_pictures(plain: Client, text: str) -> None:
    await plain.data("like", "create", url=URL, token=TOKEN, icon=text[:16].strip())
    await plain.data("ranking", "create", url=URL, token=TOKEN, title=text)
    await plain.data("bbs", "create", url=URL, token=TOKEN, title=text)
    await plain.data("ranking", "submit", id=ID, name=text, score=1, displayScore=text)
    await plain.data("bbs", "post", id=ID, message=text, author=text[:20].strip())
    for name in ("like", "ranking", "bbs"):
        for theme in ("light", "github"):
            drawn = await plain.ask(name, "get", id=ID, format="image", theme=theme)
            tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(drawn.text).iter()}
            assert tags <= {"svg", "title", "g", "rect", "text", "clipPath", "path"}
            names = {name for element in ElementTree.fromstring(drawn.text).iter() for name in element.attrib}
            assert not {name for name in names if name.startswith("on") or "href" in name}


@pytest.mark.parametrize("name", ["visit", "like", "ranking", "bbs"])
async def test_the_owners_actions(client: Client, name: str) -> None:
    await client.data(name, "create", url=URL, token=TOKEN)
    assert await client.data(name, "lookup", url=URL, token=TOKEN) == {"id": ID}
    await client.data(name, "rotateToken", id=ID, token=TOKEN, newToken="another horse")
    refused = await client.ask(name, "export", id=ID, token=TOKEN)
    assert (refused.status_code, refused.json()["code"]) == (403, "wrong_token")
    exported = await client.data(name, "export", id=ID, token="another horse")
    posted = await client.http.post(
        f"/widgets/{name}",
        json={"action": "import", "id": ID, "token": "another horse", "data": exported},
    )
    assert posted.json()["success"] is True, posted.text
    by_url = await client.ask(name, "import", id=ID, token="another horse", data=json.dumps(exported))
    assert by_url.json()["success"] is True, by_url.text
    unknown = json.dumps({**exported, "totel": 1})
    assert (await client.ask(name, "import", id=ID, token="another horse", data=unknown)).status_code == 422
    assert (await client.data(name, "delete", url=URL, token="another horse"))["deleted"] is True
    assert (await client.ask(name, "get", id=ID)).status_code == 404


@pytest.mark.parametrize("name", ["visit", "like", "ranking", "bbs"])
async def test_many_widgets_in_one_request(client: Client, name: str) -> None:
    await client.data(name, "create", url=URL, token=TOKEN)
    await client.data(name, "create", url=OTHER_URL, token=TOKEN)
    found = await client.data(name, "batchGet", ids=f"{ID},nobody-00000000,%%%", urls=OTHER_URL)
    zeros = {"nobody-00000000", "%%%"} if name in ("visit", "like") else set()
    assert set(found) == {ID, OTHER_URL} | zeros
    posted = await client.http.post(f"/{name}", data={"action": "batchGet", "ids": ID})
    assert set(posted.json()["data"]) == {ID}
    too_many = await client.http.post(f"/{name}", json={"action": "batchGet", "ids": [ID] * 1001})
    assert too_many.status_code == 422
    none = await client.data(name, "batchGet")
    assert none == {}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("visit", 1_000), ("like", 1_000), ("ranking", 100), ("bbs", 10)])
async def test_a_batch_is_bounded_by_what_it_answers(client: Client, name: str, most: int) -> None:
    ids = [f"nobody-{number:08x}" for number in range(most + 1)]
    refused = await client.http.post(f"/{name}", json={"action": "batchGet", "ids": ids})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    answered = await client.http.post(f"/{name}", json={"action": "batchGet", "ids": ids[1:]})
    assert answered.status_code == 200


@pytest.mark.parametrize("name", ["visit", "like", "ranking", "bbs"])
async def test_a_webhook_is_set_with_a_key_that_is_told_once(client: Client, name: str) -> None:
    await client.data(name, "create", url=URL, token=TOKEN)
    told = await client.data(name, "update", id=ID, token=TOKEN, webhook="https://hooks.example/x")
    assert len(told["webhookSecret"]) == 64
    assert "webhookSecret" not in await client.data(name, "get", id=ID)
    assert "hooks.example" not in str(await client.data(name, "get", id=ID))
    inside = await client.ask(name, "update", id=ID, token=TOKEN, webhook="http://10.0.0.1/")
    assert (inside.status_code, inside.json()["code"]) == (422, "bad_webhook")
    assert "webhookSecret" not in await client.data(name, "update", id=ID, token=TOKEN, webhook="")


async def test_history_by_url(client: Client) -> None:
    await client.create_all()
    await client.data("visit", "increment", id=ID)
    history = await client.data("visit", "history", id=ID, days=2)
    assert history["days"] == [{"date": "2026-03-14", "count": 1}, {"date": "2026-03-13", "count": 0}]


async def test_errors_have_the_old_shape_and_pictures_do_not_break(client: Client) -> None:
    for name in ("visit", "like", "ranking", "bbs"):
        missing = await client.ask(name, "get", id="nobody-00000000")
        assert (missing.status_code, missing.json()) == (
            404,
            {"success": False, "error": "There is no such widget", "code": "widget_not_found"},
        )
        for params in ({"id": "nobody-00000000"}, {}, {"id": ID, "digits": "x"}, {"url": "nonsense"}):
            image = await client.ask(name, "get", format="image", **params)
            assert (image.status_code, ">-<" in image.text) == (200, True)
        unknown = await client.ask(name, "explode")
        assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_action")
        assert "get" in unknown.json()["actions"]
        nothing = await client.ask(name, "get")
        assert (nothing.status_code, nothing.json()["success"]) == (422, False)


async def test_a_plain_form_can_post(client: Client) -> None:
    await client.create_all()
    posted = await client.http.post("/bbs", data={"action": "post", "id": ID, "message": "by form"})
    assert posted.json()["data"]["messages"][0]["message"] == "by form"


async def test_a_retry_with_the_same_key_posts_once(client: Client) -> None:
    await client.create_all()
    for _ in range(2):
        posted = await client.http.post(
            "/bbs",
            json={"action": "post", "id": ID, "message": "once"},
            headers={"Idempotency-Key": "abc"},
        )
        assert posted.status_code == 200
    assert (await client.data("bbs", "get", id=ID))["totalMessages"] == 1

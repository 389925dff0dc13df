"""Requests as both generations of earlier clients send them, and the fields that they read."""

import math
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.services.widgets.given import ID, OTHER_ID, OTHER_URL, URL
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, browse, open_square
from townsquare.api import OWNER as OWNERS_LIMIT
from townsquare.api import READ
from townsquare.services.widgets.routes import endpoints
from townsquare.square import Square

TOKEN = "horse-1234"
OWNER = f"url={quote(URL, safe='')}&token={TOKEN}"
HOOK = "https://hooks.example/x"
GENERATIONS = ["/api", ""]
IMAGE = {"Accept": "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"}
PAGE = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


class EarlierClient:
    """Below `/api` for the older generation, below the root for the newer."""

    def __init__(self, http: httpx.AsyncClient, base: str) -> None:
        self.http = http
        self.base = base

    async def get(self, asked: str, **headers: str) -> httpx.Response:
        return await self.http.get(f"{self.base}/{asked}", headers=headers)

    async def whole(self, asked: str) -> Any:
        """The whole answer, which has nothing to complain about."""
        answer = await self.get(asked)
        assert answer.status_code == 200, answer.text
        assert answer.json()["success"] is True
        assert "warnings" not in answer.json(), answer.text
        return answer.json()

    async def data(self, asked: str) -> Any:
        return (await self.whole(asked))["data"]

    async def post(self, asked: str, body: dict[str, Any]) -> Any:
        answer = await self.http.post(f"{self.base}/{asked}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def as_somebody(self, name: str) -> None:
        self.http.headers["User-Agent"] = name


@pytest.fixture(params=GENERATIONS, ids=["older", "newer"])
async def client(
    request: pytest.FixtureRequest, plain_place: Place, clock: PinnedClock
) -> AsyncIterator[EarlierClient]:
    async with open_square(plain_place, clock) as square, browse(square) as http:
        yield EarlierClient(http, request.param)


@pytest.fixture
def everywhere(http: httpx.AsyncClient) -> EarlierClient:
    """On both layouts."""
    return EarlierClient(http, "")


async def test_a_counter_is_made_nested_and_flat(client: EarlierClient) -> None:
    made = await client.whole(f"visit?action=create&{OWNER}&webhookUrl={HOOK}")
    assert (made["id"], made["url"], made["data"]["id"], made["data"]["total"]) == (ID, URL, ID, 0)


async def test_a_counter_counts_and_shows(client: EarlierClient) -> None:
    await client.whole(f"visit?action=create&{OWNER}")
    counted = await client.data(f"visit?action=increment&id={ID}")
    assert [counted[name] for name in ("total", "today", "yesterday", "week", "month")] == [1, 1, 0, 1, 1]
    assert (await client.data(f"visit?action=increment&id={ID}"))["duplicate"] is True
    shown = await client.get(f"visit?action=display&id={ID}&type=total&theme=kawaii&digits=5")
    assert shown.headers["content-type"].startswith("image/svg+xml")
    assert "visits: 00001" in shown.text
    assert (await client.get(f"visit?action=display&id={ID}&type=today&format=text")).text == "1"
    assert (await client.data(f"visit?action=display&id={ID}&format=json"))["total"] == 1
    newer = await client.get(f"visit?action=get&id={ID}&type=null&format=text&digits=3")
    assert (newer.text, "x-warnings" in newer.headers) == ("001", False)
    in_a_page = await client.get(f"visit?action=get&id={ID}&theme=dark", **IMAGE)
    assert in_a_page.headers["content-type"].startswith("image/svg+xml")
    for broken in (f"display&id={OTHER_ID}", "display", f"display&id={ID}&digits=x"):
        dash = await client.get(f"visit?action={broken}")
        assert (dash.status_code, ">-<" in dash.text) == (200, True)


@pytest.mark.parametrize("theme", ["segment", "nixie", "dots_f", "mahjong"])
async def test_a_counter_has_drawn_digits(client: EarlierClient, theme: str) -> None:
    await client.whole(f"visit?action=create&{OWNER}")
    await client.data(f"visit?action=set&{OWNER}&total=1234567890")
    drawn = await client.get(f"visit?action=display&id={ID}&theme={theme}")
    assert "visits: 1234567890" in drawn.text
    assert drawn.text.count("<g ") == 10
    assert "x-warnings" not in drawn.headers


@pytest.mark.parametrize("service", ["visit", "like"])
async def test_the_owner_sets_a_total_and_a_webhook(client: EarlierClient, service: str) -> None:
    await client.whole(f"{service}?action=create&{OWNER}&webhookUrl={HOOK}")
    assert (await client.data(f"{service}?action=set&{OWNER}&total=5"))["total"] == 5
    owners = await client.data(f"{service}?action=get&{OWNER}")
    assert (owners["id"], owners["url"], owners["settings"]["webhookUrl"]) == (ID, URL, HOOK)
    updated = await client.data(f"{service}?action=update&{OWNER}&value=12345&webhookUrl={HOOK}/2")
    assert updated["total"] == 12345
    assert (await client.data(f"{service}?action=get&{OWNER}"))["settings"]["webhookUrl"] == f"{HOOK}/2"
    await client.data(f"{service}?action=updateSettings&{OWNER}&webhookUrl=")
    assert (await client.data(f"{service}?action=get&{OWNER}"))["settings"]["webhookUrl"] is None
    assert "settings" not in await client.data(f"{service}?action=get&id={ID}")
    stranger = await client.get(f"{service}?action=get&url={URL}&token=wrong-horse")
    assert (stranger.status_code, stranger.json()["success"]) == (403, False)
    idle = await client.get(f"{service}?action=update&url={URL}&token=wrong-horse")
    assert idle.status_code == 403
    assert (await client.whole(f"{service}?action=delete&{OWNER}"))["success"] is True


@pytest.mark.parametrize("service", ["visit", "like"])
async def test_many_are_made_read_and_added_up(
    everywhere: EarlierClient, square: Square, service: str
) -> None:
    items = [{"id": ID, "url": URL}, {"id": OTHER_ID, "url": OTHER_URL}]
    made = await everywhere.post(f"{service}?action=batchCreate", {"token": TOKEN, "items": items})
    assert (made["success"], made["created"], made["skipped"], "warnings" in made) == (True, 2, 0, False)
    again = await everywhere.post(f"{service}?action=batchCreate", {"token": "another-horse", "items": items})
    assert (again["created"], again["skipped"]) == (0, 2)
    await everywhere.data(f"{service}?action=set&{OWNER}&total=7")
    found = await everywhere.post(f"{service}?action=batchGet", {"ids": [ID, OTHER_ID, "page-1"]})
    assert {id: one["total"] for id, one in found["data"].items()} == {ID: 7, OTHER_ID: 0, "page-1": 0}
    assert found["warnings"] == ["ids: there is no widget of page-1"]
    summed = await everywhere.whole(f"{service}?action=sumByPrefix&prefix=exam")
    assert (summed["success"], summed["total"]) == (True, 7)
    for prefix, total in ((ID, 7), ("user-", 0), ("nobody", 0), ("e", 7)):
        assert (await everywhere.whole(f"{service}?action=sumByPrefix&prefix={prefix}"))["total"] == total
    named = await everywhere.post(
        f"{service}?action=batchCreate", {"token": TOKEN, "items": [{"id": "page-1", "url": f"{URL}/1"}]}
    )
    assert named["data"][f"{URL}/1"] in named["warnings"][0]
    for refused in ({"items": [{"url": URL}] * 101}, {"items": [{"url": "nonsense"}]}, {"items": "x"}):
        answer = await everywhere.http.post(
            f"/{service}?action=batchCreate", json={"token": TOKEN, **refused}
        )
        assert (answer.status_code, answer.json()["success"]) == (422, False)
    assert (await everywhere.get(f"{service}?action=sumByPrefix&prefix=*")).status_code == 422
    await everywhere.data(f"{service}?action=delete&{OWNER}")
    assert (await everywhere.whole(f"{service}?action=sumByPrefix&prefix=exam"))["total"] == 0
    await assert_clean(square.store)


async def test_a_like_is_toggled_by_id_and_by_url_and_token(client: EarlierClient) -> None:
    await client.whole(f"like?action=create&{OWNER}&icon=star")
    assert (await client.data(f"like?action=get&id={ID}"))["userLiked"] is False
    liked = await client.data(f"like?action=toggle&id={ID}")
    assert (liked["total"], liked["liked"], liked["userLiked"], liked["icon"]) == (1, True, True, "star")
    answer = (await client.get(f"like?action=toggle&{OWNER}")).json()
    assert (answer["success"], answer["data"]["total"], answer["data"]["userLiked"]) == (True, 0, False)
    assert [one.partition(":")[0] for one in answer["warnings"]] == ["token"]
    assert (await client.data(f"like?action=display&id={ID}"))["liked"] is False
    assert (await client.data(f"like?action=update&{OWNER}&icon=thumb"))["icon"] == "thumb"


async def test_a_ranking_from_first_to_last(client: EarlierClient, clock: PinnedClock) -> None:
    made = await client.whole(
        f"ranking?action=create&{OWNER}&max=3&sortOrder=asc&title=Race&webhookUrl={HOOK}"
    )
    assert (made["maxEntries"], made["sortOrder"], made["title"]) == (3, "asc", "Race")
    await client.data(f"ranking?action=submit&id={ID}&name=ann&score=1750&displayScore=17.50s")
    clock.move(seconds=60)
    await client.data(f"ranking?action=submit&id={ID}&name=bob&score=1820&displayScore=%3Cimg%20src=x%3E")
    shown = await client.data(f"ranking?action=display&id={ID}&limit=10")
    assert [(one["rank"], one["name"], one["score"]) for one in shown["entries"]] == [
        (1, "ann", 1750),
        (2, "bob", 1820),
    ]
    assert shown["settings"] == {"title": "Race", "maxEntries": 3, "sortOrder": "asc"}
    changed = await client.data(f"ranking?action=update&{OWNER}&name=ann&score=1900")
    assert changed["entries"][1]["name"] == "ann"
    assert (await client.data(f"ranking?action=remove&{OWNER}&name=ann"))["totalEntries"] == 1
    absent = (await client.get(f"ranking?action=remove&{OWNER}&name=ann")).json()
    assert (absent["success"], absent["warnings"][0].partition(":")[0]) == (True, "name")
    older = await client.data(
        f"ranking?action=updateSettings&{OWNER}&title=New&max=2&sortOrder=desc&webhookUrl={HOOK}/2"
    )
    assert (older["title"], older["maxEntries"], older["sortOrder"]) == ("New", 2, "desc")
    newer = await client.data(f"ranking?action=update&{OWNER}&title=&maxEntries=5")
    assert (newer["title"], newer["maxEntries"]) == ("", 5)
    owners = await client.data(f"ranking?action=get&{OWNER}&limit=1")
    assert owners["settings"]["webhookUrl"] == f"{HOOK}/2"
    assert (await client.data(f"ranking?action=clear&{OWNER}"))["entries"] == []


async def test_a_display_score_is_escaped_for_earlier_clients_alone(client: EarlierClient) -> None:
    await client.whole(f"ranking?action=create&{OWNER}")
    asked = f"ranking?action=submit&id={ID}&name=ann&score=1&displayScore="
    submitted = await client.data(asked + quote("<b onclick='x'>1 & 2</b>"))
    harmless = "&lt;b onclick=&#x27;x&#x27;&gt;1 &amp; 2&lt;/b&gt;"
    answers = [
        submitted,
        await client.data(f"ranking?action=get&id={ID}"),
        await client.data(f"ranking?action=display&id={ID}"),
        (await client.data(f"ranking?action=batchGet&ids={ID}"))[ID],
        await client.data(f"ranking?action=update&{OWNER}&title=x"),
        await client.whole(f"ranking?action=create&{OWNER}"),
    ]
    assert [one["entries"][0]["displayScore"] for one in answers] == [harmless] * len(answers)
    ours = EarlierClient(client.http, "/widgets")
    raw = (await ours.data(f"ranking?action=get&id={ID}"))["entries"][0]["displayScore"]
    assert raw == "<b onclick='x'>1 & 2</b>"


async def test_a_name_and_its_score_are_given_together_and_all_is_checked_first(
    client: EarlierClient,
) -> None:
    await client.whole(f"ranking?action=create&{OWNER}&title=Old")
    for wrong in (
        "name=ann",
        "score=3",
        "displayScore=x",
        "name=nobody&score=3&title=New",
        "title=New&max=0",
    ):
        refused = await client.get(f"ranking?action=update&{OWNER}&{wrong}&webhookUrl={HOOK}")
        assert refused.status_code in (404, 422), refused.text
    shown = await client.data(f"ranking?action=get&{OWNER}")
    assert (shown["title"], shown["settings"]["webhookUrl"]) == ("Old", None)


async def post(client: EarlierClient, clock: PinnedClock, message: str, more: str = "") -> Any:
    clock.move(seconds=10)
    return await client.data(f"bbs?action=post&id={ID}&author=ann&message={message}{more}")


async def test_a_board_of_the_older_generation(client: EarlierClient, clock: PinnedClock) -> None:
    made = await client.whole(
        f"bbs?action=create&{OWNER}&max=50&perPage=10&icons=A,B&select1Label=Country&select1Values=Japan,USA"
        "&select1Required=true&select2Label=Topic&select2Values=General"
    )
    assert (made["maxMessages"], made["messagesPerPage"], made["settings"]["icons"]) == (50, 10, ["A", "B"])
    missing = await client.get(f"bbs?action=post&id={ID}&message=hi")
    assert (missing.status_code, missing.json()["error"]) == (422, "Choose one of Country")
    posted = await post(client, clock, "hi", "&icon=A&select1=Japan&select2=General")
    written = posted["messages"][0]
    assert (written["icon"], written["selects"]) == ("A", {"Country": "Japan", "Topic": "General"})
    assert (await client.get(f"bbs?action=post&id={ID}&message=hi&select1=France")).status_code == 422
    assert (await client.get(f"bbs?action=post&id={ID}&message=hi&select1=USA&select3=x")).status_code == 422
    mine = f"id={ID}&messageId={posted['messageId']}&editToken={posted['editToken']}"
    assert (await client.data(f"bbs?action=editMessageById&{mine}&message=hey"))["message"] == "hey"
    theirs = f"{OWNER}&messageId={posted['messageId']}"
    assert (await client.data(f"bbs?action=editMessage&{theirs}&message=ho"))["message"] == "ho"
    assert (await client.data(f"bbs?action=deleteMessageById&{mine}"))["deleted"] is True
    posted = await post(client, clock, "again", "&select1=USA")
    assert await client.data(f"bbs?action=deleteMessage&{OWNER}&messageId={posted['messageId']}")
    settings = (
        await client.data(
            f"bbs?action=updateSettings&{OWNER}&title=T&messagesPerPage=5&maxMessages=20&select1Required=false"
            f"&select2Label=&webhookUrl={HOOK}"
        )
    )["settings"]
    assert (settings["title"], settings["messagesPerPage"], settings["maxMessages"]) == ("T", 5, 20)
    assert settings["selects"] == [{"label": "Country", "options": ["Japan", "USA"]}]
    assert (await client.data(f"bbs?action=clear&{OWNER}"))["cleared"] is True


async def test_a_board_of_the_newer_generation(client: EarlierClient, clock: PinnedClock) -> None:
    emotes = "https://example.com/1.png,https://example.com/2.png"
    made = await client.post(
        "bbs?action=create",
        {
            "url": URL,
            "token": TOKEN,
            "title": "BBS",
            "maxMessages": 30,
            "messagesPerPage": 20,
            "webhookUrl": HOOK,
            "standardSelectLabel": "Kind",
            "standardSelectOptions": ["question", "report"],
        },
    )
    assert [made[name] for name in ("success", "id", "title", "maxMessages", "messagesPerPage")] == [
        True,
        ID,
        "BBS",
        30,
        20,
    ]
    updated = await client.data(
        f"bbs?action=update&{OWNER}&incrementalSelectLabel=Topic&incrementalSelectOptions=a,b"
        f"&emoteSelectLabel=Face&emoteSelectOptions={emotes}&standardSelectOptions=question,chat"
    )
    assert updated["settings"]["standardSelect"]["options"] == ["question", "chat"]
    posted = await post(
        client, clock, "hi", f"&standardValue=chat&incrementalValue=a&emoteValue={emotes.partition(',')[0]}"
    )
    assert [posted["messages"][0][name] for name in ("standardValue", "incrementalValue", "emoteValue")] == [
        "chat",
        "a",
        "https://example.com/1.png",
    ]
    shown = await client.data(f"bbs?action=get&id={ID}&page=1&limit=20")
    assert (shown["messagesPerPage"], shown["maxMessages"], shown["totalMessages"]) == (20, 30, 1)
    assert shown["messages"][0]["userHash"] == shown["currentUserHash"]
    assert shown["settings"]["emoteSelect"]["label"] == "Face"
    owners = await client.data(f"bbs?action=get&{OWNER}")
    assert owners["settings"]["webhookUrl"] == HOOK
    ten = ",".join(f"https://example.com/{n}.png" for n in range(10))
    for wrong in (ten, "https://example.com/%22onerror=x", "nonsense"):
        refused = await client.get(f"bbs?action=update&{OWNER}&emoteSelectOptions={wrong}")
        assert refused.status_code == 422
    gone = await client.data(f"bbs?action=update&{OWNER}&incrementalSelectOptions=&messagesPerPage=3")
    assert "incrementalSelect" not in gone["settings"]
    assert gone["messages"][0]["standardValue"] == "chat"


async def test_pages_of_25_messages_in_both_orders(everywhere: EarlierClient, clock: PinnedClock) -> None:
    await everywhere.whole(f"bbs?action=create&{OWNER}&perPage=10")
    for number in range(25):
        await post(everywhere, clock, f"m{number}")
    pages = {
        (action, page): [
            one["message"]
            for one in (await everywhere.data(f"bbs?action={action}&id={ID}&page={page}{limit}"))["messages"]
        ]
        for action, limit in (("display", ""), ("get", "&limit=10"))
        for page in (1, 2, 3, 4)
    }
    oldest = [f"m{number}" for number in range(25)]
    assert [pages["display", page] for page in (1, 2, 3)] == [oldest[:10], oldest[10:20], oldest[20:]]
    newest = oldest[::-1]
    assert [pages["get", page] for page in (1, 2, 3)] == [newest[:10], newest[10:20], newest[20:]]
    assert (pages["display", 4], pages["get", 4]) == (oldest[20:], newest[20:])
    few = await everywhere.data(f"bbs?action=get&id={ID}&page=7&limit=4")
    assert ([one["message"] for one in few["messages"]], few["totalPages"]) == (["m0"], 7)
    whole = await everywhere.data(f"bbs?action=display&id={ID}&limit=1000")
    assert ([one["message"] for one in whole["messages"]], whole["totalPages"]) == (oldest, 1)


async def test_a_client_that_opens_the_last_page_sees_the_newest_messages(
    http: httpx.AsyncClient, clock: PinnedClock
) -> None:
    newer, older = EarlierClient(http, ""), EarlierClient(http, "/api")
    await newer.whole(f"bbs?action=create&{OWNER}&messagesPerPage=10")
    for number in range(25):
        await post(newer, clock, f"m{number}")

    async def messages(client: EarlierClient, asked: str) -> list[str]:
        return [one["message"] for one in (await client.data(f"bbs?action=get&id={ID}{asked}"))["messages"]]

    newest = [f"m{number}" for number in range(24, -1, -1)]
    first = await newer.data(f"bbs?action=get&id={ID}&page=1")
    last = math.ceil(first["totalMessages"] / first["messagesPerPage"])
    assert await messages(newer, f"&page={last}") == newest[:5]
    assert await messages(newer, "&page=2") == newest[5:15]
    assert await messages(newer, "&page=1") == newest[15:]
    assert await messages(newer, "") == await messages(older, "&page=1") == newest[:10]


async def test_an_author_changes_a_message_of_today_without_a_token(
    everywhere: EarlierClient, clock: PinnedClock, square: Square
) -> None:
    await everywhere.whole(f"bbs?action=create&{OWNER}")
    id = (await post(everywhere, clock, "hi"))["messageId"]
    updated = await everywhere.data(f"bbs?action=update&id={ID}&messageId={id}&message=hello")
    assert (updated["updated"], updated["messages"][0]["message"]) == (id, "hello")
    everywhere.as_somebody("another browser")
    for deed in (f"update&id={ID}&messageId={id}&message=x", f"remove&id={ID}&messageId={id}"):
        refused = await everywhere.get(f"bbs?action={deed}")
        assert (refused.status_code, refused.json()["code"]) == (403, "wrong_edit_token")
    owners = await everywhere.data(f"bbs?action=update&{OWNER}&messageId={id}&message=owner")
    assert (owners["updated"], owners["messages"][0]["message"]) == (id, "owner")
    removed = await everywhere.data(f"bbs?action=remove&{OWNER}&messageId={id}")
    assert (removed["removed"], removed["messages"]) == (id, [])
    own = (await post(everywhere, clock, "mine"))["messageId"]
    clock.move(seconds=86_400)
    assert (await everywhere.get(f"bbs?action=remove&id={ID}&messageId={own}")).status_code == 403
    today = (await post(everywhere, clock, "today"))["messageId"]
    assert (await everywhere.data(f"bbs?action=remove&id={ID}&messageId={today}"))["removed"] == today
    await assert_clean(square.store)


async def test_a_board_may_ask_for_a_token_always(everywhere: EarlierClient, clock: PinnedClock) -> None:
    made = await everywhere.whole(f"bbs?action=create&{OWNER}&editByUserHash=false")
    assert made["settings"]["editByUserHash"] is False
    posted = await post(everywhere, clock, "hi")
    mine = f"id={ID}&messageId={posted['messageId']}"
    for deed in ("update&message=x", "remove"):
        assert (await everywhere.get(f"bbs?action={deed}&{mine}")).status_code == 403
    token = f"editToken={posted['editToken']}"
    assert await everywhere.data(f"bbs?action=update&{mine}&{token}&message=x")
    await everywhere.data(f"bbs?action=update&{OWNER}&editByUserHash=true")
    assert (await everywhere.data(f"bbs?action=remove&{mine}"))["removed"] == posted["messageId"]


@pytest.mark.parametrize("action", ["editMessage", "editMessageById", "deleteMessage", "deleteMessageById"])
async def test_the_other_actions_still_ask_for_a_token(
    client: EarlierClient, clock: PinnedClock, action: str
) -> None:
    await client.whole(f"bbs?action=create&{OWNER}")
    id = (await post(client, clock, "hi"))["messageId"]
    refused = await client.get(f"bbs?action={action}&id={ID}&messageId={id}&message=x")
    assert refused.status_code == 403


async def test_a_board_is_changed_as_a_whole_or_as_a_message(
    client: EarlierClient, clock: PinnedClock
) -> None:
    await client.whole(f"bbs?action=create&{OWNER}")
    id = (await post(client, clock, "hi"))["messageId"]
    for wrong in (f"id={ID}&messageId={id}", f"id={ID}&title=x"):
        assert (await client.get(f"bbs?action=update&{wrong}")).status_code == 422
    both = (await client.get(f"bbs?action=update&{OWNER}&messageId={id}&message=x&title=y&max=3")).json()
    assert [one.partition(":")[0] for one in both["warnings"]] == ["title", "maxMessages"]
    assert (both["data"]["messages"][0]["message"], both["data"]["title"]) == ("x", "")


@pytest.mark.parametrize("service", ["like", "ranking", "bbs"])
async def test_a_badge_leads_to_a_page(http: httpx.AsyncClient, service: str) -> None:
    client = EarlierClient(http, "")
    await client.whole(f"{service}?action=create&{OWNER}")
    page = await client.get(f"{service}?id={ID}", **PAGE)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert URL in page.text
    assert service == "ranking" or f'action="/widgets/{service}/{ID}"' in page.text
    assert (await client.get(f"{service}?id={OTHER_ID}", **PAGE)).status_code == 404
    of_none = await client.get(service, **PAGE)
    assert (of_none.status_code, of_none.headers["location"]) == (303, "/widgets")
    by_program = await client.get(f"{service}?id={ID}")
    assert (by_program.status_code, by_program.json()["code"]) == (400, "unknown_action")
    assert "" not in by_program.json()["actions"]


@pytest.mark.parametrize("service", ["visit", "like", "ranking", "bbs"])
def test_who_shows_a_token_to_get_is_counted_as_often_as_where_one_is_needed(service: str) -> None:
    widgets: Any = type("AnyWidgets", (), dict.fromkeys(("counter", "like", "ranking", "bbs")))
    (get, *_) = [
        one for one in endpoints(widgets) if (one.path, one.action) == (f"/widgets/{service}", "get")
    ]
    assert get.cost is not None
    costs = [get.cost(get.input(id=ID, token=token)) for token in ("", TOKEN)]
    assert costs == [1, READ.count // OWNERS_LIMIT.count]


async def test_what_is_said_twice_is_told(client: EarlierClient) -> None:
    asked = f"ranking?action=create&{OWNER}&max=3&maxEntries=4&title=a&title=b"
    made = (await client.get(asked)).json()
    assert (made["maxEntries"], made["title"]) == (4, "b")
    assert sorted(one.partition(":")[0] for one in made["warnings"]) == ["max", "title"]
    both = await client.http.post(
        f"{client.base}/ranking?action=update&title=query",
        json={"url": URL, "token": TOKEN, "max": 5, "maxEntries": 6, "title": "body"},
    )
    assert (both.json()["data"]["maxEntries"], both.json()["data"]["title"]) == (6, "body")
    assert sorted(one.partition(":")[0] for one in both.json()["warnings"]) == ["max", "title"]

from typing import Any

import httpx
import pytest

from tests.support.squares import bearer

ROOT = bearer("root")
USER = bearer("usr_1")
EVENTS: list[dict[str, Any]] = [
    {"kind": "view", "product": "Whey Gold", "id": "e1"},
    {"kind": "search", "term": "protein", "results": 3, "properties": {"page": 1}},
    {"kind": "rating", "product": "Whey Gold", "stars": 5},
    {"kind": "wishlist", "product": "Whey Gold"},
    {"kind": "interaction", "name": "banner"},
    {"kind": "session", "action": "start"},
]
REPORTS = [
    "/analytics/top/viewed",
    "/analytics/top/viewed?period=week&day=2026-03-14",
    "/analytics/top/rated",
    "/analytics/top/wishlisted",
    "/analytics/terms",
    "/analytics/activity",
    "/analytics/products/Whey%20Gold",
    "/analytics/users/usr_1/journey",
    "/analytics/users/usr_1/views?product=Whey%20Gold",
]


async def send(http: httpx.AsyncClient, *events: dict[str, Any], **rest: Any) -> httpx.Response:
    headers = rest.pop("headers", {})
    return await http.post("/analytics/events", json={"events": list(events), **rest}, headers=headers)


async def test_a_signed_in_user_sends_events(http: httpx.AsyncClient) -> None:
    answer = await send(http, *EVENTS, headers=USER, visitor="ignored-then")
    assert (answer.status_code, answer.json()) == (200, {"recorded": 6, "duplicates": 0})

    again = await send(http, EVENTS[0], headers=USER)
    assert again.json() == {"recorded": 0, "duplicates": 1}


async def test_a_visitor_sends_events(http: httpx.AsyncClient) -> None:
    assert (await send(http, *EVENTS, visitor="device-0001")).status_code == 200
    journey = await http.get("/analytics/users/visitor.device-0001/journey?limit=2", headers=ROOT)
    assert len(journey.json()["items"]) == 2
    assert journey.json()["next"]


@pytest.mark.parametrize("path", REPORTS)
async def test_reports_are_for_admins(http: httpx.AsyncClient, path: str) -> None:
    await send(http, *EVENTS, headers=USER)

    assert (await http.get(path)).status_code == 401
    assert (await http.get(path, headers=USER)).status_code == 403
    answer = await http.get(path, headers=ROOT)
    assert answer.status_code == 200, answer.text


async def test_reports_tell_what_was_sent(http: httpx.AsyncClient) -> None:
    await send(http, *EVENTS, headers=USER)

    async def get(path: str) -> Any:
        return (await http.get(path, headers=ROOT)).json()

    figures = {"product": "Whey Gold", "views": 1, "ratings": 1, "average": 5.0, "wishlists": 1}
    assert await get("/analytics/top/viewed") == {"items": [{"score": 1.0, "figures": figures}], "next": None}
    assert await get("/analytics/products/Whey%20Gold") == figures
    assert (await get("/analytics/terms"))["items"] == [{"term": "protein", "searches": 1}]
    activity = await get("/analytics/activity?since=2026-03-01&until=2026-03-14")
    assert (activity["activeUsers"], len(activity["days"])) == (1, 14)
    assert activity["events"] == dict.fromkeys(
        ("view", "search", "rating", "wishlist", "interaction", "session"), 1
    )
    assert len((await get("/analytics/activity"))["days"]) == 30


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"kind": "view"}, "product"),
        ({"kind": "look", "product": "P"}, "look"),
        ({"kind": "view", "product": ""}, "length"),
        ({"kind": "view", "product": "x" * 201}, "length"),
        ({"kind": "view", "product": "P", "id": "has space"}, "regex"),
        ({"kind": "view", "product": "P", "at": 1.5}, "int"),
        ({"kind": "view", "product": "P", "at": 0}, "24 hours"),
        ({"kind": "view", "product": "   "}, "empty"),
        ({"kind": "rating", "product": "P", "stars": 6}, "<= 5"),
        ({"kind": "rating", "product": "P", "stars": 0}, ">= 1"),
        ({"kind": "wishlist", "product": "P", "action": "keep"}, "keep"),
        ({"kind": "interaction", "name": "n", "properties": {"a": {"b": 1}}}, "object"),
        ({"kind": "interaction", "name": "n", "properties": dict.fromkeys("abcdefghijklmnopqrstu", 1)}, "20"),
    ],
)
async def test_bad_events_are_refused_with_their_place(
    http: httpx.AsyncClient, event: dict[str, Any], why: str
) -> None:
    answer = await send(http, EVENTS[0], event, headers=USER)
    assert answer.status_code == 422
    assert "events[1]" in answer.text
    assert why in answer.text
    assert (await http.get("/analytics/top/viewed", headers=ROOT)).json()["items"] == []


@pytest.mark.parametrize("count", [0, 101])
async def test_batches_are_bounded(http: httpx.AsyncClient, count: int) -> None:
    assert (await send(http, *[EVENTS[0]] * count, headers=USER)).status_code == 422


async def test_events_of_nobody_are_refused(http: httpx.AsyncClient) -> None:
    answer = await send(http, EVENTS[0])
    assert (answer.status_code, answer.json()["code"]) == (422, "who_is_missing")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/analytics/top/rated?period=week", "bad_period"),
        ("/analytics/top/hated", "invalid"),
        ("/analytics/top/viewed?cursor=nonsense", "bad_cursor"),
        ("/analytics/top/viewed?limit=101", "invalid"),
        ("/analytics/activity?since=2025-01-01&until=2026-01-01", "bad_range"),
        ("/analytics/activity?since=yesterday", "invalid"),
        ("/analytics/users/a%3Ab/journey", "who_is_missing"),
        ("/analytics/users/usr_1/views", "invalid"),
        ("/analytics/users/usr_1/views?product=", "invalid"),
        ("/analytics/products/%20", "invalid"),
    ],
)
async def test_bad_questions_are_refused(http: httpx.AsyncClient, path: str, code: str) -> None:
    answer = await http.get(path, headers=ROOT)
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text

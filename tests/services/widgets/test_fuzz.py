"""Whatever is asked, there is an answer: never a 500, never a hang."""

import asyncio
import json
import re
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.widgets.given import ID, TOKEN, URL
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square
from townsquare.api import AnyEndpoint
from townsquare.services.widgets import routes
from townsquare.square import Square

pytestmark = pytest.mark.slow

HOLE = re.compile(r"\{\w+\}")
EXPECTED = {200, 303, 400, 403, 404, 409, 413, 414, 415, 422, 429}
PATIENCE = 10.0

any_text = st.text(max_size=60)
known_text = st.sampled_from(
    [
        *(ID, URL, TOKEN, "nobody-00000000", "wrong token", "", "null", "true", "0", "-1", "1e400", "NaN"),
        *("inf", "99999999999999999999", "json", "text", "image", "total", "desc", "asc", "allow", "deny"),
        *("Asia/Tokyo", "UTC", "light", "github", "javascript:alert(1)", "http://127.0.0.1/", "[]", "{}"),
        *(
            '[{"label":"a","options":["b"]}]',
            '{"a":"b"}',
            '{"total":1}',
            '{"entries":[{"name":"a"}]}',
            "\x00",
        ),
        *("<script>", "\u202e", "x" * 5000, "http://[", "https://e.com/" + "é" * 50, "a" * 40 + "-00000000"),
    ]
)
text_values = st.one_of(known_text, any_text, st.integers().map(str), st.floats().map(repr))
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), known_text, any_text),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(any_text, inner, max_size=4)),
    max_leaves=8,
)


class Asked(NamedTuple):
    """One way to ask for an operation."""

    method: str
    path: str
    action: str | None
    names: list[str]


def ways(endpoints: list[AnyEndpoint]) -> list[Asked]:
    return [
        Asked(endpoint.method, path, endpoint.action, input_names(endpoint))
        for endpoint in endpoints
        for path in (endpoint.path, *endpoint.aliases)
    ]


def input_names(endpoint: AnyEndpoint) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(endpoint.input)]


@st.composite
def requests(draw: st.DrawFn, asked: list[Asked]) -> tuple[str, str, bytes, dict[str, str]]:
    method, path, action, all_names = draw(st.sampled_from(asked))
    for hole in HOLE.findall(path):
        path = path.replace(hole, quote(draw(text_values), safe="", errors="replace") or "x", 1)
    names = draw(st.lists(st.sampled_from(all_names), unique=True)) if all_names else []
    likely = {"id": ID, "token": TOKEN, "message": "hi", "name": "ann", "score": "1", "url": URL}
    plain = {name: value for name, value in likely.items() if name in all_names}
    query: dict[str, str] = {"action": action} if action else {}
    if draw(st.booleans()):
        query |= plain
    if method == "GET" or draw(st.booleans()):
        query |= {name: draw(text_values) for name in names}
        return method, f"{path}?{urlencode(query, errors='surrogatepass')}", b"", {}
    body: Any = {**plain, **{name: draw(json_values) for name in names}}
    raw = draw(st.binary(max_size=50)) if draw(st.integers(0, 9)) == 0 else json.dumps(body).encode()
    kind = draw(st.sampled_from(["application/json", "application/x-www-form-urlencoded", "text/plain", ""]))
    target = f"{path}?action={action}" if draw(st.booleans()) else path
    return method, target, raw, {"Content-Type": kind} if kind else {}


async def test_no_request_breaks_the_server(plain_place: Place) -> None:
    async with open_square(plain_place, PinnedClock()) as square, browse(square) as http:
        await create_all(square)
        asked = ways(routes.endpoints(square.widgets))
        loop = asyncio.get_running_loop()

        @settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(requests(asked))
        def send(request: tuple[str, str, bytes, dict[str, str]]) -> None:
            asyncio.run_coroutine_threadsafe(check(http, *request), loop).result(PATIENCE + 5)

        await asyncio.to_thread(send)
        assert (await http.get("/widgets/visit", params={"action": "lookup"})).status_code == 422


async def create_all(square: Square) -> None:
    for service in (square.widgets.counter, square.widgets.like, square.widgets.ranking, square.widgets.bbs):
        await service.create(URL, TOKEN)


async def check(
    http: httpx.AsyncClient, method: str, target: str, body: bytes, headers: dict[str, str]
) -> None:
    async with asyncio.timeout(PATIENCE):
        answer = await http.request(method, target, content=body, headers=headers)
    assert answer.status_code in EXPECTED, (answer.status_code, answer.text)
    if answer.headers["content-type"].startswith("application/json"):
        told = answer.json()
        assert told["success"] is (answer.status_code == 200)
        assert told["success"] or (told["error"] and told["code"])

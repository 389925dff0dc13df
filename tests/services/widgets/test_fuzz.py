"""Whatever is asked, there is an answer: never a 500, never a hang."""

import asyncio
import json
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.widgets.given import ID, TOKEN, URL
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square
from townsquare.api import AnyEndpoint
from townsquare.services.widgets import routes
from townsquare.square import Square

EXPECTED = {200, 400, 403, 404, 409, 413, 415, 422, 429}
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


def input_names(endpoint: AnyEndpoint) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(endpoint.input)]


@st.composite
def requests(draw: st.DrawFn, endpoints: list[AnyEndpoint]) -> tuple[str, str, bytes, dict[str, str]]:
    endpoint = draw(st.sampled_from(endpoints))
    path = draw(st.sampled_from([endpoint.path, *endpoint.aliases]))
    names = draw(st.lists(st.sampled_from(input_names(endpoint)), unique=True))
    likely = {"id": ID, "token": TOKEN, "message": "hi", "name": "ann", "score": "1", "url": URL}
    plain = {name: value for name, value in likely.items() if name in input_names(endpoint)}
    query: dict[str, str] = {"action": str(endpoint.action)}
    if draw(st.booleans()):
        query |= plain
    if endpoint.method == "GET" or draw(st.booleans()):
        query |= {name: draw(text_values) for name in names}
        return endpoint.method, f"{path}?{urlencode(query, errors='surrogatepass')}", b"", {}
    body: Any = {**plain, **{name: draw(json_values) for name in names}}
    raw = draw(st.binary(max_size=50)) if draw(st.integers(0, 9)) == 0 else json.dumps(body).encode()
    kind = draw(st.sampled_from(["application/json", "application/x-www-form-urlencoded", "text/plain", ""]))
    target = f"{path}?action={endpoint.action}" if draw(st.booleans()) else path
    return endpoint.method, target, raw, {"Content-Type": kind} if kind else {}


async def test_no_request_breaks_the_server(plain_place: Place) -> None:
    async with open_square(plain_place, PinnedClock()) as square, browse(square) as http:
        await create_all(square)
        endpoints = routes.endpoints(square.widgets)
        loop = asyncio.get_running_loop()

        @settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(requests(endpoints))
        def send(asked: tuple[str, str, bytes, dict[str, str]]) -> None:
            asyncio.run_coroutine_threadsafe(check(http, *asked), loop).result(PATIENCE + 5)

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

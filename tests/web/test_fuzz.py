"""Whatever arrives, the answer is not 500, is complete, and comes."""

import asyncio
import json
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.asking import Reply, app_with, ask, endpoint
from tests.web.test_idempotency import KeysInMemory
from tests.web.test_limits import FixedWindows
from townsquare.api import Auth, Call, Content
from townsquare.problems import Problem
from townsquare.settings import Settings

pytestmark = pytest.mark.slow


class Anything(msgspec.Struct):
    id: str = ""
    count: Annotated[int, msgspec.Meta(ge=0, le=10)] = 0
    ratio: float = 0.0
    on: bool | None = None
    tags: list[str] = []
    extra: dict[str, Any] = {}


async def repeat(call: Call, given: Anything) -> Anything:
    return given


async def repeat_again(call: Call, given: Anything, result: str) -> Anything:
    return await repeat(call, given)


def shaped(problem: Problem, call: Call) -> Content:
    return Content(call.query.get("format", problem.code).encode(), "text/plain", problem.status)


APP = app_with(
    endpoint("/things/{id}", repeat, Anything),
    endpoint("/things", repeat, Anything, method="POST", replay=repeat_again),
    endpoint("/things", repeat, Anything, method="DELETE", auth=Auth.ADMIN),
    endpoint("/act", repeat, Anything, action="one", open_to_any_origin=True, on_problem=shaped),
    endpoint("/act", repeat, Anything, method="POST", action="two", auth=Auth.OPTIONAL, on_problem=shaped),
    endpoint("/act", repeat, Anything, method="POST", action="three"),
    settings=Settings(
        body_limit=2_000,
        trusted_proxies=("10.0.0.0/8",),
        cors_origins=("https://a.example",),
        admin_token="a token of the operator",
    ),
    limiter=FixedWindows(),
    idempotency=KeysInMemory(),
)

METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
NAMES = st.sampled_from(["id", "count", "ratio", "on", "tags", "extra", "action", "format", "x", ""])
BYTES = st.binary(max_size=30).map(lambda raw: raw.replace(b"?", b"").replace(b"#", b""))
PIECES = st.one_of(
    BYTES, st.sampled_from([b"things", b"act", b"%2F", b"%ff", b"%00", b"..", b"docs", b"assets", b"", b"%"])
)
PATHS = st.lists(PIECES, max_size=4).map(lambda pieces: b"/" + b"/".join(pieces))
KNOWN_PATHS = st.sampled_from([b"/things", b"/things/7", b"/act", b"/docs", b"/openapi.json", b"/readyz"])
VALUES = st.one_of(
    BYTES, st.sampled_from([b"1", b"one", b"two", b"true", b"%ED%A0%80", b"a,b", b"1e400", b"%00"])
)
QUERIES = st.lists(st.tuples(NAMES, VALUES), max_size=5).map(
    lambda pairs: b"&".join(name.encode() + b"=" + value for name, value in pairs)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
BODIES = st.one_of(
    st.just(b""),
    st.binary(max_size=3_000),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.dictionaries(NAMES, JSON, max_size=6).map(lambda value: json.dumps(value).encode()),
    QUERIES,
)
HEADER_NAMES = st.sampled_from(
    [b"authorization", b"content-type", b"content-length", b"idempotency-key", b"origin", b"x-request-id",
     b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"forwarded", b"host", b"accept-language",
     b"if-none-match", b"access-control-request-method", b"transfer-encoding", b"user-agent", b"cookie"]
)  # fmt: skip
HEADER_VALUES = st.one_of(
    st.binary(max_size=40).map(lambda raw: bytes(byte for byte in raw if byte not in b"\r\n\0")),
    st.sampled_from(
        [b"application/json", b"application/x-www-form-urlencoded", b"Bearer x", b"https://a.example", b"12",
         b"10.0.0.1, 1.2.3.4", b"for=1.2.3.4", b"chunked", b"POST", b"*"]
    ),
)  # fmt: skip
HEADERS = st.lists(st.tuples(HEADER_NAMES, HEADER_VALUES), max_size=5)


async def reply_to(*request: Any, **rest: Any) -> Reply | None:
    async with asyncio.timeout(5):
        try:
            return await ask(APP, *request, **rest)
        except IndexError:
            return None  # the body ended too early, which counts as leaving


@settings(max_examples=300, deadline=None)
@given(METHODS, KNOWN_PATHS | PATHS, QUERIES, BODIES, HEADERS, st.booleans(), st.booleans())
def test_no_request_breaks_the_server(
    method: str,
    path: bytes,
    query: bytes,
    body: bytes,
    headers: list[tuple[bytes, bytes]],
    chunked: bool,
    behind_proxy: bool,
) -> None:
    sent = [body[:7], body[7:]] if chunked else body
    peer = ("10.0.0.1" if behind_proxy else "203.0.113.9", 1)
    reply = asyncio.run(reply_to(method, path + b"?" + query, sent, headers, client=peer))
    if reply is None:
        return
    assert reply.status < 500 or reply.json["code"] == "transfer_coding_not_implemented"
    assert b"x-request-id" in dict(reply.raw_headers)
    for name, value in reply.raw_headers:
        assert not {*b"\r\n\0"} & {*name, *value}
    if reply.headers.get("content-type") == "application/problem+json" and method != "HEAD":
        assert reply.json["status"] == reply.status


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_json_is_either_refused_or_understood(value: dict[str, Any]) -> None:
    reply = asyncio.run(
        reply_to("POST", b"/things", json.dumps(value).encode(), {"content-type": "application/json"})
    )
    assert reply is not None
    assert reply.status in (200, 400, 413, 422, 429)
    if reply.status == 200:
        assert reply.json["id"] == value.get("id", "")

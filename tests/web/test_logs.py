import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from tests.web.asking import app_with, ask, endpoint, raising
from townsquare.api import Auth, Call, Identity, Nothing
from townsquare.cache import CacheCounts
from townsquare.logger import get_logger
from townsquare.settings import Settings
from townsquare.web.client import Clients
from townsquare.web.logs import AccessLog, AnsweredRequest, Lines, Logs, configure_logs
from townsquare.web.metrics import Metrics
from townsquare.web.process.server import greet
from townsquare.web.requests import request_of


class Captured:
    def __init__(self, log_format: str = "json", log_level: str = "info") -> None:
        self.writes: list[bytes] = []
        self.logs: Logs = configure_logs(log_format, log_level, Lines(self.writes.append))

    @property
    def text(self) -> str:
        self.logs.lines.flush()
        return b"".join(self.writes).decode()

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture(autouse=True)
def _restored_logging() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("townsquare")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


async def test_a_line_tells_what_the_request_found_in_the_cache() -> None:
    counts = CacheCounts()

    async def search(call: Call, given: Nothing) -> Nothing:
        counts.add("search.understanding", "hit")
        await asyncio.gather(asyncio.create_task(embed()), embed())
        return given

    async def embed() -> None:
        counts.add("search.embedding", "miss", 2)

    captured = Captured()
    endpoints = endpoint("/search", search, Nothing), endpoint("/plain", plain, Nothing)
    app = app_with(*endpoints, logs=captured.logs)
    await ask(app, "GET", "/search")
    await ask(app, "GET", "/plain")
    searched, other = captured.events
    assert searched["cache"] == {"search.understanding": {"hit": 1}, "search.embedding": {"miss": 4}}
    assert "cache" not in other
    shown = Captured("console")
    await ask(app_with(endpoint("/search", search, Nothing), logs=shown.logs), "GET", "/search")
    assert "search.understanding hit=1 search.embedding miss=4" in shown.text


async def plain(call: Call, given: Nothing) -> Nothing:
    return given


class Login(msgspec.Struct):
    password: str
    token: str = ""


async def welcome(call: Call, given: Login) -> Login:
    return given


async def ann(token: str) -> Identity | None:
    return Identity("user-ann")


async def test_one_line_tells_of_a_request() -> None:
    captured = Captured()
    app = app_with(endpoint("/things/{password}", welcome, Login), logs=captured.logs)
    reply = await ask(app, "GET", "/things/hush", headers={"X-Request-Id": "trace"})
    (line,) = captured.events
    assert line["ms"] >= 0
    assert line["time"].endswith("Z")
    expected = {
        "event": "request",
        "level": "info",
        "method": "GET",
        "route": "/things/{password}",
        "status": 200,
        "ip": "203.0.113.9",
        "request_id": "trace",
        "user": "",
    }
    assert {name: line[name] for name in expected} == expected
    assert line["request_id"] == reply.headers["x-request-id"]


async def test_secrets_do_not_reach_the_log() -> None:
    captured = Captured()
    app = app_with(
        endpoint("/login", welcome, Login, method="POST", auth=Auth.USER),
        authenticate=ann,
        logs=captured.logs,
    )
    headers = {"Authorization": "Bearer hush-1", "Cookie": "session=hush-2", "User-Agent": "hush-3"}
    await ask(app, "POST", "/login?token=hush-4", {"password": "hush-5"}, headers)
    await ask(app, "POST", "/login?token=hush-6", {"password": 7, "hush-7": "hush-8"}, headers)
    await ask(app, "GET", "/nowhere/hush-9?hush-10=hush-11", headers=headers)
    assert [event["status"] for event in captured.events] == [200, 422, 404]
    assert "hush" not in captured.text
    assert captured.events[0]["user"] == "user-ann"


async def test_an_unforeseen_error_is_logged_with_its_traceback_and_request() -> None:
    captured = Captured()
    app = app_with(endpoint(run=raising(RuntimeError("boom")), unknown="ignore"), logs=captured.logs)
    reply = await ask(app, "GET", "/thing?token=hush")
    failed, request = captured.events
    assert "RuntimeError: boom" in failed["exception"]
    assert failed["request_id"] == request["request_id"] == reply.headers["x-request-id"]
    assert (request["level"], request["status"]) == ("error", 500)
    assert "hush" not in captured.text


async def test_what_looks_like_a_secret_is_redacted() -> None:
    captured = Captured()
    get_logger().info("hello", access_token="hush", Password="hush", user="ann")
    (line,) = captured.events
    assert (line["access_token"], line["Password"], line["user"]) == ("[redacted]", "[redacted]", "ann")


async def test_loggers_of_libraries_speak_through_ours() -> None:
    captured = Captured()
    logging.getLogger("some.library").warning("careful with %s", "that")
    (line,) = captured.events
    assert (line["event"], line["logger"], line["level"]) == ("careful with that", "some.library", "warning")


async def test_above_info_only_failures_are_told() -> None:
    captured = Captured(log_level="warning")
    app = app_with(endpoint(), endpoint("/broken", raising(RuntimeError())), logs=captured.logs)
    await ask(app, "GET", "/thing")
    await ask(app, "GET", "/broken")
    assert [event["level"] for event in captured.events] == ["error", "error"]


async def test_on_a_console_lines_are_for_people() -> None:
    captured = Captured("console")
    await ask(app_with(endpoint(), logs=captured.logs), "GET", "/thing")
    assert "GET    /thing" in captured.text
    assert "200" in captured.text


async def test_lines_of_one_turn_are_written_at_once() -> None:
    writes: list[bytes] = []
    lines = Lines(writes.append)
    lines.add(b"a")
    lines.add(b"b")
    assert writes == []
    await asyncio.sleep(0)
    assert writes == [b"a\nb\n"]


def test_without_an_event_loop_lines_are_written_at_once() -> None:
    writes: list[bytes] = []
    Lines(writes.append).add(b"a")
    assert writes == [b"a\n"]


def test_a_line_is_one_line_whatever_is_in_it() -> None:
    writes: list[bytes] = []
    log = AccessLog(Lines(writes.append), json=True)
    log.write(AnsweredRequest("", "GET", '/a"\n{x}', 200, 1.0, "::1", 'b"\n', "ann\n"))
    (write,) = writes
    assert write.count(b"\n") == 1
    assert json.loads(write)["user"] == "ann\n"


def test_how_a_socket_was_closed_is_an_error_only_if_it_failed() -> None:
    writes: list[bytes] = []
    log = AccessLog(Lines(writes.append), json=True)
    for status in (200, 404, 503, 1000, 1003, 1011, 4401, 4503):
        log.write(AnsweredRequest("", "SOCKET", "/live", status, 1000.0, "::1", "id", ""))
    told = [json.loads(line) for line in b"".join(writes).splitlines()]
    assert [one["status"] for one in told if one["level"] == "error"] == [503, 1011, 4503]


async def test_what_is_written_now_has_the_lines_of_all_requests_so_far() -> None:
    captured, metrics = Captured(), Metrics()
    apps = [app_with(endpoint(), logs=captured.logs, metrics=metrics) for _ in range(2)]
    for app in apps:
        await ask(app, "GET", "/thing")
    assert b'method="GET",route="/thing",status="200"} 2.0' in await metrics.text()
    assert [event["route"] for event in captured.events] == ["/thing", "/thing"]
    await asyncio.sleep(0)
    assert len(captured.events) == 2


async def test_a_line_that_cannot_be_made_takes_no_other_with_it() -> None:
    captured, metrics = Captured(), Metrics()
    app = app_with(endpoint(), logs=captured.logs, metrics=metrics)
    for client in ("192.0.2.1", "\udcff", "192.0.2.2"):
        await ask(app, "GET", "/thing", client=(client, 1))
    assert b'method="GET",route="/thing",status="200"} 3.0' in await metrics.text()
    told = [event.get("ip", event["event"]) for event in captured.events]
    assert sorted(told) == ["192.0.2.1", "192.0.2.2", "access line not made"]


async def test_a_request_shows_nothing_that_it_brings() -> None:
    request = request_of(
        {
            "headers": [(b"authorization", b"secret")],
            "path": "/secret",
            "query_string": b"token=secret",
            "scheme": "http",
        },
        asyncio.Queue[Any]().get,
        Clients(),
    )
    assert "secret" not in repr(request)


async def test_metrics_are_handed_over_once_a_second_however_often_they_are_asked_for() -> None:
    metrics, timers = Metrics(), []
    for _ in range(5):
        metrics.add_request("GET", "/thing", 200, 0.001)
        timers.append(metrics._timer)
        await metrics.text()
    assert [timer is not None and timer.cancelled() for timer in timers] == [True] * 5


@pytest.mark.parametrize(
    ("data_url", "named"), [("redis://db:6379", "the Redis of the settings"), ("", "/var/lib/ts")]
)
def test_the_start_line_names_the_data_folder_only_if_data_is_there(data_url: str, named: str) -> None:
    captured = Captured("console")
    greet(Settings(data_url=data_url, data_dir="/var/lib/ts"), 8000, captured.logs)
    assert f"  data     {named}\n" in captured.text


def test_the_greeting_has_five_lines_with_the_link_for_the_first_admin() -> None:
    captured = Captured("console")
    greet(
        Settings(delivery="smtp", smtp_url="smtp://mail"), 8000, captured.logs, "/console/first-admin#token"
    )
    lines = captured.text.splitlines()
    assert len(lines) == 5
    assert lines[2] == "  admin    http://127.0.0.1:8000/console/first-admin#token"


def test_the_greeting_with_an_admin_names_the_console() -> None:
    captured = Captured("console")
    greet(Settings(public_url="https://example.org/"), 8000, captured.logs)
    assert "  console  https://example.org/console\n" in captured.text
    assert "first" not in captured.text

"""Our protocol class overrides and calls methods of uvicorn that are no public API: they must exist."""

import inspect
import re

import pytest
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from townsquare.web.process.uvicorn_server import RequestCycle

OVERRIDDEN = (
    "connection_made",
    "connection_lost",
    "data_received",
    "handle_websocket_upgrade",
    "on_header",
    "on_headers_complete",
    "on_body",
    "on_message_complete",
    "on_response_complete",
    "pause_writing",
    "resume_writing",
    "send_400_response",
    "timeout_keep_alive_handler",
    "_start_asgi_task",
)
CYCLE = (
    "disconnected",
    "keep_alive",
    "message_event",
    "on_response",
    "response_complete",
    "response_started",
    "scope",
    "waiting_for_100_continue",
)


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_uvicorn_has_the_method(name: str) -> None:
    assert callable(getattr(HttpToolsProtocol, name, None))


def test_uvicorn_runs_a_socket_as_we_expect() -> None:
    source = inspect.getsource(WebSocketsSansIOProtocol)
    for part in ("async def run_asgi(self)", "await self.app(", "self.handshake_complete", "self.close_sent"):
        assert part in source


def test_a_cycle_has_the_attributes_that_we_set() -> None:
    source = inspect.getsource(RequestResponseCycle.__init__)
    assert [name for name in CYCLE if f"self.{name}" not in source] == []
    assert list(inspect.signature(HttpToolsProtocol._start_asgi_task).parameters) == ["self", "cycle", "app"]
    assert STATUS_LINE[200].startswith(b"HTTP/1.1 200")


def test_our_cycle_has_the_attributes_of_uvicorns() -> None:
    names = re.findall(r"self\.(\w+)(?:: [^=]+)? =", inspect.getsource(RequestResponseCycle.__init__))
    ours = {*vars(RequestCycle), *re.findall(r"self\.(\w+)", inspect.getsource(RequestCycle.__init__))}
    assert {*names} >= {*CYCLE}
    assert {*names} - ours == set()

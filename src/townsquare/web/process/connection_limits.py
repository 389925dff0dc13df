"""Limits on connections and on incomplete requests: number, bytes, headers, seconds.

uvicorn has none of these for httptools. The application limits complete requests.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from websockets.http11 import MAX_LINE_LENGTH, MAX_NUM_HEADERS

from townsquare import problems
from townsquare.kit.addresses import customer_of
from townsquare.settings import Settings
from townsquare.web.body import BODY_IS_HERE
from townsquare.web.client import Clients
from townsquare.web.requests import new_request_id
from townsquare.web.responses import from_content, header_lines, problem_content

AROUND = len(b"GET  HTTP/1.1\r\n")  # the rest of a request line; the rest of a header line is shorter
MOST_PIECES = 50_000  # of a body: each piece costs as much as many bytes
STALLED_SECONDS = 30.0  # after which a client that reads nothing of its response is disconnected


class ConnectionLimits:
    """The limits of the settings, and the open connections of this process."""

    def __init__(self, settings: Settings) -> None:
        self.head = settings.head_limit
        self.line = settings.line_limit
        self.headers = settings.header_count
        self.head_seconds = settings.head_seconds
        self._per_address = settings.connections_per_address
        self._trusts = Clients(settings.trusted_proxies).trusts
        self._open: Counter[str] = Counter()

    def name_of(self, client: tuple[str, int] | None) -> str:
        """The name that the connections of a peer are counted by; '' for a trusted proxy."""
        return "" if client is None or self._trusts(client[0]) else customer_of(client[0])

    def acquire(self, name: str) -> bool:
        if name and self._open[name] >= self._per_address:
            return False
        self._open[name] += 1
        return True

    def release(self, name: str) -> None:
        self._open[name] -= 1
        if not self._open[name]:
            del self._open[name]


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol for HTTP/1.1 with the limits of its config.

    A timer runs only while a head is incomplete: a request that arrives in one piece costs none.
    """

    _counted = False
    _in_body = False
    _refusal: problems.Problem | None = None
    _final_problem: problems.Problem | None = None  # sent after the responses to all earlier requests
    _asked: RequestResponseCycle | None = None  # whose response is due; `cycle` is the latest request
    _head_timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None
    _idle_timer: asyncio.TimerHandle | None = None
    _idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limits: ConnectionLimits = cast(Any, self.config).limits
        self._head_left = self._limits.head
        self._besides_body = 0
        self._name = self._limits.name_of(self.client)
        self._counted = self._limits.acquire(self._name)
        if self._counted:
            self._await_head()
        else:
            self._refuse(problems.TooManyConnections())

    def connection_lost(self, exc: Exception | None) -> None:
        self._release()
        asked = self._asked  # uvicorn informs only the latest request, which may still be queued
        if asked is not None and not asked.response_complete:
            asked.disconnected = True
            asked.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._asked = cycle
        super()._start_asgi_task(cycle, app)

    def handle_websocket_upgrade(self) -> None:
        problem = handshake_problem(self.url, self.headers)
        if problem is None and not self._answered():
            problem = problems.BadRequest("A handshake must follow the responses to all earlier requests")
        if problem is not None:
            self._refuse(problem)
            return
        self._release()  # sockets have limits of their own
        self._upgrade()

    def _upgrade(self) -> None:
        super().handle_websocket_upgrade()

    def _release(self) -> None:
        self._stop_awaiting_head()
        self._watch_writing(False)
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if self._counted:
            self._limits.release(self._name)
            self._counted = False

    def data_received(self, data: bytes) -> None:
        if self._final_problem is not None:
            return
        if self._in_body:
            self._besides_body += len(data)
            super().data_received(data)
            if self._besides_body > self._limits.head:  # trailers without end
                self._refuse(problems.HeadTooLarge())
        elif len(data) < self._head_left:
            self._head_left -= len(data)
            super().data_received(data)
        else:
            self._receive_head(data)
        if self._counted and self._answered():
            self._await_head()

    def _receive_head(self, data: bytes) -> None:
        head, rest = data[: self._head_left], data[self._head_left :]
        self._head_left -= len(head)
        super().data_received(head)
        if not self._head_left:
            self._refuse(problems.HeadTooLarge(f"A head has at most {self._limits.head:,} bytes"))
        elif rest and self._counted and not self.transport.is_closing():
            self.data_received(rest)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_body:  # trailers are ignored
            return
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._in_body = True
        self._besides_body = 0
        self._pieces = 0
        self._head_left = self._limits.head
        self._stop_awaiting_head()
        line, most = self._limits.line, self._limits.headers
        if len(self.url) > line:
            self._refusal = problems.UriTooLong(f"A URL has at most {line:,} bytes")
        elif len(self.headers) > most:
            self._refusal = problems.HeadTooLarge(f"A request has at most {most} headers")
        else:
            hosts = 0
            for name, value in self.headers:
                if name == b"host":
                    hosts += 1
                if len(name) + len(value) > line:
                    self._refusal = problems.HeadTooLarge(f"A header has at most {line:,} bytes")
            if hosts != 1 and (hosts or self.parser.get_http_version() != "1.0"):
                self._refusal = self._refusal or problems.BadRequest("A request has exactly one Host header")
        if self._refusal is not None:
            raise self._refusal  # the parser stops and calls `send_400_response`
        self._begin_request()

    def _begin_request(self) -> None:
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._besides_body = 0
        self._pieces += 1
        if self._pieces > MOST_PIECES:
            self._refusal = problems.PayloadTooLarge(f"A body comes in at most {MOST_PIECES:,} pieces")
            raise self._refusal
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        scope: Any = self.scope
        scope[BODY_IS_HERE] = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal or problems.BadRequest(msg))

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self._limits.head_seconds, self._head_is_late)

    def _stop_awaiting_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        if self._head_left < self._limits.head:
            self._refuse(
                problems.RequestTimeout(f"The head did not arrive within {self._limits.head_seconds:g} s")
            )
        else:
            self.transport.close()

    def _answered(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def _refuse(self, problem: problems.Problem) -> None:
        """Respond to an incomplete request, after the earlier requests, and close the connection."""
        if self.transport.is_closing() or self._final_problem is not None:
            return
        asked = self._asked
        if asked is None or asked.response_complete:
            self._close_with(problem)
        elif asked.scope is self.scope:  # the error is in the rest of its own body
            self._close_with(None if asked.response_started else problem)
        else:
            self._final_problem = problem
            if self.pipeline and self.pipeline[0][0].scope is self.scope:
                self.pipeline.popleft()  # its body will never arrive

    def _close_with(self, problem: problems.Problem | None) -> None:
        if problem is not None:
            answer = from_content(problem_content(problem, new_request_id()))
            own = header_lines([(b"content-length", b"%d" % len(answer.body)), (b"connection", b"close")])
            head = STATUS_LINE[problem.status] + answer.lines + own
            self.transport.write(head + b"\r\n" + answer.body)
        self.transport.close()
        self._watch_writing(True)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_writing(True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch_writing(False)

    def on_response_complete(self) -> None:
        """As uvicorn's, with one timer per connection instead of one per response."""
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
            return
        self.server_state.total_requests += 1
        if self._final_problem is not None:
            self._close_with(self._final_problem)
            return
        self.flow.resume_reading()
        self._idle_since = self.loop.time()
        if self._idle_timer is None:
            self._close_if_idle()

    def _close_if_idle(self) -> None:
        self._idle_timer = None
        if self._head_timer is not None or not self._answered():
            return  # a request has arrived: its response starts the timer again
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._idle_timer = self.loop.call_later(left, self._close_if_idle)
        else:
            self.timeout_keep_alive_handler()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_writing(True)

    def _watch_writing(self, begin: bool) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
        if begin:
            unsent = self.transport.get_write_buffer_size()
            self._stall_timer = self.loop.call_later(STALLED_SECONDS, self._abort_if_stalled, unsent)

    def _abort_if_stalled(self, unsent: int) -> None:
        if self.transport.get_write_buffer_size() < unsent:
            self._watch_writing(True)
        else:
            self.transport.abort()


def handshake_problem(url: bytes, headers: Sequence[tuple[bytes, bytes]]) -> problems.Problem | None:
    """Reject heads that the handshake parser, which reads the head again, would never respond to."""
    if len(url) + AROUND > MAX_LINE_LENGTH:
        return problems.UriTooLong(f"The URL of a WebSocket has at most {MAX_LINE_LENGTH - AROUND:,} bytes")
    if len(headers) > MAX_NUM_HEADERS:
        return problems.HeadTooLarge(f"A handshake has at most {MAX_NUM_HEADERS} headers")
    if any(len(name) + len(value) + AROUND > MAX_LINE_LENGTH for name, value in headers):
        return problems.HeadTooLarge(
            f"A header of a handshake has at most {MAX_LINE_LENGTH - AROUND:,} bytes"
        )
    return None

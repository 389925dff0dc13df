"""WebSockets: admission, JSON messages in both directions, and close codes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from townsquare.api import AnySocket, Call
from townsquare.kit.urls import origin_of
from townsquare.logger import get_logger
from townsquare.problems import Forbidden, Invalid, NotFound, Problem, Unauthorized
from townsquare.tasks import cancel_tasks
from townsquare.web.asgi_types import Scope, Send
from townsquare.web.auth import AuthGuard
from townsquare.web.body import Disconnected, Receive
from townsquare.web.bound_endpoint import path_parameters
from townsquare.web.client import Clients
from townsquare.web.connections import SLOW_SECONDS, OpenConnections, Reauthentication
from townsquare.web.cors import Cors
from townsquare.web.inputs import InputReader, require_strict
from townsquare.web.limits import counted_as
from townsquare.web.logs import CLIENT_LEFT, AccessLog, AnsweredRequest
from townsquare.web.mailbox import Mailbox
from townsquare.web.query import Query
from townsquare.web.requests import Request, request_of
from townsquare.web.responses import encode, from_content, pairs_of, problem_content, retry_header
from townsquare.web.router import Router

NORMAL, NOT_TEXT, TOO_LARGE, FAILED, TOO_SLOW = 1000, 1003, 1009, 1011, 1013
PROBLEM = 4000  # plus the HTTP status of the problem
IDLE, TOO_MANY = PROBLEM + 408, PROBLEM + 429
INBOX = 16  # messages read ahead of `run`; more wait in the socket buffer
WRITTEN_AT_ONCE = 50  # messages with one deadline
FAREWELL_SECONDS = 1.0  # for `run` to return after the client has left
BEARER = "bearer."
LONGEST_REASON = 123  # bytes, by the protocol

END = object()  # after the last message of the inbox

log = get_logger("townsquare.sockets")


class End(NamedTuple):
    code: int
    reason: str = ""
    by_client: bool = False


class ReadySocket:
    """A declared socket, prepared once at start."""

    def __init__(self, socket: AnySocket, auth_guard: AuthGuard) -> None:
        self.socket = socket
        self.auth_guard = auth_guard
        self.reader = InputReader(socket.input, path_parameters(socket.path))
        require_strict(inspect.type_info(socket.receives))
        self.decode = msgspec.json.Decoder(socket.receives).decode


class Sockets:
    def __init__(
        self,
        targets: Sequence[ReadySocket],
        clients: Clients,
        cors: Cors,
        connections: OpenConnections,
        access: AccessLog,
    ) -> None:
        self._router: Router[ReadySocket] = Router()
        for target in targets:
            self._router.add("GET", target.socket.path, target)
        self._clients = clients
        self._cors = cors
        self._connections = connections
        self._access = access

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        scheme = "https" if scope["scheme"] == "wss" else "http"
        request = request_of({**scope, "scheme": scheme}, receive, self._clients)
        code = CLIENT_LEFT
        with contextlib.suppress(Disconnected):
            try:
                code = await self._serve(request, send)
            except Problem as problem:
                await _deny(request, problem, send)
                code = problem.status
            except Disconnected:
                raise
            except Exception as error:
                log.error("socket failed", request_id=request.request_id, route=request.route, exc_info=error)
                await _deny(request, Problem(), send)
                code = Problem.status
        if self._access.enabled:
            ms = (perf_counter() - started) * 1000
            request_id, user = request.request_id, request.user_id
            self._access.write(
                AnsweredRequest("", "SOCKET", request.route, code, ms, request.ip, request_id, user)
            )

    async def _serve(self, request: Request, send: Send) -> int:
        """Serve until the connection closes; return the close code. It raises only before the handshake."""
        found = self._router.find("GET", request.raw_path)
        if found is None:
            raise NotFound
        target, path = found
        socket = target.socket
        request.route = socket.path
        subprotocol = _take_token(request)
        query = Query(request.scope["query_string"])
        request.path, request.query = path, query
        self._check_origin(socket, request)
        await target.auth_guard.admit(request)
        given = target.reader.read(path, None, query.pairs)
        with self._connections.one(socket.path, counted_as(socket.limit, request), socket.most_at_once):
            await request.receive()  # websocket.connect
            await _send_handshake(send, {"type": "websocket.accept", "subprotocol": subprotocol})
            return await OpenSocket(target, request, request.receive, send).run(given)

    def _check_origin(self, socket: AnySocket, call: Call) -> None:
        """Browsers let any page open a socket and send its origin; other clients send none."""
        if (
            call.origin in ("", origin_of(call.base_url))
            or socket.open_to_any_origin
            or self._cors.knows(call.origin)
        ):
            return
        raise Forbidden("This origin may not connect")


class OpenSocket:
    """One connection: the service's `run`, a task that reads, and while there is something to send one that
    writes. Most connections are idle: each object that waits with them counts."""

    def __init__(self, target: ReadySocket, call: Call, receive: Receive, send: Send) -> None:
        self._socket = target.socket
        self._auth_guard = target.auth_guard
        self._decode = target.decode
        self._call = call
        self._receive = receive
        self._send = send
        self._inbox: Mailbox[Any] = Mailbox(INBOX)
        self._outbox: list[str] = []
        self._writing: asyncio.Task[None] | None = None
        self._end: End | None = None
        self._deadline: asyncio.Timeout | None = None  # of `run`, which has none until the connection ends
        self._window_ends = 0.0
        self._taken = 0

    def send(self, message: Any) -> None:
        self._put(message if isinstance(message, str) else encode(message).decode())

    def refuse(self, problem: Problem) -> None:
        if self._socket.on_problem is not None:
            self.send(self._socket.on_problem(problem))
        else:
            self._put(problem_content(problem, self._call.request_id).body.decode())

    def _put(self, text: str) -> None:
        if len(self._outbox) >= self._socket.outbox:
            self._finish(End(TOO_SLOW, "too slow"))
            return
        self._outbox.append(text)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def __aiter__(self) -> AsyncIterator[Any]:
        while self._end is None or not self._inbox.empty():
            message = await self._inbox.get()
            if message is END:
                return
            yield message

    def _finish(self, end: End) -> None:
        """End the connection. The service has a moment to return."""
        if self._end is None:
            self._end = end
            if self._deadline is not None:
                self._deadline.reschedule(asyncio.get_running_loop().time() + FAREWELL_SECONDS)

    async def run(self, given: Any) -> int:
        """Run until the service, the client or a rule ends the connection; return the close code."""
        reading = asyncio.create_task(self._read())
        checks = Reauthentication(self._auth_guard, self._call, self._end_by)
        try:
            end = await self._run_service(given)
            if not end.by_client:
                await self._close(end)
            return end.code
        finally:
            checks.stop()
            await cancel_tasks((reading, self._writing))

    async def _run_service(self, given: Any) -> End:
        error: Exception | None = None
        try:
            async with asyncio.timeout(None) as deadline:
                self._deadline = deadline
                await self._socket.run(self._call, given, self)
        except Exception as raised:
            error = raised
        self._deadline = None
        if self._end is not None:
            if error is not None and not deadline.expired():
                log.info("socket left early", request_id=self._call.request_id, reason=repr(error))
            return self._end
        if error is None:
            return End(NORMAL)
        if isinstance(error, Problem):
            self.refuse(error)
            return End(PROBLEM + error.status, error.code)
        log.error("socket failed", request_id=self._call.request_id, exc_info=error)
        return End(FAILED)

    async def _close(self, end: End) -> None:
        """Send the rest of the outbox and the close frame, if the client still reads."""
        if self._writing is not None and end.code != TOO_SLOW:
            await asyncio.wait((self._writing,), timeout=SLOW_SECONDS)
        await cancel_tasks((self._writing,))
        try:
            async with asyncio.timeout(FAREWELL_SECONDS):
                reason = end.reason.encode()[:LONGEST_REASON].decode(errors="ignore")
                await self._send({"type": "websocket.close", "code": end.code, "reason": reason})
        except (TimeoutError, OSError):
            pass

    async def _read(self) -> None:
        while self._end is None:
            try:
                async with asyncio.timeout(self._socket.idle_seconds):
                    message = await self._receive()
            except TimeoutError:
                self._finish(End(IDLE, "idle"))
                break
            if message["type"] == "websocket.disconnect":
                self._finish(End(message.get("code") or NORMAL, by_client=True))
                break
            await self._take(message.get("text"))
        await self._inbox.put(END)

    async def _take(self, text: str | None) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._window_ends:
            self._window_ends, self._taken = now + self._socket.message_seconds, 0
        self._taken += 1
        if self._taken > self._socket.messages:
            self._finish(End(TOO_MANY, "rate_limited"))
        elif text is None:
            self._finish(End(NOT_TEXT, "send JSON as text"))
        elif len(text) > self._socket.longest_message or len(text.encode()) > self._socket.longest_message:
            self._finish(End(TOO_LARGE, f"at most {self._socket.longest_message} bytes"))
        else:
            try:
                message = self._decode(text)
            except (msgspec.MsgspecError, RecursionError) as wrong:
                self.refuse(Invalid(str(wrong)))
            else:
                await self._hand_over_if_admitted(message)

    async def _hand_over_if_admitted(self, message: Any) -> None:
        """Authenticate the sender again before each message."""
        try:
            await self._auth_guard.recheck(self._call)
        except (Unauthorized, Forbidden) as refusal:
            self._end_by(refusal)
        except Problem as trouble:
            self.refuse(trouble)
        else:
            await self._hand_over(message)

    def _end_by(self, problem: Problem) -> None:
        self.refuse(problem)
        self._finish(End(PROBLEM + problem.status, problem.code))

    async def _hand_over(self, message: Any) -> None:
        """Wait for space in the inbox with a timeout: otherwise a busy service would hide a disconnect."""
        try:
            async with asyncio.timeout(self._socket.idle_seconds or SLOW_SECONDS):
                await self._inbox.put(message)
        except TimeoutError:
            self._finish(End(TOO_MANY, "messages are not read"))

    async def _write(self) -> None:
        """Send the outbox. After a failure no other task is started, because this one stays `_writing`."""
        try:
            while self._outbox:
                async with asyncio.timeout(SLOW_SECONDS):
                    for text in self._outbox[:WRITTEN_AT_ONCE]:
                        await self._send({"type": "websocket.send", "text": text})
                        del self._outbox[0]
        except TimeoutError:
            self._finish(End(TOO_SLOW, "too slow"))
        except OSError:
            self._finish(End(NORMAL, by_client=True))
        else:
            self._writing = None


def _take_token(request: Request) -> str | None:
    """Move the token of a subprotocol to the Authorization header; return the subprotocol to accept."""
    offered: list[str] = request.scope.get("subprotocols", [])
    for name in offered:
        if name.startswith(BEARER) and b"authorization" not in request.raw_headers:
            request.raw_headers[b"authorization"] = b"Bearer " + name.removeprefix(BEARER).encode("latin-1")
    return next((name for name in offered if not name.startswith(BEARER)), None)


async def _deny(request: Request, problem: Problem, send: Send) -> None:
    answer = from_content(problem_content(problem, request.request_id))
    own = request.reply_headers
    own.others += retry_header(problem)
    headers = pairs_of(answer.lines + own.lines(request.request_id, None))
    start = {"type": "websocket.http.response.start", "status": answer.status, "headers": headers}
    await _send_handshake(send, start)
    await _send_handshake(send, {"type": "websocket.http.response.body", "body": answer.body})


async def _send_handshake(send: Send, message: dict[str, Any]) -> None:
    try:
        await send(message)
    except OSError:
        raise Disconnected from None

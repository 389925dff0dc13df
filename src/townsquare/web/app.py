"""The ASGI application: one function that takes a request from its first byte to its log line.

No middleware: each step is a line in `_respond`, in the order in which things must happen.
"""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from msgspec import UNSET

from townsquare import problems
from townsquare.api import AnyEndpoint, AnySocket, AnyStream, HtmlPage, Socket, Stream
from townsquare.kit.files import Assets, asset_endpoints
from townsquare.logger import get_logger
from townsquare.service import Link
from townsquare.settings import Settings
from townsquare.store.client_cache import Barrier, StaleRead
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.coordination.limits import Limiter
from townsquare.web import responses
from townsquare.web.asgi_types import Receive, Scope, Send
from townsquare.web.auth import Authenticate, AuthGuard, admin_token, by_session
from townsquare.web.body import Disconnected, announces_body, read_body, received_file, require_chunked
from townsquare.web.bound_endpoint import BoundEndpoint, build_router, run_once
from townsquare.web.client import Clients
from townsquare.web.connections import OpenConnections
from townsquare.web.cors import Cors
from townsquare.web.limits import rate_limits
from townsquare.web.logs import CLIENT_LEFT, AnsweredRequest, Logs, RequestLog, configure_logs
from townsquare.web.metrics import Metrics
from townsquare.web.requests import Request, request_of
from townsquare.web.responses import (
    SEND_WHOLE,
    Response,
    from_content,
    header_lines,
    pairs_of,
    problem_content,
)
from townsquare.web.route_cache import MatchedEndpoint, ParsedTarget, RouteCache
from townsquare.web.shell import Shell, wants_html
from townsquare.web.sockets import ReadySocket, Sockets
from townsquare.web.streams import stream_endpoint
from townsquare.web.system import Probe, system_endpoints

CLOSE = (b"connection", b"close")
# the rest of the body is not read
CLOSING = (problems.PayloadTooLarge, problems.RequestTimeout, problems.TransferCodingNotImplemented)

log = get_logger("townsquare.web")


class App:
    def __init__(
        self,
        endpoints: Sequence[AnyEndpoint],
        *,
        settings: Settings,
        limiter: Limiter | None = None,
        idempotency: Idempotency | None = None,
        authenticate: Authenticate | None = None,
        begin_barrier: Callable[..., Barrier | None] | None = None,
        readiness: Mapping[str, Probe] | None = None,
        assets: Sequence[Assets] = (),
        links: Sequence[Link] = (),
        tags: Mapping[str, str] | None = None,
        sockets: Sequence[AnySocket | AnyStream] = (),
        logs: Logs | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.settings = settings
        self._metrics = metrics or Metrics()
        self._connections = OpenConnections(settings.connections_per_address)
        self._metrics.open_connections = self._connections.count
        self._shell = Shell(links)
        self._clients = Clients(settings.trusted_proxies, settings.public_url)
        self._cors = Cors(settings.cors_origins)
        self._idempotency = idempotency
        self._begin_barrier = begin_barrier
        self._access = (logs or configure_logs(settings.log_format, settings.log_level)).access
        self._log = RequestLog(self._metrics, self._access)
        rate_limit = rate_limits(settings, limiter, self._metrics)
        session = by_session(authenticate or admin_token(settings.admin_token))
        streams = [stream_endpoint(each, self._connections) for each in sockets if isinstance(each, Stream)]
        served = [*endpoints, *streams]
        served += system_endpoints(served, readiness or {}, self._metrics, settings, links, tags or {})
        served += asset_endpoints(tuple(assets))
        self._router = build_router(
            [BoundEndpoint(endpoint, rate_limit(endpoint.limit), session, self._shell) for endpoint in served]
        )
        self._route_cache = RouteCache(self._router, settings.line_limit)
        self._sockets = Sockets(
            [
                ReadySocket(socket, AuthGuard(socket.auth, session, rate_limit(socket.limit)))
                for socket in sockets
                if isinstance(socket, Socket)
            ],
            self._clients,
            self._cors,
            self._connections,
            self._access,
        )

    def stop(self) -> None:
        """End sockets and streams; requests are still served."""
        self._connections.stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._sockets.serve(scope, receive, send)
            return
        started = perf_counter()
        request = request_of(scope, receive, self._clients)
        try:
            response = await self._respond(request)
        except Disconnected:
            self._record(request, CLIENT_LEFT, perf_counter() - started)
            return
        except Exception as error:
            response = self._refuse(request, error)
        try:
            if not self._send_whole(request, response):
                await self._send(request, response, send)
        finally:
            self._record(request, response.status, perf_counter() - started)

    async def _respond(self, request: Request) -> Response:
        """Authenticates the caller after the body has arrived, so that the identity is current."""
        method = request.method
        parsed = self._route_cache.find(method, request.raw_path, request.scope["query_string"])
        if method == "OPTIONS":
            return self._options(request)
        if parsed is None:
            raise self._no_route(request)
        target = parsed.target
        request.route = target.route
        request.open_to_any_origin = target.open_to_any_origin
        request.on_problem = target.on_problem
        request.path, request.query = parsed.path, parsed.query
        matched = parsed.matched or await self._choose(request, parsed)
        endpoint = matched[0]
        request.on_problem = endpoint.on_problem
        rate_limit = endpoint.early_limit
        if rate_limit is not None and not rate_limit.spend(request, request.reply_headers):
            await rate_limit.acquire(request, request.reply_headers)
        if endpoint.takes_file:
            given = matched[1].read(parsed.path, None, parsed.query.pairs)
            return await self._respond_to_file(request, endpoint, given)
        if endpoint.reads_body and request.raw_body is None:
            request.raw_body = await self._body(request)
        if endpoint.reads or (endpoint.reads_first and b"idempotency-key" not in request.raw_headers):
            return await self._run_optimistically(request, parsed, matched)
        return await self._run(request, parsed, matched)

    async def _choose(self, request: Request, parsed: ParsedTarget) -> MatchedEndpoint:
        """Choose the endpoint by the action in the query or the body; browsers send none."""
        action = parsed.query.get("action")
        accept = request.raw_headers.get(b"accept", b"")
        if action is None and parsed.target.reads_body:
            request.raw_body = await self._body(request)
            body = request.read_body()
            return parsed.target.choose(body.action() if body else None, accept)
        return parsed.choose(action, accept)

    async def _run_optimistically(
        self, request: Request, parsed: ParsedTarget, matched: MatchedEndpoint
    ) -> Response:
        """Use cached records first and validate them at the end, or before the first write: see `Barrier`."""
        eager = matched[0].reads_first
        barrier = self._begin_barrier(eager=eager) if self._begin_barrier is not None else None
        if barrier is None:
            return await self._run(request, parsed, matched)
        early = request.reply_headers
        first = request.reply_headers = early.copy()
        try:
            response = await self._run(request, parsed, matched)
            if await barrier.validate():
                return response
        except (problems.Unavailable, problems.OutcomeUnknown):
            raise
        except StaleRead:
            pass
        except Exception:
            if await barrier.validate():
                raise
        finally:
            barrier.end()
        early.set_limit(first.limit, first.remaining, first.reset)
        request.reply_headers = early
        request.identity = request.reauthenticate = None
        return await self._run(request, parsed, matched)

    async def _run(self, request: Request, parsed: ParsedTarget, matched: MatchedEndpoint) -> Response:
        endpoint, reader = matched
        if endpoint.auth_guard is not None:
            await endpoint.auth_guard.admit(request)
        body = request.read_body() if request.raw_body else None
        if body is None:
            given = parsed.read(reader)
            request.unknown = parsed.unknown
        else:
            query = parsed.query.pairs
            if parsed.target.actions:
                parsed.target.require_known(body)
            given = reader.read(parsed.path, body, query)
            if reader.warns_unknown:
                request.unknown = reader.unread_names(body, query)
        if endpoint.cost is not None and endpoint.rate_limit is not None:
            more = endpoint.cost(given) - 1
            if more > 0:
                await endpoint.rate_limit.charge(request, request.reply_headers, more)
        if endpoint.replay is not None and b"idempotency-key" in request.raw_headers and self._idempotency:
            return endpoint.response(request, await run_once(self._idempotency, endpoint, request, given))
        return endpoint.response(request, await endpoint.run(request, given))

    async def _respond_to_file(self, request: Request, endpoint: BoundEndpoint, given: Any) -> Response:
        """The caller is authenticated before the file arrives, and again after it."""
        if endpoint.auth_guard is not None:
            await endpoint.auth_guard.admit(request)
        require_chunked(request.scope, request.raw_headers)
        limit = min(endpoint.endpoint.upload_limit or self.settings.upload_limit, self.settings.upload_limit)
        async with received_file(
            request.raw_headers, request.receive, limit, self.settings.body_seconds
        ) as upload:
            await request.confirm()
            return endpoint.response(request, await endpoint.run(request, given, upload))

    async def _body(self, request: Request) -> bytes:
        if not announces_body(request.raw_headers):
            return b""
        require_chunked(request.scope, request.raw_headers)
        limit, seconds = self.settings.body_limit, self.settings.body_seconds
        return await read_body(request.scope, request.raw_headers, request.receive, limit, seconds)

    def _options(self, request: Request) -> Response:
        methods = self._router.methods(request.raw_path)
        if not methods:
            raise problems.NotFound
        wanted = request.raw_headers.get(b"access-control-request-method")
        origin = request.raw_headers.get(b"origin")
        lines = header_lines([*responses.EVERYWHERE, (b"allow", ", ".join(methods).encode())])
        if wanted is not None and origin is not None:
            found = self._route_cache.find(wanted.decode("latin-1"), request.raw_path, b"")
            request.open_to_any_origin = found is not None and found.target.open_to_any_origin
            lines += self._cors.preflight(origin, methods, request.open_to_any_origin)
        return Response(204, lines, b"")

    def _no_route(self, request: Request) -> problems.Problem:
        methods = self._router.methods(request.raw_path)
        if not methods:
            return problems.NotFound()
        request.reply_headers.others.append((b"allow", ", ".join(methods).encode()))
        return problems.MethodNotAllowed(f"This path takes {', '.join(methods)}")

    def _refuse(self, request: Request, error: Exception) -> Response:
        if isinstance(error, problems.Problem):
            problem = error
        else:
            log.error("request failed", request_id=request.request_id, route=request.route, exc_info=error)
            problem = problems.Problem()
        if isinstance(problem, CLOSING):
            request.reply_headers.others.append(CLOSE)
        request.reply_headers.others += responses.retry_header(problem)
        if request.on_problem is not None:
            try:
                shaped = request.on_problem(problem, request)
                if isinstance(shaped, HtmlPage):
                    shaped = self._shell.content(shaped, request)
                return from_content(shaped, request.open_to_any_origin)
            except Exception as broken:
                if not isinstance(broken, problems.Problem):
                    log.error("problem not shaped", request_id=request.request_id, exc_info=broken)
        if wants_html(request.raw_headers.get(b"accept", b"")):
            page = self._shell.problem(problem, request.request_id, request.base_url)
            return from_content(page, request.open_to_any_origin)
        return from_content(problem_content(problem, request.request_id), request.open_to_any_origin)

    def _send_whole(self, request: Request, response: Response) -> bool:
        """Send the response in one call, if the server supports it; most responses go this way."""
        send_whole = request.scope.get(SEND_WHOLE)
        if send_whole is None or response.stream is not None or request.method == "HEAD":
            return False
        if CLOSE in request.reply_headers.others:
            return False
        return bool(send_whole(request.scope, response.status, self._lines(request, response), response.body))

    def _lines(self, request: Request, response: Response) -> bytes:
        """All headers of a response."""
        cors = self._cors.lines(request.raw_headers.get(b"origin"), request.open_to_any_origin)
        has_length = response.stream is None and response.status not in responses.BODILESS
        own = request.reply_headers.lines(request.request_id, len(response.body) if has_length else None)
        return response.lines + cors + own

    async def _send(self, request: Request, response: Response, send: Send) -> None:
        body, stream = response.body, response.stream
        headers = pairs_of(self._lines(request, response))
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        if request.method == "HEAD":
            body = b""
            if stream is not None:
                stream.close()
        elif stream is not None:
            await stream.send(request.receive, send, self._connections.stopping)
            return
        await send({"type": "http.response.body", "body": body})

    def _record(self, request: Request, status: int, seconds: float) -> None:
        self._log.record(
            AnsweredRequest(
                "",
                request.method,
                request.route,
                status,
                seconds * 1000,
                request.ip,
                request.request_id,
                request.user_id,
                cache=request.cache or UNSET,
            )
        )

"""An endpoint with its guards and limits, prepared once at start."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from townsquare.api import AnyEndpoint, Call, Content, Download, HtmlPage, OnProblem, by_ip
from townsquare.problems import BadRequest, OutcomeUnknown, Problem, Unavailable
from townsquare.store.coordination.idempotency import AlreadyDone, Idempotency
from townsquare.web.auth import AuthGuard, Identify
from townsquare.web.body import Body
from townsquare.web.inputs import InputReader, input_reader
from townsquare.web.limits import RateLimit
from townsquare.web.requests import Request
from townsquare.web.responses import (
    JSON,
    Response,
    encode,
    fixed_headers,
    fixed_lines,
    from_content,
    header_lines,
)
from townsquare.web.router import RouteConflict, Router
from townsquare.web.shell import Shell, below_prefix, wants_html
from townsquare.web.streams import OpenDownload, OpenStream

NOT_JSON = frozenset({Content, Download, HtmlPage, OpenStream})  # none has a subclass
FOR_BROWSERS = ""  # the action of a page at a path that has actions
BODILESS_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
KEY = re.compile(rb"[\x20-\x7e]{1,255}")


class UnknownAction(Problem):
    code, status, title = "unknown_action", 400, "This path needs one of its actions"


class BoundEndpoint:
    def __init__(
        self, endpoint: AnyEndpoint, rate_limit: RateLimit | None, session: Identify, shell: Shell
    ) -> None:
        self.endpoint = endpoint
        self.rate_limit = rate_limit
        authenticates = endpoint.auth.scheme is not None
        counts_user = authenticates and rate_limit is not None and rate_limit.limit.key is not by_ip
        self.early_limit = None if counts_user else rate_limit  # before the body is read
        self.auth_guard = (
            AuthGuard(endpoint.auth, session, rate_limit if counts_user else None) if authenticates else None
        )
        self.cost = endpoint.cost
        self.shell = shell
        self.name = " ".join(filter(None, (endpoint.method, endpoint.path, endpoint.action)))
        self.run = endpoint.run
        self.adapt = endpoint.adapt
        self.replay = endpoint.replay
        self.status = endpoint.status
        self.on_problem = endpoint.on_problem
        self.open_to_any_origin = endpoint.open_to_any_origin
        self.takes_file = endpoint.takes_file
        self.reads_body = endpoint.method not in BODILESS_METHODS and not self.takes_file
        self.reads = endpoint.reads is True
        self.reads_first = endpoint.reads == "first"
        self.json_lines = fixed_lines(JSON, endpoint.open_to_any_origin)
        self.bodiless_lines = header_lines(fixed_headers(JSON, endpoint.open_to_any_origin)[1:])

    def response(self, call: Call, result: Any) -> Response:
        if self.adapt is not None:
            result = self.adapt(result, call)
        if result.__class__ in NOT_JSON:
            if isinstance(result, OpenStream):
                return result.response(self.open_to_any_origin, self.auth_guard)
            if isinstance(result, Download):
                return OpenDownload(result).response(self.open_to_any_origin)
            if isinstance(result, HtmlPage):
                return from_content(self.shell.content(result, call), self.open_to_any_origin)
            if isinstance(result, Content):
                return from_content(below_prefix(result, call.base_url), self.open_to_any_origin)
        if result is None:
            return Response(204, self.bodiless_lines, b"")
        return Response(self.status, self.json_lines, encode(result))


class RouteActions:
    """The endpoints of one method and path: one, or several that differ in their action."""

    def __init__(self, route: str) -> None:
        self.route = route
        self.only: tuple[BoundEndpoint, InputReader[Any]] | None = None
        self.actions: dict[str, tuple[BoundEndpoint, InputReader[Any]]] = {}
        self.on_problem: OnProblem | None = None  # of the first action, for requests that name none
        self.open_to_any_origin = False
        self.reads_body = False

    def add(self, bound: BoundEndpoint, reader: InputReader[Any]) -> None:
        action = bound.endpoint.action
        if self.only is not None or action in self.actions or (action is None and self.actions):
            raise RouteConflict(f"{bound.name} is declared twice")
        if action is None:
            self.only = (bound, reader)
        else:
            self.actions[action] = (bound, reader)
        self.on_problem = self.on_problem or bound.on_problem
        self.open_to_any_origin = self.open_to_any_origin or bound.open_to_any_origin
        self.reads_body = bound.reads_body

    def choose(self, action: str | None, accept: bytes) -> tuple[BoundEndpoint, InputReader[Any]]:
        """The endpoint of an action, or of the page if a browser sends no action."""
        if not action:
            action = FOR_BROWSERS if wants_html(accept) else None
        chosen = self.actions.get(action) if action is not None else None
        if chosen is None:
            raise self._unknown(action)
        return chosen

    def require_known(self, body: Body) -> None:
        """Refuse a body with an unknown action, although the action of the query counts."""
        for action in body.values_of("action"):
            if not isinstance(action, str) or (action and action not in self.actions):
                raise self._unknown(action)

    def _unknown(self, action: object) -> UnknownAction:
        named = [name for name in self.actions if name != FOR_BROWSERS]
        names = ", ".join(named)
        detail = f"Give an action: {names}" if not action else f"There are only the actions {names}"
        return UnknownAction(detail, actions=named)


def build_router(endpoints: Sequence[BoundEndpoint]) -> Router[RouteActions]:
    targets: dict[tuple[str, str], RouteActions] = {}
    for bound in endpoints:
        endpoint = bound.endpoint
        for path in (endpoint.path, *endpoint.aliases):
            besides = ("action",) if endpoint.action else ()
            parameters = path_parameters(path)
            reader = input_reader(endpoint.input, parameters, endpoint.unknown, besides)  # type: ignore[arg-type]  # a class is hashable
            targets.setdefault((endpoint.method, path), RouteActions(path)).add(bound, reader)
    router: Router[RouteActions] = Router()
    for (method, path), target in targets.items():
        router.add(method, path, target)
    return router


@cache
def path_parameters(path: str) -> tuple[str, ...]:
    return tuple([segment[1:-1] for segment in path.split("/") if segment.startswith("{")])


async def run_once(idempotency: Idempotency, endpoint: BoundEndpoint, request: Request, given: Any) -> Any:
    """The result of the endpoint, or of its `replay` if a request with the same key has created the object.

    A key belongs to one operation of one caller on one site. Callers without an account are identified by
    their address. A request that is refused gives its key back. One with an unknown outcome keeps it, and
    so does one that fails because the store is away: its object may exist already.
    """
    key, *others = (value for name, value in request.scope["headers"] if name == b"idempotency-key")
    if others:
        raise BadRequest("Send one Idempotency-Key")
    if not KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key must be 1 to 255 printable ASCII characters")
    identity = request.identity
    site = identity.scope if identity else ""
    caller = f"user {identity.user_id}" if identity and identity.user_id else f"address {by_ip(request)}"
    attempt = await idempotency.begin(
        (endpoint.name.encode(), site.encode(), caller.encode(), key),
        (request.raw_path, request.scope["query_string"], request.raw_body or b""),
    )
    result = attempt.result
    if result is None:
        try:
            with attempt.running():
                return await endpoint.run(request, given)
        except AlreadyDone as done:
            result = done.detail
        except (OutcomeUnknown, Unavailable):
            raise
        except Problem:
            try:
                result = await idempotency.refused(attempt)
            except Problem:
                if not attempt.first:  # the reason may be that an earlier request has succeeded
                    raise
            if result is None:
                raise
    assert endpoint.replay is not None
    replayed = await endpoint.replay(request, given, result)
    request.reply_headers.others.append((b"idempotency-replayed", b"true"))
    return replayed

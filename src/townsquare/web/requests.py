"""One request on its way through the application."""

import itertools
import re
import secrets
from typing import Any

from townsquare.api import Call
from townsquare.cache.counts import ByNamespace
from townsquare.web.body import Body, Receive, parse_body
from townsquare.web.client import Clients, first_language
from townsquare.web.operation import OnProblem, Target
from townsquare.web.query import Headers, Query
from townsquare.web.router import Parameters
from townsquare.web.shared_answers import SharedBy

NO_QUERY = Query(b"")
UNMATCHED = "unmatched"
COUNTED = "townsquare.counted"  # in the scope of a request that its scheme has counted: what that leaves
INCOMING_ID = re.compile(rb"[A-Za-z0-9._:/+=-]{1,128}")

_process = secrets.token_hex(6)
_numbers = itertools.count(1)


def new_request_id() -> str:
    """Unique in the world by the process's random part, cheap by counting the rest."""
    return f"{_process}{next(_numbers):08x}"


def request_id_of(given: bytes) -> str:
    """What the client calls its request, if that can be an id, else a new one."""
    return given.decode("ascii") if given and INCOMING_ID.fullmatch(given) else new_request_id()


def path_below(raw: bytes, root: str, path: str) -> bytes:
    """What is left of a path when the prefix that leads to us is taken off, however it is encoded."""
    root = root.rstrip("/")
    if not path.startswith(root):  # some frameworks have taken it off already
        return raw
    return b"/" + b"/".join(raw.split(b"/")[root.count("/") + 1 :])


class Request:
    __slots__ = (
        "_body",
        "cache",
        "call",
        "headers",
        "id",
        "method",
        "on_problem",
        "open_to_any_origin",
        "path",
        "query",
        "raw_body",
        "receive",
        "reply_headers",
        "route",
        "scope",
        "shared",
    )

    def __init__(self, scope: Any, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.method: str = scope.get("method", "GET")
        self.path: bytes = scope.get("raw_path") or scope["path"].encode()
        if scope.get("root_path"):
            self.path = path_below(self.path, scope["root_path"], scope["path"])
        query = scope["query_string"]
        self.query = Query(query) if query else NO_QUERY
        self.id = request_id_of(self.headers.get(b"x-request-id", b""))
        self.route = UNMATCHED
        self.open_to_any_origin = False
        self.on_problem: OnProblem | None = None
        self.call: Call | None = None
        self.reply_headers: list[tuple[bytes, bytes]] = []
        self.raw_body: bytes | None = None  # once it was read
        self._body: Body | None = None
        self.shared: SharedBy | None = None  # who else is answered the same, where that is known
        self.cache: ByNamespace = {}  # what it finds there and what not, for the log

    def enter(self, target: Target) -> None:
        self.route = target.route
        self.open_to_any_origin = target.open_to_any_origin
        self.on_problem = target.on_problem

    def read_body(self) -> Body | None:
        """What the body says; None if there is none."""
        if self._body is None and self.raw_body:
            self._body = parse_body(self.raw_body, self.headers.get(b"content-type", b""))
        return self._body

    def make_call(self, clients: Clients, path: Parameters) -> Call:
        headers = self.headers
        place = clients.locate(self.scope, headers)
        language = headers.get(b"accept-language")
        self.call = call = Call(
            self.id,
            place.ip,
            headers.get(b"user-agent", b"").decode("latin-1"),
            headers.get(b"origin", b"").decode("latin-1"),
            place.base_url,
            first_language(language) if language else "",
            Headers(headers),
            self.query,
            path,
            route=self.route,
            quota=self.scope.get(COUNTED),
            counted=COUNTED in self.scope,
        )
        return call

    def caller(self, clients: Clients) -> tuple[str, str]:
        """The address and the user id of who calls, for the log."""
        call = self.call
        if call is None:
            return clients.locate(self.scope, self.headers).ip, ""
        return call.ip, call.identity.user_id if call.identity is not None else ""

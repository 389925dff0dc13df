"""One request on its way through the application."""

import itertools
import re
import secrets
from typing import Any

import msgspec

from townsquare.api import Call
from townsquare.cache.counts import ByNamespace, count_request
from townsquare.web.body import Body, Receive, parse_body
from townsquare.web.bound_endpoint import OnProblem
from townsquare.web.client import Clients, first_language
from townsquare.web.query import Headers, Query
from townsquare.web.reply_headers import ReplyHeaders
from townsquare.web.router import Parameters

UNMATCHED = "unmatched"
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


class Request(msgspec.Struct, eq=False):
    scope: Any
    receive: Receive
    headers: dict[bytes, bytes]
    method: str
    path: bytes
    id: str
    cache: ByNamespace  # what it finds there and what not, for the log
    route: str = UNMATCHED
    open_to_any_origin: bool = False
    on_problem: OnProblem | None = None
    call: Call | None = None
    reply_headers: ReplyHeaders = msgspec.field(default_factory=ReplyHeaders)
    raw_body: bytes | None = None  # once it was read
    _body: Body | None = None

    def __repr__(self) -> str:
        return f"<Request {self.id} {self.method} {self.route}>"  # and nothing that it brings

    def read_body(self) -> Body | None:
        """What the body says; None if there is none."""
        if self._body is None and self.raw_body:
            self._body = parse_body(self.raw_body, self.headers.get(b"content-type", b""))
        return self._body

    def make_call(self, clients: Clients, path: Parameters, query: Query) -> Call:
        headers, scope = self.headers, self.scope
        place = clients.locate(scope, headers)
        agent, origin = headers.get(b"user-agent"), headers.get(b"origin")
        language = headers.get(b"accept-language")
        self.call = call = Call(
            self.id,
            place.ip,
            agent.decode("latin-1") if agent else "",
            origin.decode("latin-1") if origin else "",
            place.base_url,
            first_language(language) if language else "",
            Headers(headers),
            query,
            path,
            None,
            (),
            self.route,
        )
        return call

    def caller(self, clients: Clients) -> tuple[str, str]:
        """The address and the user id of who calls, for the log."""
        call = self.call
        if call is None:
            return clients.locate(self.scope, self.headers).ip, ""
        return call.ip, call.identity.user_id if call.identity is not None else ""


def request_of(scope: Any, receive: Receive) -> Request:
    headers: dict[bytes, bytes] = dict(scope["headers"])
    path = scope.get("raw_path") or scope["path"].encode()
    if scope.get("root_path"):
        path = path_below(path, scope["root_path"], scope["path"])
    return Request(
        scope,
        receive,
        headers,
        scope.get("method", "GET"),
        path,
        request_id_of(headers.get(b"x-request-id", b"")),
        count_request(),
    )

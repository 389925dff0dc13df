"""One request on its way through the application."""

import itertools
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from townsquare.api import Call, OnProblem, Quota
from townsquare.cache.counts import ByNamespace, count_request
from townsquare.web.body import Body, Receive, parse_body
from townsquare.web.client import Clients
from townsquare.web.query import Headers, Query
from townsquare.web.responses import ReplyHeaders
from townsquare.web.router import NO_PARAMETERS

UNMATCHED = "unmatched"
NO_QUERY = Query(b"")
INCOMING_ID = re.compile(rb"[A-Za-z0-9._:/+=-]{1,128}")

_process = secrets.token_hex(6)
_numbers = itertools.count(1)


def new_request_id() -> str:
    """A random part per process and a counter."""
    return f"{_process}{next(_numbers):08x}"


def path_below(raw: bytes, root: str, path: str) -> bytes:
    """The path without the prefix where we are mounted, however the prefix is encoded."""
    root = root.rstrip("/")
    if not path.startswith(root):  # some frameworks have taken it off already
        return raw
    return b"/" + b"/".join(raw.split(b"/")[root.count("/") + 1 :])


class Request(Call, eq=False):
    """The call, with the state of the web layer."""

    scope: Any = None
    receive: Any = None
    raw_headers: dict[bytes, bytes] = msgspec.field(default_factory=dict)
    method: str = "GET"
    raw_path: bytes = b"/"
    cache: ByNamespace = msgspec.field(default_factory=dict)  # hits and misses, for the log
    open_to_any_origin: bool = False
    on_problem: OnProblem | None = None
    reply_headers: ReplyHeaders = msgspec.field(default_factory=ReplyHeaders)
    raw_body: bytes | None = None  # None until it is read
    reauthenticate: Callable[[Call], Awaitable[None]] | None = None
    quota: Quota | None = None  # of the scheme; a request that runs again counts once
    counted: bool = False  # towards the limits of the scheme
    admitted: bool = False  # by the limit of the endpoint
    _body: Body | None = None

    def __repr__(self) -> str:
        return f"<Request {self.request_id} {self.method} {self.route}>"  # without values of the request

    async def confirm(self) -> None:
        if self.reauthenticate is not None:
            await self.reauthenticate(self)

    def read_body(self) -> Body | None:
        """The parsed body; None if it is empty."""
        if self._body is None and self.raw_body:
            self._body = parse_body(self.raw_body, self.raw_headers.get(b"content-type", b""))
        return self._body

    @property
    def user_id(self) -> str:
        return self.identity.user_id if self.identity is not None else ""


def request_of(scope: Any, receive: Receive, clients: Clients) -> Request:
    headers: dict[bytes, bytes] = dict(scope["headers"])
    path = scope.get("raw_path") or scope["path"].encode()
    if scope.get("root_path"):
        path = path_below(path, scope["root_path"], scope["path"])
    client = clients.locate(scope, headers)
    sent_id = headers.get(b"x-request-id", b"")
    return Request(
        sent_id.decode("ascii") if sent_id and INCOMING_ID.fullmatch(sent_id) else new_request_id(),
        client.ip,
        client.base_url,
        Headers(headers),
        NO_QUERY,
        NO_PARAMETERS,
        None,
        (),
        UNMATCHED,
        scope,
        receive,
        headers,
        scope.get("method", "GET"),
        path,
        count_request(),
    )

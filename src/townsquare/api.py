"""How a service declares its HTTP endpoints, without knowing the web layer.

An `Endpoint` is declared once; routing, validation, the response, limits and OpenAPI derive from it.
`web` is the only reader.
"""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, Generic, Literal, TypeVar

import msgspec

from townsquare.problems import Problem

I = TypeVar("I")  # noqa: E741 - the input struct
O = TypeVar("O")  # noqa: E741 - the output struct


class Auth(StrEnum):
    NONE = "none"  # an Authorization header is ignored
    OPTIONAL = "optional"  # verified when present
    USER = "user"
    ADMIN = "admin"


class Identity(msgspec.Struct, frozen=True):
    """Who is calling, as the auth hook found."""

    user_id: str
    username: str = ""
    role: str = "user"
    session_id: str = ""


class Call(msgspec.Struct):
    """What an endpoint knows of the request besides its input."""

    request_id: str
    ip: str  # of the client; forwarding headers count only behind a trusted proxy
    user_agent: str
    origin: str
    base_url: str  # scheme and host as the client sees them
    language: str  # the first language of Accept-Language: "ja", "en", ...
    headers: Mapping[str, str]
    query: Mapping[str, str]
    identity: Identity | None = None


class Content(msgspec.Struct):
    """An answer that is not JSON, or not 200."""

    body: bytes
    media_type: str
    status: int = 200
    headers: Mapping[str, str] = {}


class Limit(msgspec.Struct, frozen=True):
    """At most `count` calls in `seconds`, per client address or per user.

    `name` is the setting: TOWNSQUARE_RATE_LIMIT_<NAME>="count/seconds" or "off".
    """

    name: str
    count: int
    seconds: int
    per: Literal["ip", "user"] = "ip"


READ = Limit("read", 1_200, 60)  # a page with many widgets, several tabs, one address
WRITE = Limit("write", 240, 60)
CREATE = Limit("create", 30, 60)
OWNER = Limit("owner", 60, 60)  # operations that hash a secret: dear, and worth guessing at


class Endpoint(msgspec.Struct, Generic[I, O], frozen=True, kw_only=True):
    """One operation over HTTP.

    Input fields are filled by name from the path, then the JSON body, then the query. `run` returns the
    output struct (sent as JSON with `status`) or `Content`. The first line of its docstring is the summary.
    """

    method: str
    path: str  # "/social/posts/{id}"; more than one path may lead here: see `aliases`
    run: Callable[[Call, I], Awaitable[O | Content]]
    input: type[I]
    output: type[O]
    tag: str
    action: str | None = None  # endpoints that share a path and are told apart by ?action=
    aliases: tuple[str, ...] = ()
    status: int = 200
    auth: Auth = Auth.NONE
    limit: Limit | None = READ
    errors: tuple[type[Problem], ...] = ()
    refuses_unknown: str = ""  # a body that names what the input has not is refused with this hint
    creates: bool = False  # honours Idempotency-Key
    redirects: bool = False  # what the path names may have another address by now: 308
    open_to_any_origin: bool = False  # CORS *, no credentials
    documented: bool = True  # pages and assets are not part of the API
    on_problem: Callable[[Problem, Call], Content] | None = (
        None  # where a seed's client expects its own shape
    )


AnyEndpoint = Endpoint[Any, Any]

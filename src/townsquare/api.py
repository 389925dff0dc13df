"""The declarations of a service for HTTP, independent of the web layer.

An `Endpoint`, a `Socket` or a `Stream` is declared once; routing, validation, the response, limits and
OpenAPI derive from it. `web` is the only reader. `townsquare.routes` is how a service declares.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Generic, Literal, Protocol, TypeVar

import msgspec

from townsquare.kit.addresses import customer_of
from townsquare.problems import Forbidden, Problem

I = TypeVar("I")  # noqa: E741 - the input struct
O = TypeVar("O")  # noqa: E741 - the output struct
Received = TypeVar("Received", covariant=True)
Sent = TypeVar("Sent", contravariant=True)


class Identity(msgspec.Struct, frozen=True):
    """The caller, as identified by a scheme."""

    user_id: str
    username: str = ""
    role: str = "user"
    session_id: str = ""
    scope: str = ""  # where the role applies, such as a site; '' is everywhere


OPERATOR = Identity(user_id="admin", role="admin")  # the bearer of the token in the settings


LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3})")
LANGUAGE_LENGTH = 16  # characters of Accept-Language that contain the first language
LANGUAGES_CACHED = 4_096


class Quota(msgspec.Struct, frozen=True):
    """The state of a rate limit that belongs to a scheme; sent in the headers of the response."""

    name: str
    count: int
    seconds: int
    remaining: int  # negative: the request is refused
    reset: int  # seconds until the window ends


class Call(msgspec.Struct):
    """The request, as the function of an endpoint sees it besides its input."""

    request_id: str
    ip: str  # of the client; forwarding headers count only behind a trusted proxy
    base_url: str  # our own address as the client sees it, with the prefix where we are mounted
    headers: Mapping[str, str]
    query: Mapping[str, str]
    path: Mapping[str, str]  # the parameters of the path
    identity: Identity | None = None
    unknown: tuple[str, ...] = ()  # names that the input does not have, if `unknown="warn"`
    route: str = ""  # the declared path that matched; it may be an alias

    @property
    def user_agent(self) -> str:
        return self.headers.get("user-agent", "")

    @property
    def origin(self) -> str:
        return self.headers.get("origin", "")

    @property
    def language(self) -> str:
        """The first language of Accept-Language: "ja", "en", …"""
        return first_language(self.headers.get("accept-language", "")[:LANGUAGE_LENGTH])

    async def confirm(self) -> None:
        """Raise if the caller is no longer allowed in: call this before the write of a slow operation."""


@lru_cache(LANGUAGES_CACHED)
def first_language(accept_language: str) -> str:
    found = LANGUAGE.match(accept_language)
    return found[1].lower() if found else ""


class Nothing(msgspec.Struct):
    """The input of an endpoint that takes no input."""


class Content(msgspec.Struct):
    """A response that is not JSON, or not 200."""

    body: bytes
    media_type: str
    status: int = 200
    headers: Mapping[str, str] = {}


class Download(msgspec.Struct):
    """A response that is sent while it is produced. An exception breaks the connection."""

    parts: AsyncIterator[bytes]
    media_type: str
    filename: str  # ASCII


class HtmlPage(msgspec.Struct, kw_only=True):
    """A page. `web` adds the shell: header, links and theme."""

    title: str
    body: str  # HTML, from `kit.templates`
    lang: str = "en"
    scripts: tuple[str, ...] = ()  # modules
    styles: tuple[str, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = {}
    images_from_anywhere: bool = False  # avatars and media are on other sites
    listed: bool = True  # search engines may show it
    skip: str = "Skip to the content"  # for the keyboard, past the header
    skip_to: str = "#content"


class Scheme(msgspec.Struct, frozen=True, eq=False):
    """An authentication scheme. A service may bring its own, such as the API key of a site.

    `identify` returns None if the request has no credentials. It raises `Unauthorized` or `Forbidden` if they
    are invalid. If `identify` is None, the server uses its own scheme: bearer tokens of sessions. `count`
    counts an identified request once towards the limits of the scheme, if it has any.
    """

    name: str
    security: Mapping[str, str]  # the OpenAPI security scheme
    identify: Callable[[Call], Awaitable[Identity | None]] | None = None
    challenge: str = ""  # WWW-Authenticate
    count: Callable[[Call], Awaitable[Quota | None] | None] | None = None
    key_header: str = ""  # in lower case; the server's own scheme accepts the token here too


SESSION = Scheme(
    "bearer",
    {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "The access_token from sign-up or sign-in, valid for 15 minutes: "
        "Authorization: Bearer <token>. The operator sends the admin_token of the settings instead.",
    },
    challenge='Bearer realm="townsquare"',
)
API_KEY = Scheme(
    "api_key",
    {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "The admin_token of the settings. Authorization: Bearer <token> takes it too.",
    },
    challenge=SESSION.challenge,
    key_header="x-api-key",
)


class Auth(msgspec.Struct, frozen=True, eq=False):
    """Which callers an endpoint admits."""

    scheme: Scheme | None = SESSION  # None: everyone; an Authorization header is ignored
    required: bool = True
    admits: Callable[[Identity], None] | None = None  # raises `Forbidden`
    who: str = "a user"  # the caller, for the documentation

    NONE: ClassVar["Auth"]
    OPTIONAL: ClassVar["Auth"]  # verified when present
    USER: ClassVar["Auth"]
    ADMIN: ClassVar["Auth"]
    API_KEY: ClassVar["Auth"]  # the back end, with the token in the settings


def has_role(*roles: str) -> Callable[[Identity], None]:
    def admits(identity: Identity) -> None:
        if identity.role not in roles:
            raise Forbidden

    return admits


def is_operator(identity: Identity) -> None:
    if identity.user_id != OPERATOR.user_id:  # accounts have ids of another form
        raise Forbidden("This takes the API key")


Auth.NONE = Auth(None, required=False)
Auth.OPTIONAL = Auth(required=False)
Auth.USER = Auth()
Auth.ADMIN = Auth(admits=has_role("admin"), who="an administrator")
Auth.API_KEY = Auth(API_KEY, admits=is_operator, who="the operator")


def by_ip(call: Call) -> str:
    return customer_of(call.ip)


def by_user(call: Call) -> str:
    return call.identity.user_id if call.identity is not None else by_ip(call)


class Limit(msgspec.Struct, frozen=True):
    """At most `count` calls in `seconds` for each value of `key`, a function of the call.

    `name` is the setting: TOWNSQUARE_RATE_LIMIT_<NAME>="count/seconds" or "off".
    """

    name: str
    count: int
    seconds: int
    key: Callable[[Call], str] = by_ip  # '' counts by address

    names: ClassVar[set[str]] = set()  # of every limit, to check the settings

    def __post_init__(self) -> None:
        self.names.add(self.name)

    def configured(self, setting: str) -> "Limit | None":
        """The limit with the values of a setting ("count/seconds"): None if "off", unchanged if empty."""
        if not setting:
            return self
        if setting == "off":
            return None
        count, _, seconds = setting.partition("/")
        return msgspec.structs.replace(self, count=int(count), seconds=int(seconds))


READ = Limit("read", 1_200, 60)  # a page with many widgets, several tabs, one address
WRITE = Limit("write", 240, 60)
CREATE = Limit("create", 30, 60)
OWNER = Limit("owner", 60, 60)  # operations that hash a secret: expensive, and a target for guessing
CONNECT = Limit("connect", 120, 60)  # sockets and streams opened, reconnecting after a restart included


# names in body, query or form that the input does not have are refused, passed to the operation in
# `Call.unknown` (for clients that must keep working), or ignored (pages, to whose links others append)
UnknownNames = Literal["refuse", "warn", "ignore"]


OnProblem = Callable[[Problem, Call], Content | HtmlPage]


class Endpoint(msgspec.Struct, Generic[I, O], frozen=True, kw_only=True):
    """One operation over HTTP.

    Input fields are filled by name from the path, then the JSON body, then the query. `run` returns the
    output struct (sent as JSON with `status`), `Content` or an `HtmlPage`. The first line of its docstring
    is the summary. If `run` has a third parameter, the body is a file, and the parameter is its path.
    """

    method: str
    path: str  # "/social/posts/{id}"; more than one path may lead here: see `aliases`
    run: Callable[..., Awaitable[O | Content | Download | HtmlPage]]
    input: type[I]
    output: type[O]  # `Annotated[Content, "image/png"]` documents a media type
    tag: str
    action: str | None = None  # distinguishes endpoints of one path by ?action=; '' is for browsers
    aliases: tuple[str, ...] = ()
    status: int = 200
    auth: Auth = Auth.NONE
    limit: Limit | None = READ
    errors: tuple[type[Problem], ...] = ()
    unknown: UnknownNames = "refuse"
    cost: Callable[[I], int] | None = None  # how many calls its limit counts
    # accepts Idempotency-Key; builds the response to a retry from the result that the script remembered
    replay: Callable[[Call, I, str], Awaitable[O]] | None = None
    # it may use cached records and run again: True if it never writes, "first" until its first write
    reads: bool | Literal["first"] = False
    adapt: Callable[[Any, Call], Any] | None = None  # the result of `run` for this caller
    open_to_any_origin: bool = False  # CORS *, no credentials
    upload_limit: int | None = None  # bytes of the file that it takes; None: the setting
    documented: bool = True  # pages and assets are not part of the API
    # for OpenAPI's sample request: optional fields, and values that `web/openapi/examples.py` cannot derive
    example: Mapping[str, Any] = {}
    # if clients of an earlier system expect another shape
    on_problem: OnProblem | None = None

    @property
    def takes_file(self) -> bool:
        return len(self.run.__annotations__) > 3  # call, input, file, result


AnyEndpoint = Endpoint[Any, Any]


class Connection(Protocol[Received, Sent]):
    """One open WebSocket: iterate over the messages, send without waiting."""

    def __aiter__(self) -> AsyncIterator[Received]: ...

    def send(self, message: Sent) -> None:
        """Put a message, or JSON text, into the outbox; a client that does not keep up is dropped."""
        ...

    def refuse(self, problem: Problem) -> None:
        """Send a problem; the connection stays open."""
        ...


class Socket(msgspec.Struct, Generic[I], frozen=True, kw_only=True):
    """One WebSocket endpoint.

    Messages are JSON texts, decoded as `receives`; the response to an invalid one is a problem. The caller is
    authenticated again before each message and every few seconds. The connection ends when `run` returns; a
    `Problem` that it raises ends it with the code 4000 + status. Browsers cannot send a header: they send a
    bearer token as the subprotocol `bearer.<token>`.
    """

    path: str
    run: Callable[[Call, I, Connection[Any, Any]], Awaitable[None]]
    input: type[I]  # from the path and the query
    receives: Any
    auth: Auth = Auth.NONE
    limit: Limit | None = CONNECT
    open_to_any_origin: bool = False  # else our own pages and the settings' CORS origins
    most_at_once: int | None = None  # per process and key of the limit; None: `connections_per_address`
    messages: int = 60  # accepted in `message_seconds`; a client that sends more is dropped
    message_seconds: float = 10
    longest_message: int = 16_384  # bytes
    outbox: int = 256  # messages queued for a slow client
    idle_seconds: float | None = None  # without a message from the client; pings find dead ones anyway
    on_problem: Callable[[Problem], Any] | None = None  # the message for clients of an earlier system


AnySocket = Socket[Any]


class StreamEvent(msgspec.Struct, Generic[O]):
    """One server-sent event. A client that reconnects sends the last `id` in the header Last-Event-ID."""

    data: O  # sent as JSON
    id: str = ""
    event: str = ""


class Stream(Endpoint[I, Any], Generic[I], frozen=True, kw_only=True):
    """One endpoint of server-sent events.

    `run` raises before anything is sent, or returns the iterator of the events.
    """

    method: str = "GET"
    output: Any = Annotated[Content, "text/event-stream"]
    limit: Limit | None = CONNECT
    most_at_once: int | None = None  # as of a socket


AnyStream = Stream[Any]

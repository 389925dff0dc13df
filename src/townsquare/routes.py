"""`Routes`: decorators that declare endpoints, sockets and streams."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, TypedDict, TypeVar, Unpack, get_args, get_origin, get_type_hints

from townsquare.api import (
    READ,
    WRITE,
    AnyEndpoint,
    AnySocket,
    AnyStream,
    Auth,
    Call,
    Content,
    Endpoint,
    Limit,
    OnProblem,
    Socket,
    Stream,
    UnknownNames,
)
from townsquare.problems import Problem

Run = TypeVar("Run", bound=Callable[..., Any])


class EndpointOptions(TypedDict, total=False):
    """Options of an endpoint besides its method, path and function; see `Endpoint`."""

    output: Any  # if the annotation of the function is not enough
    action: str | None
    aliases: tuple[str, ...]
    status: int
    auth: Auth
    limit: Limit | None
    errors: tuple[type[Problem], ...]
    unknown: UnknownNames
    cost: Callable[[Any], int] | None
    replay: Callable[[Call, Any, str], Awaitable[Any]] | None
    reads: bool | Literal["first"]
    adapt: Callable[[Any, Call], Any] | None
    open_to_any_origin: bool
    upload_limit: int | None
    documented: bool
    example: Mapping[str, Any]
    on_problem: OnProblem | None


class SocketOptions(TypedDict, total=False):
    """Options of a WebSocket; see `Socket`."""

    auth: Auth
    limit: Limit | None
    open_to_any_origin: bool
    most_at_once: int | None
    messages: int
    message_seconds: float
    longest_message: int
    outbox: int
    idle_seconds: float | None
    on_problem: Callable[[Problem], Any]


class StreamOptions(EndpointOptions, total=False):
    """Options of an event stream; see `Stream`."""

    most_at_once: int | None


class Routes:
    """The endpoints of a service, each declared by decorating its function.

    The annotations of the function are input and output. Options of `Routes` apply to all its endpoints.
    Without a limit, GET is limited by `READ` and everything else by `WRITE`. `other_prefixes` are aliases.
    """

    def __init__(
        self,
        prefix: str = "",
        *,
        tag: str,
        other_prefixes: tuple[str, ...] = (),
        **options: Unpack[EndpointOptions],
    ) -> None:
        self.endpoints: list[AnyEndpoint] = []
        self.sockets: list[AnySocket | AnyStream] = []
        self._prefix, self._other_prefixes = prefix, other_prefixes
        self._tag = tag
        self._options = options

    def get(self, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        """A GET that only reads, unless `reads=False`."""
        merged: EndpointOptions = {"reads": True, **options}
        return self.declare("GET", path, **merged)

    def post(self, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        return self.declare("POST", path, **options)

    def put(self, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        return self.declare("PUT", path, **options)

    def patch(self, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        return self.declare("PATCH", path, **options)

    def delete(self, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        return self.declare("DELETE", path, **options)

    def page(self, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        """A page for people: not part of the API."""
        merged: EndpointOptions = {"documented": False, "unknown": "ignore", **options}
        return self.get(path, **merged)

    def declare(self, method: str, path: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        merged: EndpointOptions = {"limit": READ if method == "GET" else WRITE, **self._options, **options}

        def declared(run: Run) -> Run:
            takes, answers = _annotations(run)
            aliases = (*(other + path for other in self._other_prefixes), *merged.get("aliases", ()))
            declaration: EndpointOptions = {"output": answers, **merged, "aliases": aliases}
            full_path = self._prefix + path
            self.endpoints.append(
                Endpoint(method=method, path=full_path, run=run, input=takes, tag=self._tag, **declaration)
            )
            return run

        return declared

    def socket(self, path: str, **options: Unpack[SocketOptions]) -> Callable[[Run], Run]:
        """A WebSocket; the annotation `Connection[Received, Sent]` declares its messages."""

        def declared(run: Run) -> Run:
            _, takes, connection, _ = _hints(run)
            receives, _ = get_args(connection)
            self.sockets.append(
                Socket(path=self._prefix + path, run=run, input=takes, receives=receives, **options)
            )
            return run

        return declared

    def stream(self, path: str, **options: Unpack[StreamOptions]) -> Callable[[Run], Run]:
        """Server-sent events: the function returns an iterator of `StreamEvent`."""

        def declared(run: Run) -> Run:
            _, takes, _ = _hints(run)
            self.sockets.append(
                Stream(path=self._prefix + path, run=run, input=takes, tag=self._tag, **options)
            )
            return run

        return declared


def _hints(run: Callable[..., Any]) -> list[Any]:
    """The types of the parameters in order, and of the result; annotations may be strings."""
    return list(get_type_hints(run, include_extras=True).values())


def _annotations(run: Callable[..., Any]) -> tuple[type[Any], type[Any]]:
    """Input and output of an endpoint; of a union with `Content`, the other type."""
    _, takes, *_, answers = _hints(run)
    kinds = get_args(answers)
    if Content in kinds and get_origin(answers) is not Annotated:
        (answers,) = (kind for kind in kinds if kind is not Content)
    return takes, answers

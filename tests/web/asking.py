"""Ask an ASGI application directly, byte for byte, without a client that tidies the request up."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from townsquare.api import AnyEndpoint, Call, Content, Endpoint
from townsquare.settings import Settings
from townsquare.web.app import App
from townsquare.web.logs import Lines, Logs, configure_logs

I = TypeVar("I")  # noqa: E741 - the input struct


class Reply(msgspec.Struct):
    status: int
    raw_headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        names = [name for name, _ in self.raw_headers]
        assert len(names) == len(set(names)), f"a header is told twice: {self.raw_headers}"
        return {name.decode(): value.decode("latin-1") for name, value in self.raw_headers}

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Nothing(msgspec.Struct):
    pass


class Echo(msgspec.Struct, forbid_unknown_fields=True):
    text: str


async def ask(
    app: App,
    method: str,
    target: str | bytes,
    body: bytes | Iterable[bytes] | Mapping[str, Any] = b"",
    headers: Mapping[str, str] | Sequence[tuple[bytes, bytes]] = {},
    client: tuple[str, int] | None = ("203.0.113.9", 5000),
    scheme: str = "http",
) -> Reply:
    """One request. A mapping is sent as JSON, an iterable of bytes in chunks without a length."""
    raw_path, _, query = (target.encode() if isinstance(target, str) else target).partition(b"?")
    given = (
        [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
        if isinstance(headers, Mapping)
        else list(headers)
    )
    names = {name for name, _ in given}
    if b"host" not in names:
        given.append((b"host", b"testserver"))
    if isinstance(body, Mapping):
        body = json.dumps(body).encode()
        if b"content-type" not in names:
            given.append((b"content-type", b"application/json"))
    if isinstance(body, bytes):
        chunks = [body]
        if body and b"content-length" not in names:
            given.append((b"content-length", str(len(body)).encode()))
    else:
        chunks = list(body)
        given.append((b"transfer-encoding", b"chunked"))
    scope = {
        "type": "http",
        "method": method,
        "path": raw_path.decode("latin-1"),
        "raw_path": raw_path,
        "query_string": query,
        "headers": given,
        "client": client,
        "server": ("127.0.0.1", 80),
        "scheme": scheme,
        "http_version": "1.1",
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, _receiver(chunks), send)
    return Reply(sent[0]["status"], list(sent[0]["headers"]), sent[1]["body"])


def _receiver(chunks: Sequence[bytes]) -> Callable[[], Awaitable[Any]]:
    async def messages() -> AsyncIterator[Any]:
        for place, chunk in enumerate(chunks):
            yield {"type": "http.request", "body": chunk, "more_body": place < len(chunks) - 1}
        while True:
            yield {"type": "http.disconnect"}

    stream = messages()

    async def receive() -> Any:
        return await anext(stream)

    return receive


async def echo_path(call: Call, given: Nothing) -> Echo:
    return Echo("here")


def endpoint(
    path: str = "/thing",
    run: Callable[[Call, Any], Awaitable[Any]] = echo_path,
    input: type[Any] = Nothing,
    **rest: Any,
) -> AnyEndpoint:
    return Endpoint(
        **{"method": "GET", "path": path, "run": run, "input": input, "output": Echo, "tag": "test", **rest}
    )


def answering(result: object) -> Callable[[Call, Any], Awaitable[Any]]:
    async def run(call: Call, given: Any) -> Any:
        """Response the same always."""
        return result

    return run


def raising(error: Exception) -> Callable[[Call, Any], Awaitable[Any]]:
    async def run(call: Call, given: Any) -> Any:
        raise error

    return run


def remembering(calls: list[tuple[Call, Any]]) -> Callable[[Call, Any], Awaitable[Any]]:
    async def run(call: Call, given: Any) -> Any:
        calls.append((call, given))
        return Content(b"ok", "text/plain")

    return run


def silent_logs() -> Logs:
    return configure_logs("json", "info", Lines(lambda _: None))


def app_with(*endpoints: AnyEndpoint, settings: Settings | None = None, **parts: Any) -> App:
    logs = parts.pop("logs", None) or silent_logs()
    return App(endpoints, settings=settings or Settings(), logs=logs, **parts)

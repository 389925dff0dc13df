"""Read a request body within limits of size and time, and parse it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from townsquare import problems
from townsquare.kit.field_aliases import BARE_LIST
from townsquare.kit.input_errors import contains_nul
from townsquare.kit.scratch_folders import scratch_folder
from townsquare.web.query import Pairs, parse_pairs

Receive = Callable[[], Awaitable[Mapping[str, Any]]]

JSON = b"application/json"
FORM = b"application/x-www-form-urlencoded"
NOT_JSON = "The body is not JSON"
NOT_AN_OBJECT = "The JSON body must be an object"
# in the scope of a request whose body has arrived with its head: no timeout is needed
BODY_IS_HERE = "townsquare.body_is_here"

MOST_CONTAINERS = 20_000  # lists and objects in a body: per byte they cost the most

_decode = msgspec.json.Decoder().decode


class Disconnected(Exception):
    """The client left before its request was complete."""


class Body(NamedTuple):
    """Either the JSON object (or array) of the request, or the pairs of a form."""

    values: dict[str, Any] | None
    pairs: Pairs
    contains_nul: bool = False
    is_list: bool = False  # a JSON array, in `values` under the name of one

    def names(self) -> Iterable[str]:
        return self.values if self.values is not None else (name for name, _ in self.pairs)

    def values_of(self, name: str) -> list[Any]:
        if self.values is None:
            return [value for one, value in self.pairs if one == name]
        return [self.values[name]] if name in self.values else []

    def action(self) -> str | None:
        if self.values is None:
            return next((value for name, value in reversed(self.pairs) if name == "action"), None)
        action = self.values.get("action")
        return action if isinstance(action, str) else None


def announces_body(headers: Mapping[bytes, bytes]) -> bool:
    length = headers.get(b"content-length")
    return length != b"0" if length is not None else b"transfer-encoding" in headers


def require_chunked(scope: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> None:
    """Raise if the body has another transfer coding than chunked, such as gzip."""
    if b"transfer-encoding" in headers:
        codings = [value.strip().lower() for name, value in scope["headers"] if name == b"transfer-encoding"]
        if codings != [b"chunked"]:
            raise problems.TransferCodingNotImplemented


async def read_body(
    scope: Mapping[str, Any], headers: Mapping[bytes, bytes], receive: Receive, limit: int, seconds: float
) -> bytes:
    """The whole body; raise as soon as it is longer than `limit` or takes longer than `seconds`."""
    require_length(headers, limit)
    if BODY_IS_HERE in scope:
        return await _received(receive, limit)
    try:
        async with asyncio.timeout(seconds):
            return await _received(receive, limit)
    except TimeoutError:
        raise problems.RequestTimeout(f"The body did not come within {seconds:g} s") from None


def require_length(headers: Mapping[bytes, bytes], limit: int) -> None:
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or len(length) > 18 or int(length) > limit:
        raise too_large(limit)


async def _received(receive: Receive, limit: int) -> bytes:
    parts = [part async for part in _parts(receive, limit)]
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _parts(receive: Receive, limit: int) -> AsyncIterator[bytes]:
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise too_large(limit)
        yield part
        more = bool(message.get("more_body"))


def parse_body(raw: bytes, content_type: bytes) -> Body | None:
    """The parsed body; None if it is empty."""
    if not raw:
        return None
    if content_type == JSON:
        return _json(raw)
    kind, _, parameters = content_type.partition(b";")
    kind = kind.strip().lower()
    if b"charset" in parameters.lower() and b"utf-8" not in parameters.lower():
        raise problems.UnsupportedMediaType("Send UTF-8")
    if kind in (JSON, b"") or (kind.startswith(b"application/") and kind.endswith(b"+json")):
        return _json(raw)
    if kind == FORM:
        return Body(None, parse_pairs(raw.strip()))
    raise problems.UnsupportedMediaType("Send application/json or application/x-www-form-urlencoded")


def _json(raw: bytes) -> Body:
    if raw.count(b"[") + raw.count(b"{") > MOST_CONTAINERS:
        raise problems.BadRequest(f"A JSON body may have at most {MOST_CONTAINERS:,} lists and objects")
    try:
        values = _decode(raw)
    except RecursionError:
        raise problems.BadRequest("The JSON body is nested too deeply") from None
    except UnicodeDecodeError:
        raise problems.BadRequest(f"{NOT_JSON}: it is not UTF-8") from None
    except (msgspec.MsgspecError, ValueError) as error:  # a whole number of thousands of digits
        raise problems.BadRequest(f"{NOT_JSON}: {error}") from None
    if isinstance(values, list):
        return Body({BARE_LIST: values}, [], contains_nul(raw), is_list=True)
    if not isinstance(values, dict):
        raise problems.BadRequest(NOT_AN_OBJECT)
    return Body(values, [], contains_nul(raw))


def too_large(limit: int) -> problems.PayloadTooLarge:
    return problems.PayloadTooLarge(f"A request body may have at most {limit} bytes", limit=limit)


@asynccontextmanager
async def received_file(
    headers: Mapping[bytes, bytes], receive: Receive, limit: int, seconds: float
) -> AsyncIterator[Path]:
    """The body as a file, deleted at the end of the block; each part must arrive within `seconds`."""

    async def receive_in_time() -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(seconds):
                return await receive()
        except TimeoutError:
            raise problems.RequestTimeout(f"Nothing more of the body came within {seconds:g} s") from None

    require_length(headers, limit)
    with scratch_folder() as folder:
        path = folder / "body"
        try:
            with path.open("wb") as file:  # parts are small
                async for part in _parts(receive_in_time, limit):
                    file.write(part)
        except OSError as error:
            raise problems.Unavailable(f"The file cannot be stored: {error.strerror}") from None
        yield path

"""Hostile requests for every input field of every endpoint, derived from the declarations.

A field gets texts and shapes that cost most where somebody computes before looking at the length, as long as
a request may be; the fields beside it get values that let it get as far as possible.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from inspect import get_annotations
from typing import Any, NamedTuple
from urllib.parse import quote_from_bytes

import msgspec
from msgspec import inspect

from townsquare.api import AnyEndpoint, Auth
from townsquare.web.bound_endpoint import BODILESS_METHODS, path_parameters
from townsquare.web.inputs import parts_of

JSON, FORM = "application/json", "application/x-www-form-urlencoded"

BEGIN = "// "  # looks like the middle of an address
TEXTS = {  # each is repeated up to the limit
    "letters": "a",
    "words": "aA1_",
    "marks": "\u0315\u0300\u05ae\u0316",  # normalising puts them in another order
    "ligatures": "\ufdfa",  # normalising makes 18 characters of one
    "capitals": "İẞ",
    "spaces": " \t",
    "links": " #a http://a www.",
    "addresses": "a@a.",
    "lists": "a,",
    "keys": "user:{}",
    "digits": "1",
}
SHAPES: dict[str, Callable[[int], bytes]] = {  # JSON of about so many bytes
    "long list": lambda size: b"[" + b'"a",' * (size // 4 - 1) + b'"a"]',
    "list of lists": lambda size: b"[" + b"[]," * (size // 3 - 1) + b"[]]",
    "many names": lambda size: _object(f'"n{number}":1' for number in range(size // 11)),
    "long name": lambda size: b'{"' + b"aA1_" * (size // 4) + b'":1}',
    "deep list": lambda size: b"[" * 900 + b"]" * 900,
    "deep object": lambda size: b'{"a":' * 900 + b"1" + b"}" * 900,
    "huge number": lambda size: b"1" * size,
    "huge fraction": lambda size: b"1." + b"1" * size,
    "number of 4,300 digits": lambda size: b"9" * 4_299,
    "NUL far away": lambda size: b"[" + b'"a",' * (size // 4 - 8) + b'"\\u0000"]',
}
SOME_TEXTS, SOME_SHAPES = ("digits", "lists"), ("long list", "huge number")  # for fields of another kind
LENGTHS = (200, 5_000)  # what many fields take: what is not refused is computed
UNKNOWN = "unknown"  # a name that no input has
MOST_BESIDE = 2_048  # bytes of a body for the other fields
HEADERS = (
    *("accept", "accept-encoding", "accept-language", "authorization", "content-type", "cookie", "forwarded"),
    *("host", "idempotency-key", "if-none-match", "origin", "referer", "user-agent", "x-forwarded-for"),
    *("x-request-id", "access-control-request-method"),
)
LIKELY: dict[str, Any] = {
    "action": "",
    "content": "hello #world",
    "email": "somebody@example.org",
    "phone": "",
    "login": "",
    "password": "correct horse battery",
    "newPassword": "correct horse battery",
    "currentPassword": "wrong horse battery",
    "code": "123456",
    "deviceId": "a-device-of-the-tests",
    "token": "owner-token",
    "newToken": "owner-token-2",
    "url": "https://example.com/",
    "id": "example-100680ad",
    "message": "hello",
    "name": "ann",
    "username": "somebody",
    "new_username": "somebody.else",
    "index": "email",
    "value": "somebody@example.org",
    "ranking": "viewed",
    "product": "tea",
    "reason": "spam",
    "q": "a",
    "hashtags": ["world"],
    "commands": [["HGET", "user:somebody", "bio"]],
    "records": [{"username": "somebody"}],
    "events": [{"kind": "view", "product": "tea"}],
    "visitor": "visitor-of-tests",
    "provider": "google",
    "session_id": "none",
}


class HostileRequest(NamedTuple):
    """One request as it goes over the wire, and what it tries."""

    says: str
    method: str
    target: bytes
    auth: Auth
    body: bytes = b""
    media_type: str = ""
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Sizes(NamedTuple):
    body: int
    line: int


def field_requests(
    endpoint: AnyEndpoint, sizes: Sizes, *, path: str | None = None, fields: Iterable[str] | None = None
) -> Iterator[HostileRequest]:
    """One request for each field, and for a name that nobody knows, with each hostile value."""
    path = path or endpoint.path
    likely = likely_values(endpoint)
    wanted = set(likely) if fields is None else set(fields)
    for name in [*likely, UNKNOWN]:
        if name in likely and name not in wanted:
            continue
        if name in path_parameters(path) or endpoint.method in BODILESS_METHODS:
            yield from _line_requests(endpoint, path, likely, name, sizes.line)
        else:
            yield from _body_requests(endpoint, path, likely, name, sizes.body)


def worth_asking(
    endpoints: Sequence[AnyEndpoint], *, by_query_too: bool = False
) -> Iterator[tuple[AnyEndpoint, set[str]]]:
    """Each endpoint with the fields that none before it at this path has from the same declaration.

    What takes its input from a body as well as from a query is asked with a body, which may be longer.
    """
    known: set[tuple[str, str, type, str]] = set()
    in_bodies = {(one.path, one.action) for one in endpoints if one.method not in BODILESS_METHODS}
    for endpoint in endpoints:
        by_query = endpoint.method in BODILESS_METHODS
        if by_query and (endpoint.path, endpoint.action) in in_bodies and not by_query_too:
            continue
        new = {(endpoint.method, endpoint.path, *field) for field in own_fields(endpoint)} - known
        known |= new
        yield endpoint, {name for *_, name in new}


def header_requests(endpoint: AnyEndpoint, sizes: Sizes) -> Iterator[HostileRequest]:
    target = _target(endpoint, endpoint.path, likely_values(endpoint), {})
    for name in HEADERS:
        for kind, unit in TEXTS.items():
            value = _repeated(unit, sizes.line - len(name) - 64).replace(b"\t", b" ")
            value = b"Bearer " + value if name == "authorization" else value
            yield HostileRequest(
                f"{endpoint.method} {endpoint.path} header {name}: {kind}",
                endpoint.method,
                target,
                endpoint.auth,
                headers=((name.encode(), value),),
            )


def likely_values(endpoint: AnyEndpoint) -> dict[str, Any]:
    """A value for each field of the input, by its name or by its type."""
    info = inspect.type_info(endpoint.input)
    assert isinstance(info, inspect.StructType)
    return {field.encode_name: LIKELY.get(field.encode_name, _plain(field.type)) for field in info.fields}


def text_fields(endpoint: AnyEndpoint) -> set[str]:
    """The fields of the input that take text."""
    info = inspect.type_info(endpoint.input)
    assert isinstance(info, inspect.StructType)
    return {
        field.encode_name
        for field in info.fields
        if any(isinstance(kind, inspect.StrType) for kind in parts_of(field.type))
    }


def own_fields(endpoint: AnyEndpoint) -> set[tuple[type, str]]:
    """The fields of the input, each with the struct that declares it first."""
    found = set()
    for field in msgspec.structs.fields(endpoint.input):
        declaring = [kind for kind in endpoint.input.__mro__ if field.name in get_annotations(kind)]
        found.add((declaring[-1], field.encode_name))
    return found


def _body_requests(
    endpoint: AnyEndpoint, path: str, likely: dict[str, Any], name: str, size: int
) -> Iterator[HostileRequest]:
    in_path = set(path_parameters(path))
    beside = {
        key: value
        for key, value in likely.items()
        if key not in in_path and key != name and value is not None
    }
    if endpoint.action is not None:
        beside["action"] = endpoint.action
    before = json.dumps(beside).encode()[:-1] + (b", " if beside else b"")
    target = _target(endpoint, path, likely, {})
    said = f"{endpoint.method} {path} {endpoint.action or ''} {name}"

    def request(kind: str, body: bytes, media_type: str = JSON) -> HostileRequest:
        return HostileRequest(f"{said}: {kind}", endpoint.method, target, endpoint.auth, body, media_type)

    begin = before + json.dumps(name).encode() + b": "
    is_text = name in text_fields(endpoint)
    for kind in TEXTS if is_text else SOME_TEXTS:
        for length in (*LENGTHS, size - MOST_BESIDE) if is_text else (size - MOST_BESIDE,):
            yield request(f"{length:,} bytes of {kind}", begin + _json_text(kind, length) + b"}")
    for kind in SOME_SHAPES if is_text or name == UNKNOWN else SHAPES:
        yield request(kind, begin + _shape(kind, size - MOST_BESIDE) + b"}")
    if name != UNKNOWN:
        return
    form = f"action={endpoint.action}&".encode() if endpoint.action else b""
    room = size - len(form) - len(name) - 1
    pair = name.encode() + b"=1&"
    yield request("form of letters", form + name.encode() + b"=" + b"a" * room, FORM)
    yield request("form of percents", form + name.encode() + b"=" + b"%41" * (room // 3), FORM)
    yield request("form of names", form + pair * (room // len(pair)), FORM)


def _line_requests(
    endpoint: AnyEndpoint, path: str, likely: dict[str, Any], name: str, size: int
) -> Iterator[HostileRequest]:
    room = size - len(path) - len(name) - 600
    for kind, unit in TEXTS.items():
        quoted = quote_from_bytes(_repeated(unit, room), safe=":,@{}")[:room]
        target = _target(endpoint, path, likely, {name: quoted})
        said = f"{endpoint.method} {path} {endpoint.action or ''} {name}: {kind}"
        yield HostileRequest(said, endpoint.method, target, endpoint.auth)


def _target(endpoint: AnyEndpoint, path: str, likely: dict[str, Any], quoted: dict[str, str]) -> bytes:
    """Path and query; values that are given here are quoted already."""

    def text(name: str) -> str:
        return quoted.get(name) or quote_from_bytes(str(likely.get(name) or "x").encode(), safe="")

    in_path = path_parameters(path)
    for name in in_path:
        path = path.replace(f"{{{name}}}", text(name))
    if endpoint.method not in BODILESS_METHODS:
        return path.encode()
    plain = [name for name, value in likely.items() if isinstance(value, str | int | float) and value != ""]
    names = dict.fromkeys([*plain, *quoted])
    pairs = [f"{name}={text(name)}" for name in names if name not in in_path]
    if endpoint.action is not None:
        pairs.append(f"action={endpoint.action}")
    return f"{path}?{'&'.join(pairs)}".encode() if pairs else path.encode()


@cache
def _json_text(kind: str, size: int) -> bytes:
    text = _repeated(TEXTS[kind], size - 2).decode(errors="ignore")
    written = json.dumps(text, ensure_ascii=False).encode()
    if len(written) <= size:
        return written
    return json.dumps(text[: len(text) // 2], ensure_ascii=False).encode()  # escapes make it longer


@cache
def _shape(kind: str, size: int) -> bytes:
    return SHAPES[kind](size)


def _repeated(unit: str, size: int) -> bytes:
    raw = unit.encode()
    return BEGIN.encode() + raw * ((size - len(BEGIN)) // len(raw))


def _object(members: Iterable[str]) -> bytes:
    return ("{" + ",".join(members) + "}").encode()


def _plain(type_: inspect.Type) -> Any:
    """A small value of this type; None leaves the field out."""
    match type_:
        case inspect.Metadata():
            return _plain(type_.type)
        case inspect.UnionType():
            return None
        case inspect.StrType():
            return "x"
        case inspect.IntType() | inspect.FloatType():
            return int(type_.ge or type_.gt or 1)
        case inspect.LiteralType():
            return type_.values[0]
        case inspect.BoolType():
            return True
    return None

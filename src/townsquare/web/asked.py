"""What a request asks, as far as its answer may depend on it."""

from collections.abc import Hashable
from typing import Any

from townsquare.web.auth import OTHER_HEADERS

# the headers that answers may depend on, where their endpoints say that they can be kept; the address of who
# asks, whoever tells it, has a part in limits and logs only
READ_HEADERS = frozenset(
    (
        b"accept",
        b"accept-language",
        b"authorization",
        b"host",
        b"if-none-match",
        b"origin",
        b"projectid",
        b"x-access-token",
        b"x-api-key",
        b"x-authorization",
        b"x-forwarded-host",
        b"x-forwarded-proto",
    )
)
TOKEN_HEADERS = frozenset((b"authorization", *(name.encode() for name in OTHER_HEADERS)))
WITH_A_BODY = frozenset((b"content-length", b"transfer-encoding", b"expect"))
REQUEST_ID = b"x-request-id"
PAIR = 170  # bytes of a header besides its text

Asked = tuple[Hashable, ...]  # path, query, how we are reached, and headers as pairs


def without_token(asked: Asked) -> tuple[Asked, bytes | None] | None:
    """What is asked, whoever asks, and their Authorization; None where a token may be in another place."""
    rest: list[Hashable] = []
    authorization: bytes | None = None
    for part in asked:
        if part.__class__ is tuple and part[0] in TOKEN_HEADERS:
            if part[0] != b"authorization" or authorization is not None:
                return None
            authorization = part[1]
        else:
            rest.append(part)
    return tuple(rest), authorization


def asked_of(scope: Any, *, by_proxy: bool) -> tuple[Asked | None, bytes]:
    """What a request asks, as far as its answer may depend on it (None: it cannot be kept), and its id."""
    request_id = b""
    path = scope.get("raw_path") or scope["path"]
    asked: list[Hashable] = [
        path,
        scope["query_string"],
        scope.get("root_path"),
        scope["scheme"],
        by_proxy,
    ]
    for header in scope["headers"]:
        name = header[0]
        if name in READ_HEADERS:
            asked.append(header)
        elif name in WITH_A_BODY:
            return None, b""
        elif name == REQUEST_ID:
            request_id = header[1]
    return tuple(asked), request_id


def weight_of(asked: Asked) -> int:
    """Bytes of a question: its address and its headers can be longer than the answer."""
    headers = [part for part in asked if isinstance(part, tuple)]
    texts = [part for part in asked if isinstance(part, bytes | str)]
    return sum(map(len, texts)) + sum(PAIR + len(name) + len(value) for name, value in headers)

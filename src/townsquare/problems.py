"""What can go wrong, as values of the domain.

A problem has a stable `code` that clients may rely on and an HTTP status for the web layer. Services declare
theirs from these; a Lua script refuses by code (`return refuse('counter_not_found')`) and the store
raises the class that has it.
"""

from typing import Any, ClassVar, Self


class Problem(Exception):
    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Something went wrong"

    by_code: ClassVar[dict[str, type["Problem"]]] = {}

    def __init__(self, detail: str = "", **extra: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.extra = extra

    @classmethod
    def declare(cls, code: str, title: str, status: int | None = None) -> type[Self]:
        """A subclass: `SiteNotFound = NotFound.declare("site_not_found", "There is no such site")`."""
        fields = {"code": code, "title": title, "status": status or cls.status}
        return type(code.title().replace("_", ""), (cls,), fields)

    def __init_subclass__(cls) -> None:
        known = Problem.by_code.setdefault(cls.code, cls)
        if known is not cls:
            raise TypeError(f"{cls.__module__}.{cls.__qualname__} reuses code {cls.code!r} of {known}")


BadRequest = Problem.declare("bad_request", "The request cannot be understood", 400)


class Unauthorized(Problem):
    code, status, title = "unauthorized", 401, "Sign in first"


class Forbidden(Problem):
    code, status, title = "forbidden", 403, "You are not allowed to do this"


class NotFound(Problem):
    code, status, title = "not_found", 404, "There is nothing here"


MethodNotAllowed = Problem.declare("method_not_allowed", "This path does not take that method", 405)
RequestTimeout = Problem.declare("request_timeout", "The request did not come in time", 408)


class Conflict(Problem):
    code, status, title = "conflict", 409, "The request conflicts with a concurrent change"


class Taken(Problem):
    """Another record has this unique value; `detail` names the field."""

    code, status, title = "taken", 409, "This is already taken"


class PayloadTooLarge(Problem):
    code, status, title = "payload_too_large", 413, "The request body is too large"


UriTooLong = Problem.declare("uri_too_long", "The address is too long", 414)
UnsupportedMediaType = Problem.declare("unsupported_media_type", "Send JSON", 415)


class Invalid(Problem):
    code, status, title = "invalid", 422, "A value is not acceptable"


BadCursor = Invalid.declare("bad_cursor", "The cursor is not valid")


class UnknownField(Invalid):
    """`extra["errors"]` names each unknown field."""

    code, title = "unknown_field", "A field is not known here"


class TooManyRequests(Problem):
    """`extra["retry_after"]` is in seconds."""

    code, status, title = "rate_limited", 429, "Too many requests, try again later"


TooManyConnections = Problem.declare("too_many_connections", "Too many connections from this address", 429)
HeadTooLarge = Problem.declare("head_too_large", "The head of the request is too large", 431)
TransferCodingNotImplemented = Problem.declare(
    "transfer_coding_not_implemented", "The only transfer coding is chunked", 501
)


class Unavailable(Problem):
    """Redis is away and the command was certainly not executed: a retry is safe."""

    code, status, title = "store_unavailable", 503, "The store is away, try again in a moment"


class StoreFull(Unavailable):
    """Redis has no room, in memory or on its disk: it takes no writes and answers reads."""

    code, status, title = "store_full", 507, "The store has no room for this"


class OutcomeUnknown(Problem):
    """Redis went away between our command and its reply: it may or may not have been executed."""

    code, status, title = "outcome_unknown", 503, "The store went away before it answered"

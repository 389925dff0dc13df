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
    def declare(cls, code: str, title: str) -> type[Self]:
        """A subclass: `SiteNotFound = NotFound.declare("site_not_found", "There is no such site")`."""
        return type(code.title().replace("_", ""), (cls,), {"code": code, "title": title})

    def __init_subclass__(cls) -> None:
        known = Problem.by_code.setdefault(cls.code, cls)
        if known is not cls:
            raise TypeError(f"{cls.__module__}.{cls.__qualname__} reuses code {cls.code!r} of {known}")


class BadRequest(Problem):
    code, status, title = "bad_request", 400, "The request cannot be understood"


class Unauthorized(Problem):
    code, status, title = "unauthorized", 401, "Sign in first"


class Forbidden(Problem):
    code, status, title = "forbidden", 403, "You are not allowed to do this"


class NotFound(Problem):
    code, status, title = "not_found", 404, "There is nothing here"


class MethodNotAllowed(Problem):
    code, status, title = "method_not_allowed", 405, "This path does not take that method"


class RequestTimeout(Problem):
    code, status, title = "request_timeout", 408, "The request did not come in time"


class Conflict(Problem):
    code, status, title = "conflict", 409, "The request conflicts with a concurrent change"


class Taken(Problem):
    """Another record has this unique value; `detail` names the field."""

    code, status, title = "taken", 409, "This is already taken"


class PayloadTooLarge(Problem):
    code, status, title = "payload_too_large", 413, "The request body is too large"


class UriTooLong(Problem):
    code, status, title = "uri_too_long", 414, "The address is too long"


class UnsupportedMediaType(Problem):
    code, status, title = "unsupported_media_type", 415, "Send JSON"


class Invalid(Problem):
    code, status, title = "invalid", 422, "A value is not acceptable"


class BadCursor(Invalid):
    code, title = "bad_cursor", "The cursor is not valid"


class UnknownField(Invalid):
    """`extra["errors"]` names each unknown field."""

    code, title = "unknown_field", "A field is not known here"


class TooManyRequests(Problem):
    """`extra["retry_after"]` is in seconds."""

    code, status, title = "rate_limited", 429, "Too many requests, try again later"


class TooManyConnections(Problem):
    code, status, title = "too_many_connections", 429, "Too many connections from this address"


class HeadTooLarge(Problem):
    code, status, title = "head_too_large", 431, "The head of the request is too large"


class TransferCodingNotImplemented(Problem):
    code, status, title = "transfer_coding_not_implemented", 501, "The only transfer coding is chunked"


class Unavailable(Problem):
    """Redis is away and the command was certainly not executed: a retry is safe."""

    code, status, title = "store_unavailable", 503, "The store is away, try again in a moment"


class StoreFull(Unavailable):
    """Redis has no room, in memory or on its disk: it takes no writes and answers reads."""

    code, status, title = "store_full", 507, "The store has no room for this"


class OutcomeUnknown(Problem):
    """Redis went away between our command and its reply: it may or may not have been executed."""

    code, status, title = "outcome_unknown", 503, "The store went away before it answered"

"""Structured logs: JSON for machines, short coloured lines on a terminal, never a secret in either.

Requests are logged by `AccessLog`, with the declared path instead of the requested one, and without
query, headers and body.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.clock import iso
from townsquare.logger import get_logger

if TYPE_CHECKING:  # the supervisor of a server has no metrics of its own
    from townsquare.web.metrics import Metrics

FAILURES = {*range(500, 600), 1011, *range(4500, 4600)}  # of requests, and how sockets were closed
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
COLOURS = {"warning": 33, "error": 31, "critical": 31}
STDOUT = 1
SERVER_ERROR = 500  # logged even if the access log is off
CLIENT_LEFT = 499  # the status of a request whose client left: for the log and metrics only

ByNamespace = dict[str, dict[str, int]]

log = get_logger("townsquare.web")

_encode = msgspec.json.Encoder(enc_hook=repr).encode


class Lines:
    """Writes all lines of one event-loop tick at once."""

    def __init__(self, write: Callable[[bytes], object] | None = None) -> None:
        self._write = write or _to_stdout
        self._pending: list[bytes] = []
        self.before_writing: list[Callable[[], None]] = []  # callbacks that add pending lines

    def add(self, line: bytes) -> None:
        self._pending.append(line)
        if len(self._pending) == 1:
            self.flush_soon()

    def flush_soon(self) -> None:
        try:
            asyncio.get_running_loop().call_soon(self.flush)
        except RuntimeError:
            self.flush()

    def flush(self) -> None:
        for make_lines in self.before_writing:
            make_lines()
        lines, self._pending = self._pending, []
        if lines:
            self._write(b"\n".join(lines) + b"\n")


def _to_stdout(data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(STDOUT, view) :]
    except OSError:
        return  # the reader of the log is gone: keep serving


class AnsweredRequest(msgspec.Struct, gc=False):
    """One answered request: for metrics, and as a line of the access log."""

    time: str  # set when the line is written
    method: str
    route: str
    status: int
    ms: float
    ip: str
    request_id: str
    user: str
    level: Literal["info", "error"] = "info"
    event: Literal["request"] = "request"
    cache: ByNamespace | UnsetType = UNSET  # hits and misses of this request, by namespace


class AccessLog:
    def __init__(self, lines: Lines, *, json: bool, enabled: bool = True) -> None:
        self.lines = lines
        self._json = json
        self.enabled = enabled
        self._millisecond = 0
        self._written = ""

    def write(self, one: AnsweredRequest) -> None:
        now = time.time_ns() // 1_000_000
        if now != self._millisecond:  # formatted once for all requests of the same one
            self._millisecond = now
            self._written = iso(now)
        one.time = self._written
        one.ms = int(one.ms * 100 + 0.5) / 100  # as `round` does, at half its price
        if one.status in FAILURES:
            one.level = "error"
        self.lines.add(_encode(one) if self._json else _console(one))


def _console(line: AnsweredRequest) -> bytes:
    colour = 31 if line.level == "error" else 33 if 400 <= line.status < 500 else 32
    who = f"{line.ip} {line.user}".rstrip()
    cache = "".join(
        f" {namespace} {event}={count}"
        for namespace, events in (line.cache or {}).items()
        for event, count in events.items()
    )
    return (
        f"\x1b[2m{line.time[11:-1]}\x1b[0m {line.method:<6} {line.route} \x1b[{colour}m{line.status}\x1b[0m "
        f"{line.ms} ms \x1b[2m{who} {line.request_id}{cache}\x1b[0m"
    ).encode()


class Logs(NamedTuple):
    lines: Lines
    access: AccessLog
    json: bool


def configure_logs(log_format: str = "auto", log_level: str = "info", lines: Lines | None = None) -> Logs:
    """Send our log events, those of other libraries and request lines to one place in one format."""
    lines = lines or Lines()
    json = log_format == "json" or (log_format == "auto" and not os.isatty(STDOUT))
    level = LEVELS[log_level]
    root = logging.getLogger()
    root.handlers[:] = [LineHandler(lines, json=json)]
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger("townsquare").setLevel(level)
    return Logs(lines, AccessLog(lines, json=json, enabled=level <= LEVELS["info"]), json)


class LineHandler(logging.Handler):
    def __init__(self, lines: Lines, *, json: bool) -> None:
        super().__init__()
        self._lines = lines
        self._json = json

    def emit(self, record: logging.LogRecord) -> None:
        event = event_of(record)
        self._lines.add(_encode(event) if self._json else _console_event(event, coloured=os.isatty(STDOUT)))


def event_of(record: logging.LogRecord) -> dict[str, Any]:
    event: dict[str, Any] = {"time": iso(int(record.created * 1000)), "level": record.levelname.lower()}
    if hasattr(record, "event"):  # ours
        event |= {"event": record.event, **record.__dict__["fields"]}
    else:
        event |= {"event": record.getMessage(), "logger": record.name}
    if record.exc_info:
        event["exception"] = logging.Formatter().formatException(record.exc_info)
    return event


def _console_event(event: dict[str, Any], *, coloured: bool) -> bytes:
    said, level = event.pop("event"), event.pop("level")
    moment, traceback = event.pop("time")[11:-1], event.pop("exception", "")
    fields = "".join(f" {name}={value}" for name, value in event.items())
    if coloured:
        moment, fields = f"\x1b[2m{moment}\x1b[0m", f"\x1b[2m{fields}\x1b[0m"
        level = f"\x1b[{COLOURS.get(level, 0)}m{level}\x1b[0m"
    line = f"{moment} {level} {said}{fields}"
    return "\n".join(filter(None, (line, traceback))).encode("utf-8", "backslashreplace")


class RequestLog:
    """Batched once per event-loop tick (better instruction-cache locality)."""

    def __init__(self, metrics: "Metrics", access: AccessLog) -> None:
        self._metrics = metrics
        self._access = access
        self._answered: list[AnsweredRequest] = []
        self._flush_soon = access.lines.flush_soon
        access.lines.before_writing.append(self.flush)
        metrics.before_settling.append(self.flush)

    def record(self, one: AnsweredRequest) -> None:
        self._answered.append(one)
        if len(self._answered) == 1:
            self._flush_soon()

    def flush(self) -> None:
        answered, self._answered = self._answered, []
        enabled, write = self._access.enabled, self._access.write
        for one in answered:
            self._metrics.add_request(one.method, one.route, one.status, one.ms / 1000)
            if enabled or one.status >= SERVER_ERROR:
                try:
                    write(one)
                except Exception as broken:  # must not lose the lines of other requests
                    log.error("access line not made", route=one.route, reason=repr(broken))

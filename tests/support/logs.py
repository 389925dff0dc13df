"""What is logged while a test runs."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def capture_logs() -> Iterator[list[dict[str, Any]]]:
    """The events of our loggers, with their level and fields; nothing else is done with them."""
    captured: list[dict[str, Any]] = []

    class Capture(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if hasattr(record, "event"):
                fields: dict[str, Any] = record.__dict__["fields"]
                level = record.levelname.lower()
                captured.append({**fields, "event": record.event, "log_level": level})

    ours, handler = logging.getLogger("townsquare"), Capture()
    level, propagates = ours.level, ours.propagate
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    ours.propagate = False
    try:
        yield captured
    finally:
        ours.removeHandler(handler)
        ours.setLevel(level)
        ours.propagate = propagates

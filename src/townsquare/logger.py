"""Structured log events over the standard library's loggers.

    log = get_logger("townsquare.store")
    log.warning("no answer yet", node="db:6379")

A server writes them as JSON or as coloured lines (`web/logs.py`). Elsewhere they are ordinary log records,
whose message ends with the fields: Python prints warnings to stderr.
"""

import logging
from typing import Any

SECRET = ("authorization", "cookie", "password", "secret", "token")
REDACTED = "[redacted]"


class Logger:
    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, /, **fields: Any) -> None:
        self.log(logging.DEBUG, event, **fields)

    def info(self, event: str, /, **fields: Any) -> None:
        self.log(logging.INFO, event, **fields)

    def warning(self, event: str, /, **fields: Any) -> None:
        self.log(logging.WARNING, event, **fields)

    def error(self, event: str, /, **fields: Any) -> None:
        self.log(logging.ERROR, event, **fields)

    def exception(self, event: str, /, **fields: Any) -> None:
        """An error with the traceback of the exception that is being handled."""
        self.log(logging.ERROR, event, **{"exc_info": True, **fields})

    def log(self, level: int, event: str, /, *, exc_info: Any = None, **fields: Any) -> None:
        if self._logger.isEnabledFor(level):
            fields = redacted(fields)
            shown = "".join(f" {name}={value!r}" for name, value in fields.items())
            extra = {"event": event, "fields": fields}
            self._logger.log(level, "%s%s", event, shown, exc_info=exc_info, extra=extra)


def get_logger(name: str = "townsquare") -> Logger:
    return Logger(name)


def redacted(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: REDACTED if any(secret in name.lower() for secret in SECRET) else value
        for name, value in fields.items()
    }

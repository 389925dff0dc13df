"""The one source of time, so that tests can pin it."""

import time
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Protocol
from zoneinfo import ZoneInfo

from msgspec import Meta

MILLISECONDS = tuple(f".{ms:03d}Z" for ms in range(1000))  # as `iso` ends

CLOCK_SKEW_MS = 5_000  # the largest difference between the clocks of two servers

Moment = Annotated[int, Meta(ge=0, lt=253_402_300_800_000)]  # in ms, before the year 10,000


class Clock(Protocol):
    def now_ms(self) -> int: ...


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


def moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def iso(ms: int) -> str:
    """ISO 8601 with milliseconds, as JavaScript's toISOString writes it."""
    return _second(ms // 1000) + MILLISECONDS[ms % 1000]


@lru_cache(16)
def _second(seconds: int) -> str:
    """Cached, because many timestamps share a second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")


def from_iso(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def day_of(ms: int, zone: str = "UTC") -> date:
    return moment(ms).astimezone(ZoneInfo(zone)).date()


def end_of_day_ms(ms: int, zone: str = "UTC") -> int:
    """23:59:59.999 of the day that `ms` falls on in `zone`; always after `ms`."""
    local = moment(ms).astimezone(ZoneInfo(zone))
    end = local.replace(hour=23, minute=59, second=59, microsecond=999_000, fold=1)
    return max(round(end.timestamp() * 1000), ms + 1)

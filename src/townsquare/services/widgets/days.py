"""The calendar of a widget: its days, in its own time zone."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from townsquare.clock import day_of, end_of_day_ms
from townsquare.services.widgets.problems import BadTimezone

WEEK, MONTH = 7, 30


@dataclass(frozen=True)
class Calendar:
    """Today and the month before it, newest first."""

    timezone: str
    today: date
    days: tuple[str, ...]
    ttl_ms: int  # until the day ends; never zero


def calendar(now_ms: int, timezone: str) -> Calendar:
    today = day_of(now_ms, timezone)
    return Calendar(timezone, today, days_before(today), max(1, end_of_day_ms(now_ms, timezone) - now_ms))


@lru_cache(64)
def days_before(today: date, count: int = MONTH) -> tuple[str, ...]:
    return tuple((today - timedelta(days=back)).isoformat() for back in range(count))


@lru_cache(1)
def known_timezones() -> frozenset[str]:
    return frozenset(available_timezones())


def checked_timezone(name: str) -> str:
    if name not in known_timezones():
        raise BadTimezone()
    ZoneInfo(name)
    return name

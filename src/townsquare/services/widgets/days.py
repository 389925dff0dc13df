"""The days of a widget, in its own time zone."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from townsquare.clock import day_of, end_of_day_ms
from townsquare.services.widgets.problems import BadTimezone

MONTH = 30


@dataclass(frozen=True)
class Calendar:
    """One day of one time zone, and the month before it, newest first."""

    timezone: str
    today: date
    days: msgspec.Raw  # the JSON of their names: it is sent with every visit
    begins_ms: int
    ends_ms: int

    def ttl_ms(self, now_ms: int) -> int:
        """The rest of the day, at least 1."""
        return max(1, self.ends_ms - now_ms)


_latest: dict[str, Calendar] = {}  # of each zone: the same page serves a whole day


def calendar(now_ms: int, timezone: str) -> Calendar:
    page = _latest.get(timezone)
    if page is None or not page.begins_ms <= now_ms <= page.ends_ms:
        today = day_of(now_ms, timezone)
        days = msgspec.Raw(msgspec.json.encode(days_before(today)))
        page = Calendar(timezone, today, days, now_ms, end_of_day_ms(now_ms, timezone))
        _latest[timezone] = page
    return page


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

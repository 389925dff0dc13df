"""The calendar of analytics: days, ISO weeks and months, in UTC."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Literal

from townsquare.services.analytics.keys import DAY_KEPT, PERIOD_KEPT

HOUR_MS = 3_600_000

Span = Literal["day", "week", "month"]


@dataclass(frozen=True)
class Hour:
    """One hour of the calendar, and the periods that it belongs to."""

    date: date
    day: str
    hour: str
    week: str
    month: str
    rankings_until: dict[str, int]  # by period, in ms
    figures_until: int  # of the day, in ms


def hour_of(ms: int) -> Hour:
    return hour_at(ms // HOUR_MS)


@lru_cache(256)
def hour_at(number: int) -> Hour:
    """An hour by its number since 1970."""
    at = datetime.fromtimestamp(number * 3_600, UTC)
    today = at.date()
    day, week, month = (period_of(span, today) for span in ("day", "week", "month"))
    return Hour(
        date=today,
        day=day,
        hour=f"{at.hour:02}",
        week=week,
        month=month,
        rankings_until={
            day: begin_ms(today + timedelta(days=1)) + DAY_KEPT * 1000,
            week: begin_ms(today + timedelta(days=8 - today.isoweekday())) + PERIOD_KEPT * 1000,
            month: begin_ms(next_month(today)) + PERIOD_KEPT * 1000,
        },
        figures_until=begin_ms(today + timedelta(days=1)) + PERIOD_KEPT * 1000,
    )


def period_of(span: str, day: date) -> str:
    if span == "day":
        return day.isoformat()
    if span == "month":
        return day.isoformat()[:7]
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


def begin_ms(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def days_between(since: date, until: date) -> list[date]:
    return [since + timedelta(days=number) for number in range((until - since).days + 1)]

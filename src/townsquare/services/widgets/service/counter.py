"""The visit counter: one count per visitor and day."""

from collections.abc import Sequence
from datetime import date
from functools import partial

import msgspec

from townsquare.clock import iso
from townsquare.kit.paging import set_members
from townsquare.problems import Invalid
from townsquare.services.widgets import models, scripts
from townsquare.services.widgets.days import MONTH, checked_timezone, days_before
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.keys import COUNTER, counter_daily, counter_days
from townsquare.services.widgets.service.daily import DailyWidgetService
from townsquare.services.widgets.service.widget import Dependencies, checked_id

LONGEST_HISTORY = 366
MOST_IMPORTED_DAYS = 7_320  # twenty years: a dozen milliseconds for the store


class CounterService(DailyWidgetService[models.CounterRecord, models.Figures, models.CounterExport]):
    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(COUNTER, models.CounterRecord, dependencies)

    async def create(
        self, url: str, token: str, *, timezone: str = "UTC", webhook: str = ""
    ) -> models.Figures:
        """Create the counter of a URL, or return the existing one to its owner."""
        record_of = partial(models.CounterRecord, timezone=checked_timezone(timezone))
        return await self._make(url, token, record_of, webhook=webhook)

    async def increment(self, id: str, visitor: Visitor) -> models.Figures:
        """Count this visitor, once a day."""
        shown = await self._run_today(
            checked_id(id),
            lambda today, now: scripts.CountVisit(
                id=id,
                visitor=visitor.hash(today.today, self._secret),
                timezone=today.timezone,
                days=today.days,
                now=iso(now),
                ttl=today.ttl_ms(now),
            ),
        )
        view = figures(id, shown, duplicate=not shown.counted)
        if shown.counted and shown.webhook:
            self._send_webhook("counted", view, shown.webhook)
        return view

    async def get(self, id: str, visitor: Visitor | None = None) -> models.Figures:
        checked_id(id)
        shown = await self._run_today(id, lambda today, _: scripts.ShowCounter(id=id, days=today.days))
        return figures(id, shown)

    async def get_many(
        self, ids: Sequence[str], visitor: Visitor | None = None
    ) -> list[models.Figures | None]:
        shown = await self._show_today(ids, lambda id, today: scripts.ShowCounter(id=id, days=today.days))
        return [figures(id, one) if one else None for id, one in shown]

    def blanks(self, ids: list[str]) -> dict[str, models.Figures]:
        return {
            id: models.Figures(id=id, url="", total=0, today=0, yesterday=0, week=0, month=0, last_visit=None)
            for id in ids
        }

    async def history(self, id: str, days: int = MONTH) -> models.History:
        """Counts of the last days, today first."""
        if not 1 <= days <= LONGEST_HISTORY:
            raise Invalid(f"A history has 1 to {LONGEST_HISTORY} days")
        shown = await self._run_today(
            checked_id(id),
            lambda today, _: scripts.ShowHistory(id=id, days=days_before(today.today, days)),
        )
        dates = days_before(self._calendar(id, self._store.clock.now_ms()).today, days)
        counts = [models.DayCount(day, count) for day, count in zip(dates, shown.counts, strict=True)]
        return models.History(id, shown.url, shown.total, counts)

    async def set(self, id: str, token: str, total: int) -> models.Figures:
        return await self._set(id, token, checked_total(total))

    async def _set(self, id: str, token: str, total: int, daily: str | None = None) -> models.Figures:
        return await self._change(
            id, token, lambda owner: scripts.SetCounter(id=id, owner=owner, total=total, daily=daily)
        )

    async def export(self, id: str, token: str) -> models.CounterExport:
        await self.verify_owner(id, token)
        record = await self._record(id)
        found = {day async for days in set_members(self._store, counter_days(id)) for day in days}
        days = sorted(date.fromisoformat(day) for day in found)
        counts = await self._store.get_many([counter_daily(id, day) for day in days])
        return models.CounterExport(
            url=record.url,
            created=record.created,
            timezone=record.timezone,
            total=record.total_count,
            daily={day: count for day, count in zip(days, counts, strict=True) if count is not None},
        )

    async def import_(self, id: str, token: str, given: models.CounterExport) -> models.Figures:
        checked_total(given.total)
        if len(given.daily) > MOST_IMPORTED_DAYS:
            raise Invalid(f"At most {MOST_IMPORTED_DAYS:,} days")
        for count in given.daily.values():
            checked_total(count)
        return await self._set(id, token, given.total, msgspec.json.encode(given.daily).decode())


def checked_total(total: int) -> int:
    if not 0 <= total <= models.HIGHEST_TOTAL:
        raise Invalid(f"A count must be between 0 and {models.HIGHEST_TOTAL:,}")
    return total


def figures(id: str, shown: scripts.ShownCounter, *, duplicate: bool = False) -> models.Figures:
    return models.Figures(
        id=id,
        url=shown.url,
        total=shown.total,
        today=shown.today,
        yesterday=shown.yesterday,
        week=shown.week,
        month=shown.month,
        last_visit=shown.last_visit,
        duplicate=duplicate,
    )

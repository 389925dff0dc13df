"""The visit counter: one count per visitor and day."""

from collections.abc import Sequence
from datetime import date

from townsquare.clock import iso
from townsquare.kit.paging import set_members
from townsquare.problems import Invalid
from townsquare.services.widgets.days import MONTH, WEEK, calendar, checked_timezone, days_before
from townsquare.services.widgets.keys import COUNTER, counter_daily, counter_days
from townsquare.services.widgets.models.counter import (
    HIGHEST_TOTAL,
    CounterExport,
    CounterRecord,
    DayCount,
    Figures,
    History,
)
from townsquare.services.widgets.problems import WidgetNotFound
from townsquare.services.widgets.scripts import (
    CountVisit,
    ImportCounter,
    SetCounter,
    ShowCounter,
    ShownCounter,
)
from townsquare.services.widgets.service.timezones import KnownTimezones
from townsquare.services.widgets.service.widget import Dependencies, WidgetService, checked_id
from townsquare.services.widgets.visitors import Visitor

LONGEST_HISTORY = 366
MOST_IMPORTED_DAYS = 7_320  # twenty years: a dozen milliseconds for the store


class CounterService(WidgetService[CounterRecord, Figures, CounterExport]):
    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(COUNTER, dependencies)
        self._timezones = KnownTimezones()

    async def create(self, url: str, token: str, *, timezone: str = "UTC") -> Figures:
        """The counter of this URL: a new one, or for its owner the one there is."""
        checked_timezone(timezone)

        def record(id: str, owner: str, created: str) -> CounterRecord:
            return CounterRecord(
                service=self.kind, id=id, url=url, created=created, owner=owner, timezone=timezone
            )

        return await self.get(await self._make(url, token, record))

    async def increment(self, id: str, visitor: Visitor) -> Figures:
        """Count this visitor, unless that was done today."""
        checked_id(id)
        now = self._store.clock.now_ms()
        for _ in range(2):  # a counter in another time zone than we believed tells us, and counts then
            today = calendar(now, self._timezones.of(id))
            shown = await self._store.run(
                CountVisit(
                    id=id,
                    visitor=visitor.hash(today.today, self._secret),
                    timezone=today.timezone,
                    days=today.days,
                    now=iso(now),
                    ttl=today.ttl_ms(now),
                )
            )
            if not self._timezones.learn(id, shown.timezone):
                break
        view = figures(id, shown, duplicate=not shown.counted)
        if shown.counted:
            self._tell("counted", view, shown.webhook)
        return view

    async def get(self, id: str, visitor: Visitor | None = None) -> Figures:
        checked_id(id)
        now = self._store.clock.now_ms()
        shown = await self._store.run(ShowCounter(id=id, days=self._days(id, now, MONTH)))
        if self._timezones.learn(id, shown.timezone):
            shown = await self._store.run(ShowCounter(id=id, days=self._days(id, now, MONTH)))
        return figures(id, shown)

    async def get_many(self, ids: Sequence[str], visitor: Visitor | None = None) -> list[Figures | None]:
        return [figures(id, one) if one else None for id, one in await self._show(ids, MONTH)]

    async def history(self, id: str, days: int = MONTH) -> History:
        """Counts of the last days, today first."""
        if not 1 <= days <= LONGEST_HISTORY:
            raise Invalid(f"A history has 1 to {LONGEST_HISTORY} days")
        ((_, shown),) = await self._show([id], days)
        if shown is None:
            raise WidgetNotFound()
        dates = self._days(id, self._store.clock.now_ms(), days)
        counts = [DayCount(day, count) for day, count in zip(dates, shown.counts, strict=True)]
        return History(id, shown.url, shown.total, counts)

    async def _show(self, ids: Sequence[str], days: int) -> list[tuple[str, ShownCounter | None]]:
        now = self._store.clock.now_ms()
        for _ in range(2):  # those in another time zone than we believed are asked again
            calls = [ShowCounter(id=checked_id(id), days=self._days(id, now, days)) for id in ids]
            answers = await self._shown_many(calls)
            shown = list(zip(ids, answers, strict=True))
            news = [id for id, one in shown if one and self._timezones.learn(id, one.timezone)]
            if not news:
                break
        return shown

    def _days(self, id: str, now: int, count: int) -> tuple[str, ...]:
        return days_before(calendar(now, self._timezones.of(id)).today, count)

    async def set(self, id: str, token: str, total: int) -> Figures:
        """Set the total (for its owner)."""
        checked_total(total)
        owner = await self._verified_owner(id, token)
        await self._store.run(SetCounter(id=id, owner=owner, total=total))
        return await self.get(id)

    async def export(self, id: str, token: str) -> CounterExport:
        await self._verified_owner(id, token)
        record = await self._record(id)
        found = {day async for days in set_members(self._store, counter_days(id)) for day in days}
        days = sorted(date.fromisoformat(day) for day in found)
        counts = await self._store.get_many([counter_daily(id, day) for day in days])
        return CounterExport(
            url=record.url,
            created=record.created,
            timezone=record.timezone,
            total=record.total_count,
            daily={day: count for day, count in zip(days, counts, strict=True) if count is not None},
        )

    async def import_(self, id: str, token: str, given: CounterExport) -> Figures:
        checked_total(given.total)
        if len(given.daily) > MOST_IMPORTED_DAYS:
            raise Invalid(f"At most {MOST_IMPORTED_DAYS:,} days")
        for count in given.daily.values():
            checked_total(count)
        owner = await self._verified_owner(id, token)
        daily = {day.isoformat(): count for day, count in given.daily.items()}
        await self._store.run(ImportCounter(id=id, owner=owner, total=given.total, daily=daily))
        return await self.get(id)


def checked_total(total: int) -> int:
    if not 0 <= total <= HIGHEST_TOTAL:
        raise Invalid(f"A count must be between 0 and {HIGHEST_TOTAL:,}")
    return total


def figures(id: str, shown: ShownCounter, *, duplicate: bool = False) -> Figures:
    counts = shown.counts
    return Figures(
        id=id,
        url=shown.url,
        total=shown.total,
        today=counts[0],
        yesterday=counts[1],
        week=sum(counts[:WEEK]),
        month=sum(counts),
        last_visit=shown.last_visit,
        duplicate=duplicate,
    )

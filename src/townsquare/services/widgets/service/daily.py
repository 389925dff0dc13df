"""Widgets whose days end in a time zone of their own."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from townsquare.services.widgets.days import Calendar, calendar
from townsquare.services.widgets.keys import WidgetKeys
from townsquare.services.widgets.service.widget import Dependencies, R, V, WidgetService, X, checked_id
from townsquare.store.scripts import Script

REMEMBERED = 10_000
USUAL = "UTC"


class InTimezone(Protocol):
    timezone: str


Z = TypeVar("Z", bound=InTimezone)


class DailyWidgetService(WidgetService[R, V, X]):
    """A script called with the wrong zone changes nothing and answers the right one: it is called again."""

    def __init__(self, keys: WidgetKeys[R], dependencies: Dependencies) -> None:
        super().__init__(keys, dependencies)
        self._timezones: dict[str, str] = {}  # as far as we met others than UTC

    async def _run_today(self, id: str, call_on: Callable[[Calendar, int], Script[Z]]) -> Z:
        now = self._store.clock.now_ms()
        for _ in range(2):
            answer = await self._store.run(call_on(self._calendar(id, now), now))
            if not self._learn(id, answer.timezone):
                break
        return answer

    async def _show_today(
        self, ids: Sequence[str], call_on: Callable[[str, Calendar], Script[Z]]
    ) -> list[tuple[str, Z | None]]:
        now = self._store.clock.now_ms()
        for _ in range(2):
            calls = [call_on(checked_id(id), self._calendar(id, now)) for id in ids]
            answers = await self._shown_many(calls)
            shown = list(zip(ids, answers, strict=True))
            if not [id for id, one in shown if one and self._learn(id, one.timezone)]:
                break
        return shown

    def _calendar(self, id: str, now: int) -> Calendar:
        return calendar(now, self._timezones.get(id, USUAL))

    def _learn(self, id: str, timezone: str) -> bool:
        """Whether it was news."""
        if self._timezones.get(id, USUAL) == timezone:
            return False
        if len(self._timezones) >= REMEMBERED:
            self._timezones.clear()
        self._timezones[id] = timezone
        return True

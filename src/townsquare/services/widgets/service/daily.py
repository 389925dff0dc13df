"""Widgets that count: their days end in a time zone of their own, their totals can be added up."""

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from townsquare.problems import Invalid
from townsquare.services.widgets.days import Calendar, calendar
from townsquare.services.widgets.ids import checked_url
from townsquare.services.widgets.keys import CountedKeys
from townsquare.services.widgets.scripts import CreatedWidget
from townsquare.services.widgets.service.widget import (
    MOST_AT_ONCE,
    Dependencies,
    R,
    V,
    WidgetService,
    X,
    checked_id,
)
from townsquare.store.scripts import Script

REMEMBERED = 10_000
MOST_CREATED = 100  # at once
PREFIX = re.compile(r"[A-Za-z0-9_-]{1,64}")  # of ids; all of them sort before ~
USUAL = "UTC"


class InTimezone(Protocol):
    timezone: str


Z = TypeVar("Z", bound=InTimezone)


class DailyWidgetService(WidgetService[R, V, X]):
    """A script with the wrong time zone changes nothing and returns the right one; then it runs again."""

    def __init__(self, keys: CountedKeys[R], record: Callable[..., R], dependencies: Dependencies) -> None:
        super().__init__(keys, dependencies)
        self._counted_keys = keys
        self._usual_record = record
        self._timezones: dict[str, str] = {}  # as far as we met others than UTC

    @abstractmethod
    async def set(self, id: str, token: str, total: int) -> V:
        """Set the total (for the owner)."""

    async def create_many(self, urls: Sequence[str], token: str) -> list[CreatedWidget]:
        """The widgets of many URLs, new ones with one owner; those that exist are left as they are."""
        if not 1 <= len(urls) <= MOST_CREATED:
            raise Invalid(f"1 to {MOST_CREATED} widgets at once")
        for url in urls:
            checked_url(url)
        owner = await self._owner_tokens.hash(token)
        return [await self._claim_url(url, owner, self._usual_record) for url in urls]

    async def sum_by_prefix(self, prefix: str) -> int:
        """The sum of the totals of all widgets whose id starts with the prefix."""
        if not PREFIX.fullmatch(prefix):
            raise Invalid("A prefix has 1 to 64 letters, digits, - or _")
        found = await self._store.call(
            "ZRANGEBYLEX", self._counted_keys.ids(), f"[{prefix}", f"({prefix}~", "LIMIT", 0, MOST_AT_ONCE + 1
        )
        if len(found) > MOST_AT_ONCE:
            raise Invalid(f"More than {MOST_AT_ONCE:,} widgets have this prefix: use a longer one")
        totals = await self._store.get_many([self._counted_keys.total(id.decode()) for id in found])
        return sum(total or 0 for total in totals)

    async def _run_today(self, id: str, call_on: Callable[[Calendar, int], Script[Z]]) -> Z:
        now = self._store.clock.now_ms()
        today = self._calendar(id, now)
        answer = await self._store.run(call_on(today, now))
        if answer.timezone == today.timezone:
            return answer
        self._learn(id, answer.timezone)
        today = self._calendar(id, now)
        return await self._store.run(call_on(today, now))

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
        """Cache the time zone of a widget. Returns whether it has changed."""
        if self._timezones.get(id, USUAL) == timezone:
            return False
        if len(self._timezones) >= REMEMBERED:
            self._timezones.clear()
        self._timezones[id] = timezone
        return True

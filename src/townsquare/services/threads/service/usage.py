"""Usage of sites per month, counted in this process and saved every few seconds; and views of pages."""

import asyncio
import hashlib
from collections import Counter, defaultdict
from datetime import timedelta
from functools import lru_cache
from typing import Annotated, Literal

from msgspec import Meta

from townsquare.clock import day_of, moment
from townsquare.kit.addresses import customer_of
from townsquare.problems import Unavailable
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import MonthUsage, PageviewCounted, Pageviews
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.scripts import AddUsage, CountView
from townsquare.services.threads.service.sites import checked_site
from townsquare.store.store import Store

FLUSH_SECONDS = 5.0
DAY_MS = 86_400_000
MONTHS_KEPT = 4  # that 90 days can touch

Metered = Literal["comments", "pageviews", "api_requests", "websocket_connections"]


class Usage:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._visitors: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def add(self, site_id: str, what: Metered) -> None:
        self._counts[checked_site(site_id), self._month()][what] += 1

    def add_visitor(self, site_id: str, visitor: str) -> None:
        self._visitors[checked_site(site_id), self._month()].add(visitor)

    async def flush(self) -> None:
        """Save the counts since the last flush, in one round trip to each node."""
        counts, visitors = self._counts, self._visitors
        self._counts, self._visitors = defaultdict(Counter), defaultdict(set)
        places = counts.keys() | visitors.keys()
        if not places:
            return
        ordered = sorted(places)
        outcomes = await asyncio.gather(
            *(
                self._store.run(
                    AddUsage(
                        site_id=site_id,
                        month=month,
                        counts=dict(counts[site_id, month]),
                        visitors=sorted(visitors[site_id, month]),
                    )
                )
                for site_id, month in ordered
            ),
            return_exceptions=True,
        )
        for place, outcome in zip(ordered, outcomes, strict=True):
            if isinstance(outcome, Unavailable):  # the write did not happen
                self._counts[place].update(counts[place])
                self._visitors[place] |= visitors[place]
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def read(self, site_id: str) -> list[MonthUsage]:
        """The stored months, newest first."""
        checked_site(site_id)
        await self.flush()
        months = last_months(self._month(), MONTHS_KEPT)
        found = await self._store.pipeline(
            [
                command
                for month in months
                for command in (
                    ("HGETALL", keys.site_usage(site_id, month)),  # bounded: four figures
                    ("PFCOUNT", keys.site_visitors(site_id, month)),
                )
            ]
        )
        return [
            MonthUsage(
                month=month, visitors=visitors, **{name.decode(): int(n) for name, n in counts.items()}
            )
            for month, counts, visitors in zip(months, found[::2], found[1::2], strict=True)
            if counts or visitors
        ]

    def _month(self) -> str:
        return month_of(self._store.clock.now_ms())


def month_of(ms: int) -> str:
    return month_of_day(ms // DAY_MS)


@lru_cache(2)
def month_of_day(day: int) -> str:
    """The month of a day since 1970, cached because every request needs it."""
    return f"{moment(day * DAY_MS):%Y-%m}"


def last_months(month: str, count: int) -> list[str]:
    """A month and its predecessors."""
    year, number = map(int, month.split("-"))
    ordinals = range(year * 12 + number - 1, year * 12 + number - 1 - count, -1)
    return [f"{ordinal // 12:04}-{ordinal % 12 + 1:02}" for ordinal in ordinals]


Days = Annotated[int, Meta(ge=1, le=90)]


class PageviewCounts:
    def __init__(self, store: Store, usage: Usage, secret: str) -> None:
        self._store = store
        self._usage = usage
        self._secret = secret

    async def count(
        self, site: SiteConfig, page: PageAddress, *, ip: str, user_agent: str = ""
    ) -> PageviewCounted:
        """Count a view of a page. The visitor's identity is not stored."""
        now = self._store.clock.now_ms()
        visitor = self._visitor(site.site_id, ip, user_agent, month_of(now))
        done = await self._store.run(CountView(page_id=page.id, visitor=visitor, day=day_of(now).isoformat()))
        if done.counted:
            self._usage.add(site.site_id, "pageviews")
            self._usage.add_visitor(site.site_id, visitor)
        return PageviewCounted(
            counted=done.counted, total=done.total if site.settings.display.pageviews else None
        )

    async def read(self, page: PageAddress, days: Days = 30) -> Pageviews:
        """The total, and the views of each recent day."""
        today = day_of(self._store.clock.now_ms())
        asked = [today - timedelta(days=ago) for ago in range(days)]
        total, *counts = await self._store.pipeline(
            [
                ("GET", keys.page_views(page.id)),
                *(("GET", keys.page_views_daily(page.id, day)) for day in asked),
            ]
        )
        per_day = zip(asked, counts, strict=True)
        return Pageviews(
            page_id=page.id,
            total=int(total or 0),
            days={day.isoformat(): int(count) for day, count in per_day if count},
        )

    def _visitor(self, site_id: str, ip: str, user_agent: str, month: str) -> str:
        """A hash of the visitor: of browser, address, site and month."""
        source = "\n".join((customer_of(ip), user_agent, site_id, month, self._secret))
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]

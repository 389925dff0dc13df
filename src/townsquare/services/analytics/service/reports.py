"""Reports. Each reads counts that were updated as events arrived: O(log n + page)."""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from townsquare.clock import day_of
from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down
from townsquare.services.analytics import models
from townsquare.services.analytics.keys import active, hours, product, top, top_in, views
from townsquare.services.analytics.periods import Span, days_between, period_of
from townsquare.services.analytics.problems import BadRange
from townsquare.services.analytics.service.recording import product_name
from townsquare.store.commands import Command
from townsquare.store.store import Store

LONGEST_RANGE = 92  # days: a quarter
PAGE = 20

Ranking = Literal["viewed", "rated", "wishlisted"]


class Reports:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def top(
        self, ranking: Ranking, *, limit: PageSize = PAGE, cursor: str | None = None
    ) -> Page[models.RankedProduct]:
        """Products by views of all time, by weighted rating, or by wishlists."""
        return await self._top_products(top(ranking), limit, cursor)

    async def top_viewed_in(
        self, span: Span, day: date | None = None, *, limit: PageSize = PAGE, cursor: str | None = None
    ) -> Page[models.RankedProduct]:
        """Products by views in the day, week or month that a day falls in; today if none is given."""
        return await self._top_products(self._top_in("viewed", span, day), limit, cursor)

    async def top_terms(
        self,
        span: Span = "day",
        day: date | None = None,
        *,
        limit: PageSize = PAGE,
        cursor: str | None = None,
    ) -> Page[models.RankedTerm]:
        """The most frequent search terms of a day, week or month."""
        found, next = await self._page(self._top_in("terms", span, day), limit, cursor)
        return Page([models.RankedTerm(one.member, int(one.score)) for one in found], next)

    def _top_in(self, ranking: str, span: Span, day: date | None) -> AnyKey:
        return top_in(ranking, period_of(span, day or self.today()))

    async def _top_products(self, key: AnyKey, limit: int, cursor: str | None) -> Page[models.RankedProduct]:
        found, next = await self._page(key, limit, cursor)
        figures = await self.products([one.member for one in found])
        items = [models.RankedProduct(one.score, its) for one, its in zip(found, figures, strict=True)]
        return Page(items, next)

    async def _page(self, key: AnyKey, limit: int, cursor: str | None) -> tuple[Sequence[Cursor], str | None]:
        return cut(await page_down(self._store, key, Cursor.decode(cursor), limit + 1), limit)

    async def product(self, name: str) -> models.ProductFigures:
        (figures,) = await self.products([product_name(name)])
        return figures

    async def products(self, names: Sequence[str]) -> list[models.ProductFigures]:
        """Figures of many products in one round trip; zeros for unknown products."""
        commands: list[Command] = [("GET", views(name)) for name in names]
        commands += [("HMGET", product(name), "ratings", "rating_sum", "wishlists") for name in names]
        replies = await self._store.pipeline(commands)
        return [
            figures_of(name, int(count or 0), *(int(one or 0) for one in record))
            for name, count, record in zip(names, replies[: len(names)], replies[len(names) :], strict=True)
        ]

    async def activity(self, since: date, until: date) -> models.Activity:
        """Events by kind, day and hour, and how many users were active, in a range of at most 92 days."""
        if not 0 <= (until - since).days < LONGEST_RANGE:
            raise BadRange(f"A range has 1 to {LONGEST_RANGE} days")
        days = days_between(since, until)
        actives = [active(day) for day in days]
        together = [self._store.name(key) for key in actives[1:]]
        replies = await self._store.pipeline(
            [
                ("PFCOUNT", actives[0], *together),
                *(("PFCOUNT", key) for key in actives),
                *(("HGETALL", hours(day)) for day in days),  # bounded: kinds times 24 hours
            ]
        )
        counts, tables = replies[1 : len(days) + 1], replies[len(days) + 1 :]
        by_hour = {kind: [0] * 24 for kind in models.KINDS}
        shown = []
        for day, count, table in zip(days, counts, tables, strict=True):
            events = dict.fromkeys(models.KINDS, 0)
            for field, number in table.items():
                kind, _, hour = field.decode().partition(":")
                events[kind] += int(number)
                by_hour[kind][int(hour)] += int(number)
            shown.append(models.DayActivity(day, count, events))
        totals = {kind: sum(by_hour[kind]) for kind in models.KINDS}
        return models.Activity(since, until, replies[0], totals, by_hour, shown)

    def today(self) -> date:
        return day_of(self._store.clock.now_ms())


def figures_of(name: str, views: int, ratings: int, stars: int, wishlists: int) -> models.ProductFigures:
    average = round(stars / ratings, 2) if ratings else None
    return models.ProductFigures(name, views, ratings, average, wishlists)

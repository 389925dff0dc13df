"""Events made up from a seed, and the same events counted again in plain Python."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from townsquare.services.analytics.models import (
    Event,
    Interaction,
    Rating,
    Search,
    Session,
    View,
    Wishlist,
)
from townsquare.services.analytics.service import Analytics
from townsquare.services.analytics.service.reports import Reports

KINDS = random.Random(0).choices(
    ("view", "search", "interaction", "session", "rating", "wishlist"), (60, 20, 9, 5, 3, 3), k=1_000
)
DAY_MS = 86_400_000


@dataclass(frozen=True)
class Batch:
    user_id: str
    events: list[Event]


@dataclass
class Crowd:
    """People who do things, over the day that ends at `now`."""

    seed: int
    now: int
    people: int = 500
    products: int = 300
    terms: int = 400
    shortest_batch: int = 1
    longest_batch: int = 100

    def batches(self, events: int) -> Iterator[Batch]:
        chance = random.Random(self.seed)
        left = events
        while left:
            size = min(left, chance.randint(self.shortest_batch, self.longest_batch))
            left -= size
            user_id = f"usr_{skewed(chance, self.people)}"
            times = sorted(self.now - chance.randrange(DAY_MS) for _ in range(size))
            yield Batch(user_id, [self.event(chance, at) for at in times])

    def event(self, chance: random.Random, at: int) -> Event:
        product = f"Product {skewed(chance, self.products)}"
        match chance.choice(KINDS):
            case "view":
                return View(at=at, product=product)
            case "search":
                return Search(at=at, term=f"term {skewed(chance, self.terms)}", results=chance.randrange(9))
            case "rating":
                return Rating(at=at, product=product, stars=chance.randint(1, 5))
            case "wishlist":
                return Wishlist(at=at, product=product, action=chance.choice(("add", "add", "remove")))
            case "session":
                return Session(at=at, action=chance.choice(("start", "end")))
            case _:
                return Interaction(at=at, name="scroll", properties={"depth": chance.random()})


async def send(analytics: Analytics, batches: list[Batch], tasks: int) -> int:
    """So many at once; the batches of one person in their order, as one device sends them."""
    by_person: dict[str, list[Batch]] = {}
    for batch in batches:
        by_person.setdefault(batch.user_id, []).append(batch)
    people = iter(by_person.values())

    async def work() -> int:
        recorded = 0
        for person in people:
            for batch in person:
                recorded += (await analytics.record(batch.events, user_id=batch.user_id)).recorded
        return recorded

    return sum(await asyncio.gather(*(work() for _ in range(tasks))))


def skewed(chance: random.Random, count: int) -> int:
    """Few are popular, most are not."""
    return int(count * chance.random() ** 2)


def hour_of(at: int) -> tuple[date, int]:
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.date(), moment.hour


@dataclass
class Recount:
    total: int = 0
    views: Counter[str] = field(default_factory=Counter)
    viewed_in: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    terms_in: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    hours: Counter[tuple[date, str, int]] = field(default_factory=Counter)
    stars: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    wishes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    active: dict[date, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, batch: Batch) -> None:
        for event in batch.events:
            assert event.at is not None
            day, hour = hour_of(event.at)
            self.total += 1
            self.hours[day, str(event.__struct_config__.tag), hour] += 1
            self.active[day].add(batch.user_id)
            year, week, _ = day.isocalendar()
            periods = (f"{day}", f"{year}-W{week:02}", f"{day:%Y-%m}")
            match event:
                case View():
                    self.views[event.product] += 1
                    for period in periods:
                        self.viewed_in[period][event.product] += 1
                case Search():
                    for period in periods:
                        self.terms_in[period][event.term] += 1
                case Rating():
                    self.stars[event.product][batch.user_id] = event.stars
                case Wishlist(action="add"):
                    self.wishes[event.product].add(batch.user_id)
                case Wishlist():
                    self.wishes[event.product].discard(batch.user_id)
                case _:
                    pass

    async def assert_same(self, reports: Reports) -> None:
        """Every report says what this recount says."""
        await self._assert_rankings(reports)
        days = sorted(self.active)
        activity = await reports.activity(days[0], days[-1])
        assert sum(activity.events.values()) == self.total
        hours: Counter[tuple[str, int]] = Counter()
        for (_, kind, hour), count in self.hours.items():
            hours[kind, hour] += count
        assert hours == Counter(
            {(kind, hour): n for kind, table in activity.hours.items() for hour, n in enumerate(table) if n}
        )
        for shown in activity.days:
            counted = sum(n for (day, _, _), n in self.hours.items() if day == shown.date)
            assert sum(shown.events.values()) == counted
            assert_estimates(shown.active_users, len(self.active[shown.date]))
        assert_estimates(activity.active_users, len(set().union(*self.active.values())))

    async def _assert_rankings(self, reports: Reports) -> None:
        assert await whole(reports, "viewed") == ordered(self.views)
        rated = {name: (sum(all.values()) + 15) / (len(all) + 5) for name, all in self.stars.items() if all}
        assert await whole(reports, "rated") == ordered(rated)
        wished = {name: len(all) for name, all in self.wishes.items() if all}
        assert await whole(reports, "wishlisted") == ordered(wished)
        for day in self.active:
            for span, period in (("day", f"{day}"), ("week", f"{day:%G-W%V}"), ("month", f"{day:%Y-%m}")):
                viewed = await whole(reports, "viewed", span, day)
                assert viewed == ordered(self.viewed_in[period])
                assert await whole(reports, "terms", span, day) == ordered(self.terms_in[period])


async def whole(
    reports: Reports, ranking: str, span: str = "", day: date | None = None
) -> list[tuple[str, float]]:
    """All pages of a ranking."""
    found: list[tuple[str, float]] = []
    cursor = None
    while True:
        if ranking == "terms":
            terms = await reports.top_terms(span, day, limit=100, cursor=cursor)  # type: ignore[arg-type]
            found += [(one.term, one.searches) for one in terms.items]
            cursor = terms.next
        else:
            page = await (
                reports.top_viewed_in(span, day, limit=100, cursor=cursor)  # type: ignore[arg-type]
                if span
                else reports.top(ranking, limit=100, cursor=cursor)  # type: ignore[arg-type]
            )
            found += [(one.figures.product, one.score) for one in page.items]
            cursor = page.next
        if cursor is None:
            return found


def ordered(counts: dict[str, int] | dict[str, float] | Counter[str]) -> list[tuple[str, float]]:
    """Highest first; of equals the later name first, as Redis has them."""
    return sorted(counts.items(), key=lambda one: (one[1], one[0].encode()), reverse=True)


def assert_estimates(estimate: int, truth: int) -> None:
    """A HyperLogLog has a standard error of 0.81 %: four of them, and a little for small numbers."""
    assert abs(estimate - truth) <= max(2, 0.0325 * truth), (estimate, truth)

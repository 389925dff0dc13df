from datetime import date

from townsquare.keyspace import END_OF_DAY, Groups, Indexes, Mirrors, Orders, Owns, Url
from townsquare.services.widgets.keys.common import (
    SEED,
    VisitorHash,
    WidgetId,
    WidgetKeys,
    home_of_id,
    home_of_url,
    time_of_creation,
    widgets,
)
from townsquare.services.widgets.models.counter import CounterRecord


@widgets.string("url:counter:{url}", home=home_of_url, seed=SEED)
def counter_url(url: Url) -> None:
    """The id of the counter of a URL; deleted with the counter."""


@widgets.json(CounterRecord, "counter:{id}", home=home_of_id, seed=SEED)
def counter(id: WidgetId) -> None:
    """A visit counter: what it is and when it was last visited."""


@widgets.counter("counter:{id}:total", home=home_of_id, seed=SEED)
def counter_total(id: WidgetId) -> None:
    """Visits counted in all; the owner may set it."""


@widgets.counter("counter:{id}:daily:{day}", home=home_of_id, seed=SEED)
def counter_daily(id: WidgetId, day: date) -> None:
    """Visits counted on one day of the counter's time zone."""


@widgets.string("counter:{id}:owner", home=home_of_id, seed=SEED)
def counter_owner(id: WidgetId) -> None:
    """Salted slow hash of the owner's token."""


@widgets.string("counter:{id}:visit:{visitor}", home=home_of_id, lifetime=END_OF_DAY, seed=SEED)
def counter_visit(id: WidgetId, visitor: VisitorHash) -> None:
    """When this visitor was counted today (ISO 8601): the same visitor counts once a day."""


@widgets.set("counter:{id}:visitors", home=home_of_id, lifetime=END_OF_DAY)
def counter_visitors(id: WidgetId) -> None:
    """Today's visitors, so that a deletion finds their visit keys."""


@widgets.set("counter:{id}:days", home=home_of_id)
def counter_days(id: WidgetId) -> None:
    """Days that have a daily count, so that a deletion finds them."""


@widgets.sorted_set("counters:index", home="counters:index", seed=SEED)
def counters_index() -> None:
    """Ids of all counters by creation in ms."""


COUNTER = WidgetKeys(
    "counter",
    counter_url,
    counter,
    counter_owner,
    counters_index,
    (counter_total, counter_daily, counter_visit, counter_visitors, counter_days),
)

widgets.relate(
    Owns(counter, (counter_owner, *COUNTER.data)),
    Indexes(counter_url, counter, owner="id", params={"url": "url"}),
    Orders(counters_index, counter, member="id", score=time_of_creation),
    Mirrors(counter, "totalCount", counter_total),
    Mirrors(counter, "owner", counter_owner),
    Groups(counter_days, counter_daily, member="day"),
    Groups(counter_visitors, counter_visit, member="visitor"),
)

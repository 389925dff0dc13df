"""Keys of analytics, by home.

The home of an actor detects duplicates and has the data of the actor. A shelf is a sixteenth of all products:
enough homes to spread them over the nodes of a cluster, few enough that a batch of a hundred events reaches
each once. A period (day, week, month) has its own rankings, so that reports do not aggregate.
"""

import zlib
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Annotated

from townsquare.keyspace import (
    DAY,
    Counts,
    Field,
    Groups,
    Keyspace,
    Matching,
    Orders,
    Owns,
    Pairs,
    Record,
    Refers,
    Sums,
    Visibility,
    bucket_of,
    by_script,
    fixed,
    sliding,
)
from townsquare.keyspace.lifetimes import Lifetime
from townsquare.store.keys import lives_in

analytics = Keyspace("analytics", "Views, searches, ratings, wishlists, interactions and sessions.")

SEED = "004"
SHELVES = 16
BATCH_LENGTH = 100  # events at once
HISTORY_LENGTH = 100  # views stored per user and product

SEEN_SECONDS = DAY  # how long an event id is remembered, and how old an event may be
EVENT_SECONDS = 30 * DAY
HISTORY_SECONDS = 365 * DAY  # since the last view
SOURCES_SECONDS = 7 * DAY  # no hand-over between homes is so late
DAY_KEPT = 90 * DAY  # after its end; a day has a long tail of terms
PERIOD_KEPT = 400 * DAY  # after its end: a month can be compared with the same one last year
LONGEST_PERIOD = 32 * DAY

RATING_PRIOR, STARS_PRIOR = 5, 15  # five ratings of three stars: a single five does not lead the ranking

ACTOR = Matching(r"(visitor\.)?[A-Za-z0-9_-]{1,64}")
PERIOD = Matching(r"\d{4}-\d{2}-\d{2}|\d{4}-W\d{2}|\d{4}-\d{2}")
Actor = Annotated[str, ACTOR]
Ranking = Annotated[str, Matching("viewed|rated|wishlisted")]
PeriodRanking = Annotated[str, Matching("viewed|terms")]
Period = Annotated[str, PERIOD]
Bucket = Annotated[str, Matching(r"[0-3][0-9a-f]{2}")]

AFTER_PERIOD = Lifetime(PERIOD_KEPT + LONGEST_PERIOD, "400 days after a week or month ends, 90 after a day")
AFTER_DAY = Lifetime(PERIOD_KEPT + 2 * DAY, "400 days after the day ends")


def shelf_of(product: str) -> int:
    return zlib.crc32(product.encode()) % SHELVES


def home_of_shelf(shelf: int) -> str:
    return bucket_of(f"shelf:{shelf}")


def home_of_product(product: str) -> str:
    return home_of_shelf(shelf_of(product))


# An actor: a user id, or `visitor.` and the id that an anonymous device chose.


@analytics.sorted_set(
    "views:user:{user_id}:{product}", home="actor:{user_id}", lifetime=sliding(HISTORY_SECONDS), seed=SEED
)
def views_user(user_id: Actor, product: str) -> None:
    """A user's last 100 views of a product: event ids by time in ms. Two in one millisecond are two."""


@analytics.set("viewed:user:{user_id}", home="actor:{user_id}", lifetime=sliding(HISTORY_SECONDS))
def viewed_user(user_id: Actor) -> None:
    """Products that the user has a view history of, so that export and deletion find them."""


@analytics.sorted_set("journey:user:{user_id}", home="actor:{user_id}", lifetime=sliding(EVENT_SECONDS))
def journey(user_id: Actor) -> None:
    """Events of the user in the last 30 days: [id, kind, what, value] as JSON, by time in ms."""


@analytics.sorted_set("seen:user:{user_id}", home="actor:{user_id}", lifetime=sliding(SEEN_SECONDS))
def seen(user_id: Actor) -> None:
    """Event ids that the client gave in the last 24 hours, by arrival in ms: a retry counts once."""


@analytics.sorted_set("rated:user:{user_id}", home="actor:{user_id}")
def rated_user(user_id: Actor) -> None:
    """Products that the user rated, by stars; the last rating counts."""


@analytics.set("wishlist:user:{user_id}", home="actor:{user_id}")
def wishlist_user(user_id: Actor) -> None:
    """Products on the user's wishlist."""


@analytics.string("forgetting:user:{user_id}", home="actor:{user_id}")
def forgetting(user_id: Actor) -> None:
    """The job that deletes the data of this user. Until it is done, new events are refused."""


@analytics.counter("sequence:{bucket}", home=lives_in)
def sequence(bucket: Bucket) -> None:
    """Number of the last tally that a home of this bucket handed over; a crash does not set it back."""


# Events as they came, spread by their time. A Hash by event id: on a cluster an event is written here by an
# effect that may be applied twice, which a List or a Stream would show as two events.
raw_events = partial(
    analytics.hash,
    custom=Visibility.PRIVATE,
    home="events:{timestamp}",
    lifetime=fixed(EVENT_SECONDS),
    seed=SEED,
)


@raw_events("events:search:{date}:{timestamp}")
def events_search(date: date, timestamp: int) -> None:
    """Searches of one millisecond: event id → the event as JSON."""


@raw_events("events:interaction:{date}:{timestamp}")
def events_interaction(date: date, timestamp: int) -> None:
    """Interactions of one millisecond: event id → the event as JSON."""


@raw_events("events:session:{date}:{timestamp}")
def events_session(date: date, timestamp: int) -> None:
    """Session starts and ends of one millisecond: event id → the event as JSON."""


# Products.


@analytics.counter("views:{product}", home=home_of_product, seed=SEED)
def views(product: str) -> None:
    """All views of a product. Primary: no other key has this number, periods expire."""


@analytics.hash(
    "product:{product}",
    Field("ratings", description="users who rated it", required=True),
    Field("rating_sum", description="their stars together", required=True),
    Field("wishlists", description="users who have it on their wishlist", required=True),
    home=home_of_product,
)
def product(product: str) -> None:
    """Ratings and wishlists of a product, while it has any."""


@analytics.sorted_set("rated:product:{product}", home=home_of_product)
def rated_by(product: str) -> None:
    """Users who rated the product, by stars."""


@analytics.set("wishlist:product:{product}", home=home_of_product)
def wishlisted_by(product: str) -> None:
    """Users who have the product on their wishlist."""


@analytics.hash(
    "sources:shelf:{shelf}",
    custom=Visibility.SYSTEM,
    home=home_of_shelf,
    lifetime=sliding(SOURCES_SECONDS),
)
def shelf_sources(shelf: int) -> None:
    """Last tally that was counted on this shelf, by the bucket it came from: none is counted twice."""


@analytics.sorted_set("top:{ranking}", home="top:{ranking}")
def top(ranking: Ranking) -> None:
    """Products by views, by weighted rating or by wishlists."""


# Periods: 2026-03-14, 2026-W11, 2026-03. All in UTC.


@analytics.sorted_set("top:{ranking}:{period}", home="period:{period}", lifetime=AFTER_PERIOD)
def top_in(ranking: PeriodRanking, period: Period) -> None:
    """Products by views, or search terms by searches, in one period."""


@analytics.hash("hours:{date}", custom=Visibility.PRIVATE, home="period:{date}", lifetime=AFTER_DAY)
def hours(date: date) -> None:
    """Events of a day by kind and hour: `view:15` → count; at most 144 fields."""


@analytics.hash(
    "sources:period:{period}",
    custom=Visibility.SYSTEM,
    home="period:{period}",
    lifetime=sliding(SOURCES_SECONDS),
)
def period_sources(period: Period) -> None:
    """Last tally that was counted in this period, by the bucket it came from: none is counted twice."""


@analytics.hyperloglog("active:{date}", home="active", lifetime=AFTER_DAY)
def active(date: date) -> None:
    """How many actors were active on a day, estimated. All days share a home, so that they can be united."""


def ranked(ranking: str) -> dict[str, Callable[[Record], str]]:
    return {"ranking": lambda record: ranking}


def times_viewed(record: Record) -> int:
    return int(record[""])


def weighted_rating(record: Record) -> float:
    return (int(record["rating_sum"]) + STARS_PRIOR) / (int(record["ratings"]) + RATING_PRIOR)


def has_ratings(record: Record) -> bool:
    return int(record["ratings"]) > 0


def has_wishlists(record: Record) -> bool:
    return int(record["wishlists"]) > 0


analytics.relate(
    Orders(top, views, member="product", score=times_viewed, params=ranked("viewed")),
    Orders(top, product, member="product", score=weighted_rating, params=ranked("rated"), where=has_ratings),
    Orders(
        top, product, member="product", score="wishlists", params=ranked("wishlisted"), where=has_wishlists
    ),
    Refers(top_in, views, only={"ranking": "viewed"}),
    Sums(product, "rating_sum", rated_by),
    Counts(product, "ratings", rated_by),
    Counts(product, "wishlists", wishlisted_by),
    Pairs(rated_user, rated_by, remove_right=by_script("drop_rating")),
    Pairs(wishlist_user, wishlisted_by, remove_right=by_script("drop_wish")),
    Owns(
        forgetting,
        (views_user, viewed_user, journey, seen, rated_user, wishlist_user),
        without_owner=True,
    ),
    Owns(product, (rated_by, wishlisted_by)),
    Groups(viewed_user, views_user, member="product"),
)

"""Keys of the widgets: those of every kind, then those of each kind."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Generic, TypeVar

from townsquare.clock import from_iso
from townsquare.keyspace import (
    END_OF_DAY,
    AnyDeclared,
    Counts,
    Declared,
    Describes,
    Groups,
    Indexes,
    Keyspace,
    Matching,
    Mirrors,
    Orders,
    Owns,
    Record,
    Url,
    Visibility,
    bucket_of,
    fixed,
)
from townsquare.services.widgets.models import (
    BoardRecord,
    CounterRecord,
    LikeRecord,
    RankingMeta,
    RankingRecord,
    WidgetRecord,
)

widgets = Keyspace("widgets", "Old-web widgets: counter, like, ranking, bulletin board.")

SEED = "001"
HOME_DIGITS = 8  # of the URL's digest; every public id ends in at least these
SUBMIT_COOLDOWN = 60  # seconds between two accepted submits of one visitor
POST_COOLDOWN = 10  # seconds between two messages of one visitor
WEEK = 7  # days that a counter sums up as such

WIDGET_ID = Matching(r"[a-z0-9-]{1,63}-[0-9a-f]{8,64}")
WidgetId = Annotated[str, WIDGET_ID]
VisitorHash = Annotated[str, Matching(r"[0-9a-f]{16}")]

R = TypeVar("R", bound=WidgetRecord)
F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True)
class WidgetKeys(Generic[R]):
    """The keys that every kind of widget has."""

    kind: str
    url: Declared[..., str]
    record: Declared[..., R]
    owner: Declared[..., str]
    index: Declared[[], Any]


@dataclass(frozen=True)
class CountedKeys(WidgetKeys[R]):
    """The keys of a kind that has a total."""

    total: Declared[..., int]
    ids: Declared[[], Any]


def digest_of(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()


def home_of_id(id: str) -> str:
    """A widget and its URL share a bucket, because the id ends in the first digits of the URL's digest."""
    return bucket_of(f"widget:{id.rpartition('-')[2][:HOME_DIGITS]}")


def home_of_url(url: str) -> str:
    return bucket_of(f"widget:{digest_of(url)[:HOME_DIGITS]}")


def time_of_creation(record: Record) -> int:
    return from_iso(record["created"])


def nothing(record: Record) -> int:
    """The score of members that are in the order of their names."""
    return 0


def end_of_wait(seconds: int) -> Callable[[Record], int]:
    """By the time of the last accepted one, which the key of a visitor holds."""
    return lambda record: from_iso(record[""]) + seconds * 1000


def declared_as(name: str, says: str) -> Callable[[F], F]:
    """The name and the docstring of a key that every kind of widget has."""

    def rename(signature: F) -> F:
        signature.__name__, signature.__doc__ = name, says
        return signature

    return rename


def widget(record: Declared[..., R], what: str, data: tuple[AnyDeclared, ...]) -> WidgetKeys[R]:
    """The keys and relations that every kind of widget has; `data` is all else under its id."""
    kind = record.name

    @widgets.string(f"url:{kind}:{{url}}", home=home_of_url, seed=SEED)
    @declared_as(f"{kind}_url", f"The id of the {what} of a URL; deleted with it.")
    def url(url: Url) -> None: ...

    @widgets.string(f"{kind}:{{id}}:owner", home=home_of_id, seed=SEED)
    @declared_as(f"{kind}_owner", "Salted slow hash of the owner's token.")
    def owner(id: WidgetId) -> None: ...

    @widgets.sorted_set(f"{kind}s:index", home=f"{kind}s:index", seed=SEED)
    @declared_as(f"{kind}s_index", f"Ids of all {what}s by creation in ms.")
    def index() -> None: ...

    widgets.relate(
        Owns(record, (owner, *data)),
        Indexes(url, record, owner="id", params={"url": "url"}),
        Orders(index, record, member="id", score=time_of_creation),
        Mirrors(record, "owner", owner),
    )
    return WidgetKeys(kind, url, record, owner, index)


def counted(keys: WidgetKeys[R], total: Declared[..., int]) -> CountedKeys[R]:
    """The keys of a kind that has a total."""

    @widgets.sorted_set(f"{keys.kind}s:ids", home=f"{keys.kind}s:ids")
    @declared_as(f"{keys.kind}s_ids", "Ids in the order of their letters, to add up those that begin alike.")
    def ids() -> None: ...

    widgets.relate(Orders(ids, keys.record, member="id", score=nothing))
    return CountedKeys(keys.kind, keys.url, keys.record, keys.owner, keys.index, total, ids)


@widgets.json(CounterRecord, "counter:{id}", home=home_of_id, seed=SEED)
def counter(id: WidgetId) -> None:
    """A visit counter: settings and time of the last visit."""


@widgets.counter("counter:{id}:total", home=home_of_id, seed=SEED)
def counter_total(id: WidgetId) -> None:
    """All counted visits. Primary, not the sum of the days: the owner can set it."""


@widgets.counter("counter:{id}:daily:{day}", home=home_of_id, seed=SEED)
def counter_daily(id: WidgetId, day: date) -> None:
    """Visits counted on one day of the counter's time zone."""


@widgets.string("counter:{id}:visit:{visitor}", home=home_of_id, lifetime=END_OF_DAY, seed=SEED)
def counter_visit(id: WidgetId, visitor: VisitorHash) -> None:
    """When this visitor was counted today (ISO 8601): the same visitor counts once a day."""


@widgets.set("counter:{id}:visitors", home=home_of_id, lifetime=END_OF_DAY)
def counter_visitors(id: WidgetId) -> None:
    """Today's visitors, so that a deletion finds their visit keys."""


@widgets.set("counter:{id}:days", home=home_of_id)
def counter_days(id: WidgetId) -> None:
    """Days that have a daily count, so that a deletion finds them."""


COUNTER = counted(
    widget(counter, "counter", (counter_total, counter_daily, counter_visit, counter_visitors, counter_days)),
    counter_total,
)
widgets.relate(
    Mirrors(counter, "totalCount", counter_total),
    Groups(counter_days, counter_daily, member="day"),
    Groups(counter_visitors, counter_visit, member="visitor"),
)


@widgets.json(LikeRecord, "like:{id}", home=home_of_id, seed=SEED)
def like(id: WidgetId) -> None:
    """A like button: settings and time of the last like."""


@widgets.counter("like:{id}:total", home=home_of_id, seed=SEED)
def like_total(id: WidgetId) -> None:
    """All likes, never below zero. Primary: the owner can set it, and visitors' keys expire."""


@widgets.string("like:{id}:users:{visitor}", home=home_of_id, lifetime=END_OF_DAY, seed=SEED)
def like_user(id: WidgetId, visitor: VisitorHash) -> None:
    """Whether this visitor likes it today: true or false."""


@widgets.set("like:{id}:visitors", home=home_of_id, lifetime=END_OF_DAY)
def like_visitors(id: WidgetId) -> None:
    """Visitors who pressed the button today, for deletion."""


LIKE = counted(widget(like, "like button", (like_total, like_user, like_visitors)), like_total)
widgets.relate(
    Mirrors(like, "totalLikes", like_total),
    Groups(like_visitors, like_user, member="visitor"),
)


@widgets.json(RankingRecord, "ranking:{id}", home=home_of_id, seed=SEED)
def ranking(id: WidgetId) -> None:
    """A ranking: how many entries it has and keeps, and which end is the best."""


@widgets.sorted_set("ranking:{id}:scores", home=home_of_id, seed=SEED)
def ranking_scores(id: WidgetId) -> None:
    """Members `{name}:{unique_id}` by score; unique ids grow, so that ties keep the earlier first."""


@widgets.hash("ranking:{id}:entries", custom=Visibility.PUBLIC, home=home_of_id)
def ranking_entries(id: WidgetId) -> None:
    """Name → JSON {member, displayScore, createdAt}: one entry per name."""


@widgets.json(RankingMeta, "ranking:{id}:meta", home=home_of_id, seed=SEED)
def ranking_meta(id: WidgetId) -> None:
    """Title and description."""


@widgets.string("ranking:{id}:submit:{visitor}", home=home_of_id, lifetime=fixed(SUBMIT_COOLDOWN), seed=SEED)
def ranking_submit(id: WidgetId, visitor: VisitorHash) -> None:
    """When this visitor's last score was accepted (ISO 8601): the next may come after a minute."""


@widgets.sorted_set("ranking:{id}:submitters", home=home_of_id, lifetime=fixed(SUBMIT_COOLDOWN))
def ranking_submitters(id: WidgetId) -> None:
    """Visitors in cooldown, by its end in ms, for deletion."""


RANKING = widget(
    ranking, "ranking", (ranking_scores, ranking_entries, ranking_meta, ranking_submit, ranking_submitters)
)
widgets.relate(
    Counts(ranking, "totalEntries", ranking_scores),
    Describes(ranking_entries, ranking_scores),
    Orders(ranking_submitters, ranking_submit, member="visitor", score=end_of_wait(SUBMIT_COOLDOWN)),
)


@widgets.json(BoardRecord, "bbs:{id}", home=home_of_id, seed=SEED)
def bbs(id: WidgetId) -> None:
    """A bulletin board: its settings and when it was last written on."""


@widgets.list("bbs:{id}:messages", home=home_of_id, seed=SEED)
def bbs_messages(id: WidgetId) -> None:
    """Messages as JSON, the newest first, at most settings.maxMessages."""


@widgets.hash("bbs:{id}:edits", custom=Visibility.SECRET, home=home_of_id)
def bbs_edits(id: WidgetId) -> None:
    """Message id → SHA-256 of its author's edit token, of every message that can be edited by its author."""


@widgets.string("bbs:{id}:post:{visitor}", home=home_of_id, lifetime=fixed(POST_COOLDOWN), seed=SEED)
def bbs_post(id: WidgetId, visitor: VisitorHash) -> None:
    """When this visitor posted last (ISO 8601): the next message may come after ten seconds."""


@widgets.sorted_set("bbs:{id}:posters", home=home_of_id, lifetime=fixed(POST_COOLDOWN))
def bbs_posters(id: WidgetId) -> None:
    """Visitors in cooldown, by its end in ms, for deletion."""


BBS = widget(bbs, "bulletin board", (bbs_messages, bbs_edits, bbs_post, bbs_posters))
widgets.relate(
    Counts(bbs, "totalMessages", bbs_messages),
    Orders(bbs_posters, bbs_post, member="visitor", score=end_of_wait(POST_COOLDOWN)),
)

KINDS: dict[str, WidgetKeys[Any]] = {keys.kind: keys for keys in (COUNTER, LIKE, RANKING, BBS)}

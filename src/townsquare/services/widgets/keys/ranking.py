from townsquare.clock import from_iso
from townsquare.keyspace import Counts, Indexes, Mirrors, Orders, Owns, Record, Url, Visibility, fixed
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
from townsquare.services.widgets.models.ranking import RankingMeta, RankingRecord

SUBMIT_COOLDOWN = 60  # seconds between two accepted submits of one visitor


@widgets.string("url:ranking:{url}", home=home_of_url, seed=SEED)
def ranking_url(url: Url) -> None:
    """The id of the ranking of a URL; deleted with the ranking."""


@widgets.json(RankingRecord, "ranking:{id}", home=home_of_id, seed=SEED)
def ranking(id: WidgetId) -> None:
    """A ranking: how many entries it has and keeps, and which end is the best."""


@widgets.sorted_set("ranking:{id}:scores", home=home_of_id, seed=SEED)
def ranking_scores(id: WidgetId) -> None:
    """Members `{name}:{unique_id}` by score; unique ids grow, so that ties keep the earlier first."""


@widgets.hash("ranking:{id}:entries", custom=Visibility.PUBLIC, home=home_of_id)
def ranking_entries(id: WidgetId) -> None:
    """Name → JSON {member, displayScore, createdAt}: one entry per name, and what a score cannot hold."""


@widgets.string("ranking:{id}:owner", home=home_of_id, seed=SEED)
def ranking_owner(id: WidgetId) -> None:
    """Salted slow hash of the owner's token."""


@widgets.json(RankingMeta, "ranking:{id}:meta", home=home_of_id, seed=SEED)
def ranking_meta(id: WidgetId) -> None:
    """Title and description."""


@widgets.string("ranking:{id}:submit:{visitor}", home=home_of_id, lifetime=fixed(SUBMIT_COOLDOWN), seed=SEED)
def ranking_submit(id: WidgetId, visitor: VisitorHash) -> None:
    """When this visitor's last score was accepted (ISO 8601): the next may come after a minute."""


@widgets.sorted_set("ranking:{id}:submitters", home=home_of_id, lifetime=fixed(SUBMIT_COOLDOWN))
def ranking_submitters(id: WidgetId) -> None:
    """Visitors who wait, by the end of their wait in ms, so that a deletion finds their keys."""


@widgets.sorted_set("rankings:index", home="rankings:index", seed=SEED)
def rankings_index() -> None:
    """Ids of all rankings by creation in ms."""


RANKING = WidgetKeys(
    "ranking",
    ranking_url,
    ranking,
    ranking_owner,
    rankings_index,
    (ranking_scores, ranking_entries, ranking_meta, ranking_submit, ranking_submitters),
)


def end_of_wait(record: Record) -> int:
    return from_iso(record[""]) + SUBMIT_COOLDOWN * 1000


widgets.relate(
    Owns(ranking, (ranking_owner, *RANKING.data)),
    Indexes(ranking_url, ranking, owner="id", params={"url": "url"}),
    Orders(rankings_index, ranking, member="id", score=time_of_creation),
    Counts(ranking, "totalEntries", ranking_scores),
    Mirrors(ranking, "owner", ranking_owner),
    Orders(ranking_submitters, ranking_submit, member="visitor", score=end_of_wait),
)

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
from townsquare.services.widgets.models.bbs import BoardRecord

POST_COOLDOWN = 10  # seconds between two messages of one visitor


@widgets.string("url:bbs:{url}", home=home_of_url, seed=SEED)
def bbs_url(url: Url) -> None:
    """The id of the bulletin board of a URL; deleted with the board."""


@widgets.json(BoardRecord, "bbs:{id}", home=home_of_id, seed=SEED)
def bbs(id: WidgetId) -> None:
    """A bulletin board: its settings and when it was last written on."""


@widgets.list("bbs:{id}:messages", home=home_of_id, seed=SEED)
def bbs_messages(id: WidgetId) -> None:
    """Messages as JSON, the newest first, at most settings.maxMessages."""


@widgets.hash("bbs:{id}:edits", custom=Visibility.SECRET, home=home_of_id)
def bbs_edits(id: WidgetId) -> None:
    """Message id → SHA-256 of its author's edit token, of every message that can be edited by its author."""


@widgets.string("bbs:{id}:owner", home=home_of_id, seed=SEED)
def bbs_owner(id: WidgetId) -> None:
    """Salted slow hash of the owner's token."""


@widgets.string("bbs:{id}:post:{visitor}", home=home_of_id, lifetime=fixed(POST_COOLDOWN), seed=SEED)
def bbs_post(id: WidgetId, visitor: VisitorHash) -> None:
    """When this visitor posted last (ISO 8601): the next message may come after ten seconds."""


@widgets.sorted_set("bbs:{id}:posters", home=home_of_id, lifetime=fixed(POST_COOLDOWN))
def bbs_posters(id: WidgetId) -> None:
    """Visitors who wait, by the end of their wait in ms, so that a deletion finds their keys."""


@widgets.sorted_set("bbss:index", home="bbss:index", seed=SEED)
def bbss_index() -> None:
    """Ids of all bulletin boards by creation in ms."""


BBS = WidgetKeys("bbs", bbs_url, bbs, bbs_owner, bbss_index, (bbs_messages, bbs_edits, bbs_post, bbs_posters))


def end_of_wait(record: Record) -> int:
    return from_iso(record[""]) + POST_COOLDOWN * 1000


widgets.relate(
    Owns(bbs, (bbs_owner, *BBS.data)),
    Indexes(bbs_url, bbs, owner="id", params={"url": "url"}),
    Orders(bbss_index, bbs, member="id", score=time_of_creation),
    Counts(bbs, "totalMessages", bbs_messages),
    Mirrors(bbs, "owner", bbs_owner),
    Orders(bbs_posters, bbs_post, member="visitor", score=end_of_wait),
)

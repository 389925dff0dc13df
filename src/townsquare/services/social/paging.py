"""Pages of sorted sets by score and member: one round trip, nothing twice, nothing missing."""

from townsquare.keyspace import AnyKey
from townsquare.services.social.cursors import Place
from townsquare.services.social.records import places
from townsquare.store.store import Command, Store

TIES = 8  # members with the score of the cursor that are read at first besides the page


def newest(key: AnyKey, before: Place | None, count: int) -> Command:
    """Reads up to `count` members, the highest first; with `before`, also some that are not below it."""
    if before is None:
        return ("ZREVRANGE", key, 0, count - 1, "WITHSCORES")
    return ("ZREVRANGEBYSCORE", key, before.score, "-inf", "WITHSCORES", "LIMIT", 0, count)


async def page_down(store: Store, key: AnyKey, before: Place | None, count: int) -> list[Place]:
    """The highest `count` members below a place."""
    ties = TIES if before else 0
    while True:
        read = newest(key, before, count + ties)
        found = places(await store.call(*read))
        below = [place for place in found if before is None or place < before]
        if len(below) >= count or len(found) < count + ties:
            return below[:count]
        ties *= 4


async def page_up(
    store: Store, key: AnyKey, after: Place | None, lowest: int, highest: int, count: int
) -> list[Place]:
    """The lowest `count` members above a place, with scores within bounds."""
    ties = TIES if after else 0
    while True:
        start = max(lowest, after.score) if after else lowest
        reply = await store.call("ZRANGEBYSCORE", key, start, highest, "WITHSCORES", "LIMIT", 0, count + ties)
        found = places(reply)
        above = [place for place in found if after is None or place > after]
        if len(above) >= count or len(found) < count + ties:
            return above[:count]
        ties *= 4

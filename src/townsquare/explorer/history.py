"""The memory of the data store on each of the last days, and what follows from it."""

from datetime import date

import msgspec

from townsquare.clock import day_of
from townsquare.keyspace import Role
from townsquare.store.keys import MEMORY_DAYS, memory_history
from townsquare.store.store import Store

FEWEST_DAYS = 3  # for a forecast
HOUR = 3_600.0


class Growth(msgspec.Struct, frozen=True):
    days: int  # of the history
    bytes_per_day: float
    days_until_full: float | None  # None: it does not grow, or there is no maxmemory


async def record_memory(store: Store) -> None:
    """Write the memory of today. The server calls this every hour, in one process."""
    used, _ = await used_memory(store)
    today = day_of(store.clock.now_ms())
    await store.call("HSET", memory_history(), today.isoformat(), used)
    history = await read_history(store)
    if old := sorted(history)[:-MEMORY_DAYS]:
        await store.call("HDEL", memory_history(), *(day.isoformat() for day in old))


async def read_history(store: Store) -> dict[date, int]:
    raw = await store.call("HGETALL", memory_history())  # bounded: MEMORY_DAYS
    return {date.fromisoformat(day.decode()): int(used) for day, used in raw.items()}


def growth_of(history: dict[date, int], used: int, limit: int) -> Growth | None:
    """The slope of the straight line that fits the days best."""
    if len(history) < FEWEST_DAYS:
        return None
    first = min(history)
    points = [((day - first).days, size) for day, size in history.items()]
    mean_day = sum(day for day, _ in points) / len(points)
    mean_size = sum(size for _, size in points) / len(points)
    slope = sum((day - mean_day) * (size - mean_size) for day, size in points) / sum(
        (day - mean_day) ** 2 for day, _ in points
    )
    left = max(0, limit - used) / slope if limit and slope > 0 else None
    return Growth((max(history) - first).days + 1, slope, left)


async def used_memory(store: Store) -> tuple[int, int]:
    """Memory and limit of the data store, summed over its nodes."""
    used = limit = 0
    for node in store.role_stores[Role.DATA].nodes.connections():
        text = (await node.execute("INFO", "memory")).decode(errors="replace")
        info = dict(line.partition(":")[::2] for line in text.splitlines())
        used += int(info.get("used_memory", 0))
        limit += int(info.get("maxmemory", 0))
    return used, limit

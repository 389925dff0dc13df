"""Cache events by namespace: for the metrics of a process, and for the log line of a request."""

from contextvars import ContextVar
from typing import Literal

# hit: the entry was cached; near: an entry of similar meaning was;
# miss: not cached; wait: a miss whose value another caller was already computing;
# refresh: computed anew before it expired; stale: answered though it had expired, since computing failed;
# error: Redis did not answer, or a value could not be read
CacheEvent = Literal["hit", "near", "miss", "wait", "refresh", "stale", "error"]
ByNamespace = dict[str, dict[str, int]]

_of_request: ContextVar[ByNamespace | None] = ContextVar("cache_counts", default=None)


def count_request() -> ByNamespace:
    """Also count the events of this request, and of the tasks that it starts, in the returned mapping."""
    counted: ByNamespace = {}
    _of_request.set(counted)
    return counted


class CacheCounts:
    def __init__(self) -> None:
        self.total: ByNamespace = {}
        self._since: ByNamespace = {}

    def add(self, namespace: str, event: CacheEvent, count: int = 1) -> None:
        for counts in (self.total, self._since, _of_request.get()):
            if counts is not None:
                events = counts.setdefault(namespace, {})
                events[event] = events.get(event, 0) + count

    def take(self) -> ByNamespace:
        since, self._since = self._since, {}
        return since

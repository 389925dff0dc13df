"""Presence of users by process, and rate limits."""

from typing import Annotated

from townsquare.keyspace import HOUR, MINUTE, Matching, Role, fixed, sliding
from townsquare.services.threads.keys.common import PAGE_HOME, SEED, PageId, threads

ProcessId = Annotated[str, Matching(r"[0-9a-f]{16}")]
Counted = Annotated[str, Matching("key|ip|user|comments")]


@threads.set("page:{page_id}:presence:by:{process}", home=PAGE_HOME, lifetime=sliding(HOUR))
def page_presence_of(page_id: PageId, process: ProcessId) -> None:
    """Users that one server process has on a page."""


@threads.sorted_set("presence:pages", home="presence:pages")
def presence_pages() -> None:
    """Pages with users, by the last announcement of a process in ms; a crashed process announces nothing."""


@threads.counter(
    "ratelimit:{type}:{id}:{time_bucket}",
    home="ratelimit:{id}",
    lifetime=fixed(MINUTE),
    role=Role.CACHE,
    seed=SEED,
)
def ratelimit(type: Counted, id: str, time_bucket: int) -> None:
    """Requests in one minute (seconds / 60) by key, address or user, and comments by author or address.

    The id of an address or a user starts with the site: `<site id>.192.168.1.1`.
    """

"""Keys of Townsquare itself, independent of services."""

from datetime import date
from typing import Annotated

import msgspec

from townsquare.keyspace import DAY, MINUTE, Keyspace, Matching, Role, Visibility, about, carried_by, fixed
from townsquare.keyspace.kinds import ANY

system = Keyspace("system", "What Townsquare needs for itself: effects on their way, jobs, limits, secrets.")

Bucket = Annotated[str, Matching(r"[0-3][0-9a-f]{2}")]
MintedId = Annotated[str, Matching(r"[0-9a-f-]{33}[0-9a-f]{3}")]
Digest = Annotated[str, Matching(r"[0-9a-f]{32}")]
StreamEntry = Annotated[str, Matching(r"[0-9]+-[0-9]+")]
Name = Annotated[str, Matching(r"[a-z0-9_.-]{1,64}")]

LEASE_SECONDS = 10  # longer than any single drain or job step, short enough to recover soon after a crash
LONGEST_RETRY_MS = 60 * MINUTE * 1000  # between two tries of a job that keeps failing
REFUSAL_SECONDS = 60  # longer than a caller waits
BACKGROUND_LEASE_SECONDS = 5  # renewed every round; after a crash another process takes over within this time
FORMER_SECRET_SECONDS = 90 * DAY  # longer than a session lives without being used
INCIDENT_SECONDS = 3 * DAY  # today and yesterday are read
CHECK_DETAILS_SECONDS = 7 * DAY  # findings can contain names of users
MEMORY_DAYS = 90  # of the history of memory
WINDOW_LIMIT = 60 * MINUTE  # the longest rate-limit window that a setting may ask for


def lives_in(bucket: str) -> str:
    return bucket


@system.string("secret", home="secret")
def secret() -> None:
    """The server's secret, made at the first start: visitor hashes and signatures depend on it."""


@system.string("secret:former", home="secret", lifetime=fixed(FORMER_SECRET_SECONDS))
def former_secret() -> None:
    """The secret before the last rotation: signatures made with it are accepted until it expires."""


@system.string("secret:first", home="secret")
def first_secret() -> None:
    """The secret before the first rotation: names that derive from it do not change."""


class DataState(msgspec.Struct, frozen=True):
    versions: dict[str, int] = {}  # of the key layout, by service
    incomplete: str = ""  # the restore or migration that has not finished; servers refuse to start


@system.json(DataState, "data:state", home="data:state")
def data_state() -> None:
    """The version of each service's key layout, and whether the data is complete."""


class DemoState(msgspec.Struct):
    began_at: int  # ms
    finished_at: int = 0  # 0: interrupted
    made_posts_site: bool = False  # the comments on posts had no site before


@system.json(DemoState, "demo", home="demo")
def demo_state() -> None:
    """The demo data of `townsquare demo` is in the store, or a part of it."""


class LastCheck(msgspec.Struct, frozen=True):
    began_at: int  # ms
    finished_at: int
    keys: int
    findings: int


@system.json(LastCheck, "integrity:last", home="integrity:last")
def last_check() -> None:
    """The result of the last check by the server, for metrics and for when the next one is due."""


class CheckFinding(msgspec.Struct, frozen=True):
    kind: str
    key: str
    problem: str
    outcome: str
    note: str = ""


class CheckDetails(msgspec.Struct, frozen=True):
    repair: bool
    findings: list[CheckFinding]  # the first ones
    counts: dict[str, int]  # keys by declaration


@system.json(
    CheckDetails, "integrity:details", home="integrity:details", lifetime=fixed(CHECK_DETAILS_SECONDS)
)
def check_details() -> None:
    """Findings of the last check by the server and the number of keys per declaration, for the console."""


@system.stream("outbox:{bucket}", home=lives_in)
def outbox(bucket: Bucket) -> None:
    """Effects on other homes that scripts of this bucket have emitted, in order. Cluster only."""


@system.string("outbox:{bucket}:lease", home=lives_in, lifetime=fixed(LEASE_SECONDS))
def outbox_lease(bucket: Bucket) -> None:
    """The process that applies the effects of this bucket."""


@system.string("outbox:{bucket}:refused:{entry}", home=lives_in, lifetime=fixed(REFUSAL_SECONDS))
def outbox_refused(bucket: Bucket, entry: StreamEntry) -> None:
    """The refusal of an ask by another home, for the process that waits for it. Cluster only."""


@system.string("absent:{bucket}", home=lives_in)
def absent(bucket: Bucket) -> None:
    """Never there. Every script on data names it, so that a node whose slot of this bucket moves refuses the
    script before its first line, not in its middle. Cluster only."""


@system.string("lease:{name}", home="lease:{name}", lifetime=fixed(BACKGROUND_LEASE_SECONDS))
def lease(name: Name) -> None:
    """The process that runs a background task (the sweeper, the job runner)."""


class JobRecord(msgspec.Struct):
    id: str
    kind: Annotated[str, about("which job function continues it")]
    args: Annotated[str, about("JSON")]
    state: Annotated[str, about("open, or failed")]
    done: Annotated[int, about("steps behind us")] = 0
    total: Annotated[int | None, about("steps in all, as far as known")] = None
    error: Annotated[str, about("why the last step failed")] = ""
    failures: Annotated[int, about("steps that failed in a row")] = 0
    started_at: Annotated[int, about("ms")] = 0
    updated_at: Annotated[int, about("ms")] = 0
    lease: Annotated[str, about("token of the process that works on it")] = ""
    lease_until: Annotated[int, about("ms")] = 0


@system.hash("job:{id}", record=JobRecord, home=carried_by("id"))
def job(id: MintedId) -> None:
    """Long work in bounded steps, marked on the home it works for; gone when it is done."""


@system.sorted_set("jobs:open", home="jobs")
def jobs_open() -> None:
    """Ids of unfinished jobs by when they are due, in ms: their start, or the next try of one that failed."""


@system.string("idempotency:{digest}", home="idempotency:{digest}", lifetime=fixed(DAY))
def idempotency(digest: Digest) -> None:
    """The fingerprint of the request that was sent with an Idempotency-Key, then `+` and the number of
    running requests or, once something was created, the bucket of its result. The digest covers operation,
    site, caller and key."""


@system.string("idempotency:{digest}:{bucket}", home=lives_in, lifetime=fixed(DAY))
def idempotency_result(digest: Digest, bucket: Bucket) -> None:
    """The result, such as an id, on the home of the created object: written by the script that created it,
    after the fingerprint of the request and the outbox entries of its asks."""


@system.counter(
    "ratelimit:{type}:{name}:{id}:{window}",
    home="ratelimit:{id}",
    lifetime=fixed(2 * WINDOW_LIMIT),
    role=Role.CACHE,
)
def ratelimit(type: Name, name: Name, id: str, window: int) -> None:
    """Calls of one client (type ip or user) under one named limit in one window of time."""


@system.hash("memory:history", custom=Visibility.PRIVATE, home="memory:history")
def memory_history() -> None:
    """Bytes that the data store used, by day, for the forecast of `townsquare memory`."""


@system.hash(
    "incidents:{day}",
    custom=Visibility.SECRET,
    home="incidents",
    lifetime=fixed(INCIDENT_SECONDS),
    role=Role.CACHE,
)
def incidents(day: date) -> None:
    """Rejected requests by limit and lost messages by kind, for `townsquare doctor`."""


@system.declare(ANY, "quarantine:{name}", home="quarantine:{name}", lifetime=fixed(7 * DAY))
def quarantine(name: str) -> None:
    """An undeclared or orphaned key that `townsquare check --repair` has moved here, by its former name."""

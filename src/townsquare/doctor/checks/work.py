"""Checks of what the server does: effects, jobs, rate limits, mail."""

from collections.abc import AsyncIterator, Callable

from townsquare.doctor.findings import DoctorFinding
from townsquare.keyspace import Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.store.coordination.incidents import RATE_LIMITED, UNDELIVERED
from townsquare.store.keys import JobRecord, job, jobs_open, outbox
from townsquare.store.store import Store

LONGEST_OUTBOX_MS = 30_000  # effects are applied within seconds
LONGEST_STEP_MS = 10 * 60_000  # without progress of a job
FAILURES = 3  # of a job in a row
MANY_REFUSALS = 1_000  # requests under one limit in one or two days
JOBS_READ = 1_000


async def outbox_lag(store: Store) -> AsyncIterator[DoctorFinding]:
    if not store.role_stores[Role.DATA].layout.clustered:
        return
    first = await store.pipeline([("XRANGE", outbox(one), "-", "+", "COUNT", 1) for one in ALL_BUCKETS])
    written = [int(entries[0][0].split(b"-")[0]) for entries in first if entries]
    late = [at for at in written if store.clock.now_ms() - at > LONGEST_OUTBOX_MS]
    if late:
        yield DoctorFinding(
            "outbox_lag",
            "critical",
            "Effects are not applied",
            f"{len(late)} outboxes have effects; the oldest waits for "
            f"{(store.clock.now_ms() - min(late)) / 1000:,.0f} s. Feeds and counters are out of date.",
            "Start a server: it applies them. If one runs, look for `effects are late` in its log.",
        )


async def stuck_jobs(store: Store) -> AsyncIterator[DoctorFinding]:
    ids = [id.decode() for id in await store.call("ZRANGE", jobs_open(), 0, JOBS_READ - 1)]
    found = [record for record in await store.get_many([job(id) for id in ids]) if record]
    stuck = [record for record in found if is_stuck(record, store.clock.now_ms())]
    if stuck:
        worst = max(stuck, key=lambda record: record.failures)
        reason = f", last error: {worst.error}" if worst.error else ""
        yield DoctorFinding(
            "stuck_jobs",
            "warning",
            "Jobs do not advance",
            f"{len(stuck)} jobs are stuck, among them {worst.kind} ({worst.failures} failures{reason}).",
            "`townsquare jobs` lists them. Start a server if none runs; otherwise its log has the errors.",
        )


def is_stuck(record: JobRecord, now: int) -> bool:
    return record.failures >= FAILURES or now - max(record.updated_at, record.started_at) > LONGEST_STEP_MS


async def rate_limits(store: Store) -> AsyncIterator[DoctorFinding]:
    many = {name: n for name, n in (await store.incidents.recent(RATE_LIMITED)).items() if n >= MANY_REFUSALS}
    if many:
        listed = ", ".join(
            f"{name} {count:,}" for name, count in sorted(many.items(), key=lambda one: -one[1])
        )
        yield DoctorFinding(
            "rate_limited",
            "warning",
            "Many requests are rejected by rate limits",
            f"Rejected since yesterday, by limit: {listed}.",
            "If they are visitors, raise the limit (TOWNSQUARE_RATE_LIMIT_<NAME>=count/seconds) and check "
            "trusted_proxies: behind an unknown proxy visitors share one limit. In an attack, leave it.",
        )


async def undelivered_mail(store: Store) -> AsyncIterator[DoctorFinding]:
    lost = await store.incidents.recent(UNDELIVERED)
    if lost:
        listed = ", ".join(f"{kind} {count:,}" for kind, count in sorted(lost.items()))
        yield DoctorFinding(
            "undelivered_mail",
            "warning",
            "Messages were not delivered",
            f"Given up since yesterday, by kind: {listed}.",
            "`townsquare serve --check` tests the mail server. The log has the reason of each (`not sent`).",
        )


CHECKS: tuple[Callable[[Store], AsyncIterator[DoctorFinding]], ...] = (
    outbox_lag,
    stuck_jobs,
    rate_limits,
    undelivered_mail,
)

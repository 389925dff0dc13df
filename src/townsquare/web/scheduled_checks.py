"""Checks of the data by a server: scheduled ones (`integrity_every`), which repair nothing, and those that an
admin starts in the console.

The result is stored, so every process reports it, and a restart does not begin another check.
"""

import asyncio
from contextlib import AbstractAsyncContextManager

from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.settings import Settings, seconds_of
from townsquare.store.coordination.background import Lease
from townsquare.store.keys import LastCheck, last_check
from townsquare.store.store import Store
from townsquare.web.metrics import Metrics
from townsquare.web.scheduled_process import in_background, renewed, run_module

log = get_logger("townsquare.integrity")

LEASE = "integrity"
LOOK_EVERY = 20.0  # seconds
RETRY_SECONDS = 600.0  # after a failure


def scheduled_checks(settings: Settings, store: Store, metrics: Metrics) -> AbstractAsyncContextManager[None]:
    return in_background(repeat(settings, store, metrics), "checks")


async def repeat(settings: Settings, store: Store, metrics: Metrics) -> None:
    lease = Lease(store, LEASE)
    while True:
        pause = LOOK_EVERY
        try:
            metrics.last_check = await store.get(last_check())
            if is_due(settings, metrics.last_check, store.clock.now_ms()) and await lease.take():
                done = await run_check(settings, store, metrics, lease)
                pause = LOOK_EVERY if done else RETRY_SECONDS
        except (Unavailable, OutcomeUnknown):
            pass  # the store is unreachable, which is logged elsewhere
        except OSError as error:
            report(metrics, str(error))
            pause = RETRY_SECONDS
        await asyncio.sleep(pause)


async def run_check(
    settings: Settings, store: Store, metrics: Metrics, lease: Lease, *, repair: bool = False
) -> bool:
    """Check with a lease that was taken. Returns False if the check failed."""
    async with renewed(lease):
        options = ["--repair"] if repair else []
        failure = await run_module("townsquare.integrity", *options, settings=settings)
    metrics.last_check = await store.get(last_check())
    report(metrics, failure)
    return failure is None


async def check_now(
    settings: Settings, store: Store, metrics: Metrics, lease: Lease, *, repair: bool
) -> None:
    """The check that an admin has started."""
    try:
        await run_check(settings, store, metrics, lease, repair=repair)
    except (Unavailable, OutcomeUnknown, OSError) as error:
        report(metrics, str(error))


def report(metrics: Metrics, failure: str | None) -> None:
    last = metrics.last_check
    if failure is not None or last is None:
        log.error("scheduled check failed", reason=failure or "it left no result")
        metrics.count("integrity_checks_total", "failed")
        return
    metrics.count("integrity_checks_total", "findings" if last.findings else "clean")
    if last.findings:
        log.error("the check has findings: run `townsquare check`", findings=last.findings, keys=last.keys)
    else:
        log.info("data checked", keys=last.keys, ms=last.finished_at - last.began_at)


def is_due(settings: Settings, last: LastCheck | None, now: int) -> bool:
    every = seconds_of(settings.integrity_every) * 1000
    age = now - last.finished_at if last else every
    return age >= every or age < -every  # also if the clock was set back

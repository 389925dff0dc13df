"""Long work in bounded steps that survives a crash.

The script that begins the work records the job on its home with `start_job` (include `jobs`); the step that
finds nothing left calls `finish_job`. A step is an async function that does one bounded chunk; after a crash
the next call continues where the last one stopped.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from townsquare.clock import CLOCK_SKEW_MS
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.coordination.deletion import Deletion
from townsquare.store.coordination.scripts import TakeJob
from townsquare.store.keys import LEASE_SECONDS, JobRecord, job, jobs_open
from townsquare.tasks import cancel_tasks

if TYPE_CHECKING:
    from townsquare.store.store import Store

log = get_logger()

RETRY_SECONDS = 30  # after a step that failed; twice as long after each further failure
LOOKED_AT = 1_000  # jobs per round of the runner
AT_ONCE = 4  # jobs in parallel, so that a long one does not delay the others
POLL = 0.02
REST = 4  # multiples of the duration of a step
LONGEST_REST = 0.02  # seconds

Step = Callable[[dict[str, Any]], Awaitable[int]]  # the amount of work done; 0 when finished
Outcome = Literal["done", "open", "failed"]


class Jobs:
    def __init__(self, store: "Store") -> None:
        self._store = store
        self._token = secrets.token_hex(8)
        self._steps: dict[str, Step] = {}
        self._working: set[str] = set()  # run by this process now: the runner skips them
        self._waited_for: set[asyncio.Task[str]] = set()
        self.deletion = Deletion(store, self)

    def register(self, kind: str, step: Step, *, rests: bool = False) -> None:
        """With `rests` a pause follows each step, so that the job uses the store only part of the time."""
        self._steps[kind] = rested(step) if rests else step

    async def run(self, id: str) -> None:
        """Run the whole job now, or wait for the process that runs it."""
        while await self._advance(id) in ("held", "resting"):  # noqa: ASYNC110 - another process works on it
            await asyncio.sleep(POLL)

    async def run_within(self, id: str, seconds: float) -> Outcome:
        """As `run`, but return after `seconds`; the job continues in the background and records a failure."""
        task = asyncio.create_task(self._run_unless_resting(id))
        self._waited_for.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            return "open"
        return "failed" if task.cancelled() or task.exception() or task.result() == "resting" else "done"

    async def _run_unless_resting(self, id: str) -> str:
        while (outcome := await self._advance(id)) == "held":  # noqa: ASYNC110 - another process works on it
            await asyncio.sleep(POLL)
        return outcome

    def _forget(self, task: asyncio.Task[str]) -> None:
        self._waited_for.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved: it is recorded in the job

    async def close(self) -> None:
        """Stop; another process continues the open jobs."""
        await cancel_tasks(self._waited_for)

    async def run_open(self) -> int:
        """Continue every due job that no process works on; returns the number of due jobs."""
        due = await self._due()
        turns = asyncio.Semaphore(AT_ONCE)

        async def take_turn(id: str) -> None:
            async with turns:
                await self._continue(id)

        outcomes = await asyncio.gather(*(take_turn(id.decode()) for id in due), return_exceptions=True)
        for outcome in outcomes:
            if outcome:
                raise outcome
        return len(due)

    async def _due(self) -> list[bytes]:
        """Jobs that are due, and jobs that were written before the clock was set back."""
        now = self._store.clock.now_ms()
        ahead = now + CLOCK_SKEW_MS
        due, waiting = await self._store.pipeline(
            [
                ("ZRANGEBYSCORE", jobs_open(), "-inf", now, "LIMIT", 0, LOOKED_AT),
                ("ZRANGEBYSCORE", jobs_open(), f"({ahead}", "+inf", "LIMIT", 0, LOOKED_AT),
            ]
        )
        written = await self._store.pipeline([("HGET", job(id.decode()), "updated_at") for id in waiting])
        return [*due, *(id for id, at in zip(waiting, written, strict=True) if int(at or 0) > ahead)]

    async def _continue(self, id: str) -> None:
        try:
            if await self._advance(id) == "gone":
                await self._store.call("ZREM", jobs_open(), id)  # its record is gone
        except (Unavailable, OutcomeUnknown):
            raise
        except Exception:  # noqa: S110 - the log has it; other jobs do not wait for this one
            pass

    async def list(self) -> list[JobRecord]:
        ids = [id.decode() for id in await self._store.call("ZRANGE", jobs_open(), 0, 999)]
        records = await self._store.get_many([job(id) for id in ids])
        return [record for record in records if record]

    async def _advance(self, id: str) -> str:
        if id in self._working:
            return "held"
        self._working.add(id)
        try:
            return await self._work(id)
        finally:
            self._working.discard(id)

    async def _work(self, id: str) -> str:
        done, began = 0, False
        while True:
            turn = await self._take(id, done)
            if not turn.exists:
                return "done" if began else "gone"
            if not turn.taken:
                return "resting" if turn.failed else "held"
            began = True
            try:
                done = await self._steps[turn.kind](msgspec.json.decode(turn.args))
            except Exception as error:
                await self._take(id, 0, error=f"{type(error).__name__}: {error}", seconds=RETRY_SECONDS)
                log.exception("job step failed", job=id, kind=turn.kind)
                raise

    async def _take(self, id: str, done: int, *, error: str = "", seconds: int = LEASE_SECONDS) -> Any:
        return await self._store.run(
            TakeJob(id=id, token=self._token, lease_ms=seconds * 1000, done=done, error=error)
        )


def rested(step: Step) -> Step:
    """The step, followed by a pause."""

    @wraps(step)
    async def rests(args: dict[str, Any]) -> int:
        began = time.perf_counter()
        done = await step(args)
        await asyncio.sleep(min(LONGEST_REST, REST * (time.perf_counter() - began)))
        return done

    return rests

"""Imports over HTTP: in the background, with a state that can be polled.

The server that received the file imports it. If that server stops, the state becomes `interrupted` and the
file has to be sent again; imported comments stay (decision 031).
"""

import asyncio
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from townsquare.clock import iso
from townsquare.comment_files.formats import FormatName
from townsquare.keyspace import HOUR, carried_bucket, mint_id
from townsquare.kit.scratch_folders import scratch_folder
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Problem, Unavailable
from townsquare.services.threads import keys
from townsquare.services.threads.models.imports import ImportReport, ImportState
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import ImportNotFound, TooManyImports
from townsquare.services.threads.scripts import BeginImport, SaveImportState
from townsquare.services.threads.service.importing import Importing
from townsquare.services.threads.service.sites import require_admin
from townsquare.store.store import Store

AT_ONCE = 2  # imports of one process; each has a child process with up to 1 GiB
LONGEST = HOUR  # of one import, in seconds
PATIENCE = 2.0  # seconds that the request waits for the import
BEAT_SECONDS = 2.0  # between two writes of the progress
RETRY_SECONDS = 60
UNPACKED = 10  # times the upload limit

log = get_logger("townsquare.imports")


class SiteImports:
    def __init__(self, store: Store, importing: Importing, largest: int) -> None:
        self._store = store
        self._importing = importing
        self._largest = largest
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = 0

    async def start(
        self, viewer: Viewer, file: Path, *, format: FormatName | None = None, dry_run: bool = False
    ) -> ImportState:
        """Start the import of a file, which is moved; returns its state after at most two seconds."""
        require_admin(viewer)
        if self._running >= AT_ONCE:
            raise TooManyImports(f"At most {AT_ONCE} imports run at once", retry_after=RETRY_SECONDS)
        self._running += 1
        try:
            task, state = await self._begin(viewer, file, format, dry_run)
        except BaseException:
            self._running -= 1
            raise
        self._tasks.add(task)
        task.add_done_callback(self._end)
        await asyncio.wait({task}, timeout=PATIENCE)
        return state

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running -= 1

    async def _begin(
        self, viewer: Viewer, file: Path, format: FormatName | None, dry_run: bool
    ) -> tuple[asyncio.Task[None], ImportState]:
        now = self._store.clock.now_ms()
        state = ImportState(
            id=mint_id(carried_bucket(viewer.site_id)),
            started_at=iso(now),
            updated_ms=now,
            report=ImportReport(format=format or "", dry_run=dry_run),
        )
        await self._store.run(BeginImport(site_id=viewer.site_id, state=as_text(state)))
        with ExitStack() as stack:
            folder = stack.enter_context(scratch_folder())
            kept = file.rename(folder / "file")  # noqa: ASYNC240 - nothing is copied
            work = self._work(stack.pop_all(), viewer.site_id, state, kept, format)
        return asyncio.create_task(work), state

    async def state(self, viewer: Viewer) -> ImportState:
        """The state of the last import."""
        require_admin(viewer)
        state = await self._store.get(keys.site_import(viewer.site_id))
        if state is None:
            raise ImportNotFound()
        silent = abs(self._store.clock.now_ms() - state.updated_ms)  # the clock may have been set back
        if state.state == "running" and silent > keys.IMPORT_ALIVE_MS:
            state.state = "interrupted"
        return state

    async def close(self) -> None:
        """Interrupt running imports."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(
        self,
        folder: ExitStack,
        site_id: str,
        state: ImportState,
        file: Path,
        format: FormatName | None,
    ) -> None:
        def on_progress(report: ImportReport) -> None:
            state.report = report

        beat = asyncio.create_task(self._beat(site_id, state))
        try:
            with folder:
                async with asyncio.timeout(LONGEST):
                    state.report = await self._importing.import_file(
                        site_id,
                        file,
                        format=format,
                        dry_run=state.report.dry_run,
                        on_progress=on_progress,
                        largest=self._largest * UNPACKED,
                    )
            state.state = "done"
        except asyncio.CancelledError:
            state.state = "interrupted"
            raise
        except TimeoutError:
            state.state, state.problem = "failed", "It takes longer than an hour"
        except Problem as problem:
            state.state, state.problem = "failed", problem.detail or problem.title
        except Exception:
            log.exception("import failed", site_id=site_id)
            state.state, state.problem = "failed", Problem.title
        finally:
            beat.cancel()
            with suppress(Unavailable, OutcomeUnknown):
                await self._save_progress(site_id, state)

    async def _beat(self, site_id: str, state: ImportState) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            with suppress(Unavailable, OutcomeUnknown):
                await self._save_progress(site_id, state)

    async def _save_progress(self, site_id: str, state: ImportState) -> None:
        state.updated_ms = self._store.clock.now_ms()
        await self._store.run(SaveImportState(site_id=site_id, id=state.id, state=as_text(state)))


def as_text(state: ImportState) -> str:
    return msgspec.json.encode(state).decode()

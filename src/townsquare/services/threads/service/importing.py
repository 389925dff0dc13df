"""Import the comments of a file into a site.

A child process reads the whole file before anything is written, so a broken file changes nothing. Then one
script writes up to 200 comments of one page. A second import of the file changes nothing.
"""

import asyncio
import operator
from collections.abc import AsyncIterator, Callable, Mapping
from itertools import compress
from pathlib import Path

from msgspec.structs import replace

from townsquare.comment_files.arranging import SAMPLES
from townsquare.comment_files.formats import FormatName
from townsquare.comment_files.models import Skipped
from townsquare.comment_files.reading import FileReader, reading
from townsquare.comment_files.unpacking import LARGEST
from townsquare.services.threads import keys
from townsquare.services.threads.models.imports import ImportReport
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.problems import BadPage
from townsquare.services.threads.scripts import SaveUser
from townsquare.services.threads.service.import_conversion import Conversion, Converted, PageBatch, named
from townsquare.services.threads.service.moved_comments import moved_ids, moved_page
from townsquare.services.threads.service.sites import Sites
from townsquare.store.store import Store

BATCH = 200  # comments in one script, which takes a few milliseconds
AHEAD = 4  # converted batches that wait for their write


OnProgress = Callable[[ImportReport], None]


class Importing:
    def __init__(self, store: Store, sites: Sites) -> None:
        self._store = store
        self._sites = sites

    async def import_file(
        self,
        site_id: str,
        file: Path,
        *,
        format: FormatName | None = None,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        largest: int = LARGEST,
    ) -> ImportReport:
        """Import a file of another system or an export of ours; `on_progress` gets the report as it grows.

        `largest` is the maximum size in bytes, unpacked.
        """
        site = await self._sites.by_key((await self._sites.get(site_id)).api_key_public)
        report = ImportReport(dry_run=dry_run)

        def progress(read: int) -> None:
            report.read = read
            if on_progress:
                on_progress(report)

        async with reading(file, format, largest, BATCH) as reader:
            found = await reader.summary(progress)
            report.format, report.total, report.orphans = found.format, found.total, found.orphans
            report.skipped, report.samples = found.skipped, found.samples
            report.repaired = found.repaired
            await FileImport(self._store, site, reader, report, on_progress).run()
        return report


class FileImport:
    """The state of one import."""

    def __init__(
        self,
        store: Store,
        site: SiteConfig,
        reader: FileReader,
        report: ImportReport,
        on_progress: OnProgress | None,
    ) -> None:
        self._store = store
        self._site = site
        self._reader = reader
        self._report = report
        self._on_progress = on_progress
        self._conversion = Conversion(site.site_id, report.format, store.clock.now_ms())
        self._pages: set[str] = set()
        self._authors: set[str] = set()  # that exist

    async def run(self) -> None:
        """Convert the next batches while one is written."""
        ready: asyncio.Queue[Converted | None] = asyncio.Queue(AHEAD)
        making = asyncio.create_task(self._make_ready(ready))
        try:
            while batch := await ready.get():
                await self._write(batch)
                self._report_progress()
            await making
        finally:
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)
        self._report_progress()

    async def _make_ready(self, ready: "asyncio.Queue[Converted | None]") -> None:
        try:
            async for batch in self._batches():
                new = await self._new(await self._redirected(batch))
                if new.comments:
                    await ready.put(await asyncio.to_thread(self._conversion.batch, new))
                else:
                    self._report_progress()
        except Exception:
            await ready.put(None)
            raise
        await ready.put(None)

    def _report_progress(self) -> None:
        if self._on_progress:
            self._on_progress(self._report)

    async def _batches(self) -> AsyncIterator[PageBatch]:
        async for found in self._reader.batches():
            page, comments = found.page, found.comments
            try:
                address = page_address(self._site, page.url, page.key)
            except BadPage as bad:
                self._report.total -= len(comments)
                skipped = [Skipped(reason="no page", id=one.id, detail=bad.detail) for one in comments]
                self._report.samples += skipped[: max(SAMPLES - len(self._report.samples), 0)]
                before = self._report.skipped.get("no page", 0)
                self._report.skipped["no page"] = before + len(comments)
                continue
            self._pages.add(address.id)
            self._report.pages = len(self._pages)
            yield self._conversion.page_batch(page, address, comments)

    async def _redirected(self, batch: PageBatch) -> PageBatch:
        """The batch on the page that its own was moved to or merged into."""
        page_id = await moved_page(self._store, batch.address.id)
        if page_id is None:
            return batch
        url = await self._store.call("HGET", keys.page(page_id), "url")
        address = replace(batch.address, id=page_id, url=url.decode() if url else batch.address.url)
        ids = [batch.ids.of(id) for id in named(batch)]
        return self._conversion.redirected(
            batch, address, await moved_ids(self._store, keys.comment_moved, ids)
        )

    async def _new(self, batch: PageBatch) -> PageBatch:
        """The batch without comments that exist."""
        found = await self._store.pipeline([("EXISTS", keys.comment(id)) for id in batch.comments])
        self._report.unchanged += sum(found)
        return batch._replace(comments=dict(compress(batch.comments.items(), map(operator.not_, found))))

    async def _write(self, batch: Converted) -> None:
        """Authors before their comments."""
        authors = await self._new_authors(batch.authors)
        self._report.authors += len(authors)
        self._report.shortened += batch.shortened
        if self._report.dry_run:
            self._report.created += len(batch.script.comments)
            return
        await self._store.run_many(authors)
        counts = await self._store.run(batch.script)
        self._report.created += counts.created
        self._report.unchanged += counts.unchanged

    async def _new_authors(self, authors: Mapping[str, SaveUser]) -> list[SaveUser]:
        """Scripts that create the authors who do not exist; each is looked up once."""
        unknown = [id for id in authors if id not in self._authors]
        self._authors.update(unknown)
        found = await self._store.pipeline([("EXISTS", keys.user(id)) for id in unknown]) if unknown else []
        return [authors[id] for id, is_here in zip(unknown, found, strict=True) if not is_here]

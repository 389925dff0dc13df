"""Importing the comments of a file into a site.

A file is read whole before anything is written, so one that is broken changes nothing. Then a few hundred
comments of one page are one script. What was imported stays as it is here when the file is imported again.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
from msgspec.structs import replace

from townsquare.services.threads import keys
from townsquare.services.threads.importing import formats
from townsquare.services.threads.importing.arranging import Arranged, arranged
from townsquare.services.threads.importing.formats import FormatName
from townsquare.services.threads.importing.models import Skipped
from townsquare.services.threads.models.sites import CachedKey
from townsquare.services.threads.problems import BadPage
from townsquare.services.threads.service.comments import page_address
from townsquare.services.threads.service.import_conversion import Conversion, Converted, UnclaimedAuthor
from townsquare.services.threads.service.sites import Sites
from townsquare.store.store import Store

BATCH = 200  # comments in one script: some milliseconds, in which Redis does nothing else


class ImportReport(msgspec.Struct, kw_only=True):
    """What became of a file, or would become of it."""

    format: str = ""
    dry_run: bool = False
    read: int = 0  # comments of the file, so far
    total: int = 0  # of them that are to be stored; 0 until all are read
    created: int = 0
    unchanged: int = 0  # imported before
    pages: int = 0
    authors: int = 0  # that are new here
    orphans: int = 0  # replies to what is not in the file; they stand for themselves
    shortened: int = 0  # texts of more than 10,000 characters
    skipped: dict[str, int] = {}  # by the reason
    samples: list[Skipped] = []

    @property
    def done(self) -> int:
        return self.created + self.unchanged


Told = Callable[[ImportReport], None]


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
        told: Told | None = None,
    ) -> ImportReport:
        """Import a file of another system, or an export of ours; `told` hears how far it is."""
        site = await self._sites.by_key((await self._sites.get(site_id)).api_key_public)
        report = ImportReport(dry_run=dry_run)

        def tell(read: int | None = None) -> None:
            report.read = report.read if read is None else read
            if told:
                told(report)

        with ExitStack() as stack:
            comments = await asyncio.to_thread(read_file, stack, file, format, report, tell)
            conversion = Conversion(site_id, report.format, self._store.clock.now_ms())
            await self._store_all(converted(comments, site, conversion, report), report, tell)
            report.skipped = {str(reason): count for reason, count in comments.skipped.items()}
            report.samples = comments.samples
        return report

    async def _store_all(
        self, batches: Iterator[Converted], report: ImportReport, tell: Callable[[], None]
    ) -> None:
        """Each batch is made while the one before it is written."""
        known: set[str] = set()
        writing: asyncio.Task[None] | None = None
        try:
            while batch := await asyncio.to_thread(next, batches, None):
                if writing:
                    await writing
                    tell()
                writing = asyncio.create_task(self._write(batch, report, known))
            if writing:
                await writing
                tell()
        finally:
            if writing:
                await asyncio.gather(writing, return_exceptions=True)

    async def _write(self, batch: Converted, report: ImportReport, known: set[str]) -> None:
        """Write what is not here yet, authors before their comments."""
        comments = batch.script.comments
        found = await self._store.pipeline([("EXISTS", keys.comment(one.id)) for one in comments])
        new = [one for one, is_here in zip(comments, found, strict=True) if not is_here]
        report.unchanged += len(comments) - len(new)
        authors = await self._new_authors(
            [batch.authors[one.author_id] for one in new if one.author_id], known
        )
        report.authors += len(authors)
        if report.dry_run:
            report.created += len(new)
        elif new:
            await self._store.run_many([author.script for author in authors])
            counts = await self._store.run(replace(batch.script, comments=new))
            report.created += counts.created
            report.unchanged += counts.unchanged

    async def _new_authors(self, authors: list[UnclaimedAuthor], known: set[str]) -> list[UnclaimedAuthor]:
        """Those who are not here yet; asked of each once."""
        unknown = {one.id: one for one in authors if one.id not in known}
        known.update(unknown)
        if not unknown:
            return []
        found = await self._store.pipeline([("EXISTS", keys.user(id)) for id in unknown])
        return [one for one, is_here in zip(unknown.values(), found, strict=True) if not is_here]


def read_file(
    stack: ExitStack,
    file: Path,
    format: FormatName | None,
    report: ImportReport,
    tell: Callable[[int], None],
) -> Arranged:
    report.format, records = stack.enter_context(formats.opened(file, format))
    comments = stack.enter_context(arranged(records, tell))
    report.total, report.orphans = comments.total, comments.orphans
    return comments


def converted(
    comments: Arranged, site: CachedKey, conversion: Conversion, report: ImportReport
) -> Iterator[Converted]:
    pages: set[str] = set()
    for page, batch in comments.batches(BATCH):
        try:
            address = page_address(site, page.url, page.key)
        except BadPage as bad:
            report.total -= len(batch)
            comments.skip(*(Skipped(reason="no page", id=one.id, detail=bad.detail) for one in batch))
            continue
        pages.add(address.id)
        made = conversion.batch(page, address, batch)
        report.pages = len(pages)
        report.shortened += made.shortened
        yield made

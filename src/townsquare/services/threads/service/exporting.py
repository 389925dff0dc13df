"""Export all comments of a site to a JSON Lines file."""

import gzip
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

import msgspec

from townsquare.clock import from_iso
from townsquare.comment_files import native
from townsquare.comment_files.models import (
    NOBODY,
    BadExportFile,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Status,
)
from townsquare.kit.paging import Cursor, page_up
from townsquare.services.threads import keys
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.pages import PageRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.problems import SiteMerging
from townsquare.services.threads.service.sites import Sites
from townsquare.store.store import Store

SHARE = 500  # comments or pages per read


class ExportReport(msgspec.Struct, kw_only=True):
    """The result of an export."""

    comments: int = 0
    pages: int = 0
    total_pages: int = 0


class Exporting:
    def __init__(self, store: Store, sites: Sites) -> None:
        self._store = store
        self._sites = sites

    async def export_file(
        self, site_id: str, file: Path, *, on_progress: Callable[[ExportReport], None] | None = None
    ) -> ExportReport:
        """Write all comments of a site, also pending and deleted ones; gzipped if the name ends in .gz."""
        await self._sites.get(site_id)
        pages = await self._settled_pages(site_id)
        report = ExportReport(total_pages=len(pages))
        part = file.with_name(f"{file.name}.part")
        try:
            with opened(part, packed=file.suffix == ".gz") as out:
                out.writelines(native.write([]))
                async for records in self._records(pages):
                    out.writelines(map(native.line_of, records))
                    report.pages += sum(isinstance(one, ImportedPage) for one in records)
                    report.comments += sum(isinstance(one, ImportedComment) for one in records)
                    if on_progress:
                        on_progress(report)
            part.replace(file)
        except OSError as error:
            raise BadExportFile(f"{file}: {error.strerror}") from None
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return report

    async def lines(self, site_id: str) -> AsyncIterator[bytes]:
        """The same, streamed."""
        return self._lines(await self._settled_pages(site_id))

    async def _lines(self, pages: Sequence[str]) -> AsyncIterator[bytes]:
        yield b"".join(native.write([]))
        async for records in self._records(pages):
            yield b"".join(map(native.line_of, records))

    async def _records(self, pages: Sequence[str]) -> AsyncIterator[list[ImportedPage | ImportedComment]]:
        """The records of these pages; raises if a merge began in the meantime."""
        for ids in shares(pages):
            await self._require_settled(ids)
            for page in await self._store.get_many([keys.page(id) for id in ids]):
                if page and not page.deleting:
                    yield [page_of(page)]
                    async for comments in self._comments(page.id):
                        yield comments
        for ids in shares(pages):
            await self._require_settled(ids)

    async def _settled_pages(self, site_id: str) -> list[str]:
        """All pages of a site; refused during a merge, because moving comments would be missed."""
        pages: list[str] = []
        after: Cursor | None = None
        while found := await page_up(self._store, keys.site_pages(site_id), after, SHARE):
            after = found[-1]
            ids = [one.member for one in found]
            await self._require_settled(ids)
            pages += ids
        return pages

    async def _require_settled(self, ids: Sequence[str]) -> None:
        asked = [("HMGET", keys.page(id), "id", "merging", "receives") for id in ids]
        moved = [("GET", keys.page_moved(id)) for id in ids]
        found = await self._store.pipeline([*asked, *moved])
        for (id, merging, receives), to in zip(found[: len(ids)], found[len(ids) :], strict=True):
            if merging or receives or (to and not id):  # the last: it was merged into another page
                raise SiteMerging()

    async def _comments(self, page_id: str) -> AsyncIterator[list[ImportedPage | ImportedComment]]:
        after: Cursor | None = None
        while found := await page_up(self._store, keys.page_all(page_id), after, SHARE):
            after = found[-1]
            records = await self._store.get_many([keys.comment(one.member) for one in found])
            comments = [one for one in records if one and not one.deleting]
            authors = await self._authors(comments)
            yield [comment_of(one, authors.get(one.author_id or "")) for one in comments]

    async def _authors(self, comments: Sequence[CommentRecord]) -> dict[str, CommenterRecord]:
        ids = list({one.author_id for one in comments if one.author_id})
        found = await self._store.get_many([keys.user(id) for id in ids]) if ids else []
        return {one.id: one for one in found if one}


def shares(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + SHARE] for at in range(0, len(ids), SHARE))


def opened(part: Path, *, packed: bool) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(part, "wb")) if packed else part.open("wb")


def page_of(page: PageRecord) -> ImportedPage:
    return ImportedPage(
        id=page.id,
        url=page.url,
        key="" if page.key == page.url else page.key,
        title=page.title or "",
        created_at=from_iso(page.created_at),
    )


def comment_of(comment: CommentRecord, author: CommenterRecord | None) -> ImportedComment:
    return ImportedComment(
        id=comment.id,
        page_id=comment.page_id,
        parent_id=comment.parent_id or "",
        author=author_of(author) if author else NOBODY,
        content=comment.content,
        created_at=from_iso(comment.created_at),
        edited_at=from_iso(comment.updated_at) if comment.edited else None,
        upvotes=comment.upvotes,
        downvotes=comment.downvotes,
        status="rejected" if comment.shadow else cast(Status, comment.status),
    )


def author_of(user: CommenterRecord) -> ImportedAuthor:
    return ImportedAuthor(id=user.id, name=user.name, email=user.email or "", avatar=user.avatar_url or "")

"""Import and export of a site's comments over HTTP, for administrators."""

from pathlib import Path
from typing import Annotated

import msgspec

from townsquare.api import AnyEndpoint, Call, Download, Limit, Nothing
from townsquare.comment_files.formats import FormatName
from townsquare.problems import PayloadTooLarge, RequestTimeout
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.imports import ImportState
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS
from townsquare.services.threads.service import Threads

JSON_LINES = "application/x-ndjson"
TRANSFER = Limit("transfer", 10, 60)  # one transfer may contain a whole site


class ImportRequest(msgspec.Struct, kw_only=True):
    format: FormatName | None = None
    dry_run: bool = False


def transfer_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    routes = Routes("/threads/v1/site", tag="threads", auth=access.administering, open_to_any_origin=True)
    refused = (*ACCESS, problems.AdminsOnly, problems.SiteNotFound)

    @routes.get("/export", limit=TRANSFER, errors=(*refused, problems.SiteMerging))
    async def export_comments(call: Call, asked: Nothing) -> Annotated[Download, JSON_LINES]:
        """Export all comments of the site as JSON Lines, including pending and deleted ones."""
        site = site_of(call)
        lines = await threads.exporting.lines(site.site_id)
        return Download(lines, JSON_LINES, f"{ascii_name(site.domain)}.jsonl")

    @routes.post(
        "/import",
        limit=TRANSFER,
        errors=(*refused, problems.ImportRunning, problems.TooManyImports, PayloadTooLarge, RequestTimeout),
    )
    async def import_comments(call: Call, asked: ImportRequest, upload: Path) -> ImportState:
        """Import the file in the body: an export of another system or of Townsquare, also as .gz or .zip."""
        return await threads.imports.start(
            viewer_of(call), upload, format=asked.format, dry_run=asked.dry_run
        )

    @routes.get("/import", errors=(*refused, problems.ImportNotFound))
    async def read_import(call: Call, asked: Nothing) -> ImportState:
        """The state and the report of the last import."""
        return await threads.imports.state(viewer_of(call))

    return routes.endpoints


def ascii_name(domain: str) -> str:
    return "".join(one if one.isascii() and (one.isalnum() or one in ".-") else "_" for one in domain)

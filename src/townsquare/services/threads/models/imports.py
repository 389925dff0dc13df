"""The report and the state of an import."""

from typing import Literal

import msgspec

from townsquare.comment_files.models import Skipped


class ImportReport(msgspec.Struct, kw_only=True):
    """The result of an import, or of a dry run."""

    format: str = ""
    dry_run: bool = False
    read: int = 0  # comments read so far
    total: int = 0  # comments to store; 0 until the whole file is read
    created: int = 0
    unchanged: int = 0  # imported before
    pages: int = 0
    authors: int = 0  # that did not exist
    orphans: int = 0  # replies without their parent, imported as top-level comments
    shortened: int = 0  # texts of more than 10,000 characters
    skipped: dict[str, int] = {}  # by reason
    samples: list[Skipped] = []
    repaired: list[str] = []  # syntax errors that were corrected, with their lines

    @property
    def done(self) -> int:
        return self.created + self.unchanged


class ImportState(msgspec.Struct, kw_only=True):
    """The state of an import over HTTP.

    `interrupted`: the server stopped during the import. Send the file again.
    """

    id: str
    state: Literal["running", "done", "failed", "interrupted"] = "running"
    problem: str = ""  # why it failed
    started_at: str
    updated_ms: int
    report: ImportReport

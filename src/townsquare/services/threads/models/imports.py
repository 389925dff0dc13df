"""What becomes of a file that is imported."""

from typing import Literal

import msgspec

from townsquare.services.threads.importing.models import Skipped


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


class ImportState(msgspec.Struct, kw_only=True):
    """How far a file is that was sent to be imported.

    `interrupted`: the server that worked on it has ended. Send it again: what is here already stays as it is.
    """

    id: str
    state: Literal["running", "done", "failed", "interrupted"] = "running"
    problem: str = ""  # why it failed
    started_at: str
    updated_ms: int
    report: ImportReport

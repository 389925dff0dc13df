"""The records of an import file, in the format of our own export (`native`).

The text of a comment is Markdown, so an import, an export and a second import do not change it (decision
026). Times are milliseconds since 1970, None if the file has no readable time.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.problems import Invalid

Moment = Annotated[int, Meta(ge=0, lt=10**13)]  # until the year 2286
Votes = Annotated[int, Meta(ge=0, lt=10**9)]
Status = Literal["approved", "pending", "rejected", "spam", "deleted"]
Reason = Literal[
    "spam", "deleted", "empty", "pingback", "not a comment", "no page", "page deleted", "twice", "unreadable"
]


class ImportedAuthor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The author in the other system: here a name that belongs to no account."""

    id: str = ""  # in the other system; "" if there is only a name
    name: str = ""
    email: str = ""
    website: str = ""
    avatar: str = ""


NOBODY = ImportedAuthor()


class ImportedPage(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="page"
):
    """A page with comments; `id` is its id in the file."""

    id: str
    url: str
    key: str = ""  # the page_key, if the page is not identified by its URL
    title: str = ""
    created_at: Moment | None = None
    deleted: bool = False


class ImportedComment(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="comment"
):
    """A comment, or a placeholder with the status `deleted`. The ids are those of the other system."""

    id: str
    page_id: str
    parent_id: str = ""
    author: ImportedAuthor = NOBODY
    content: str = ""
    created_at: Moment | None = None
    edited_at: Moment | None = None  # None if it was never edited
    upvotes: Votes = 0
    downvotes: Votes = 0
    status: Status = "approved"


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is not imported, and the reason."""

    reason: Reason
    id: str = ""
    detail: str = ""


class Repaired(msgspec.Struct, frozen=True):
    """A syntax error in the file that was corrected."""

    detail: str  # with the line


Imported = ImportedPage | ImportedComment | Skipped | Repaired


BadImportFile = Invalid.declare("bad_import_file", "The file cannot be imported")
BadExportFile = Invalid.declare("bad_export_file", "The file cannot be written")

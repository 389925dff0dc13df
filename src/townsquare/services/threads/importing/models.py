"""What a file of another comment system is read into, and the lines of our own (`native`).

A comment's text is Markdown, whatever the file had: it is what is stored, shown in the editor and exported,
so what was imported once is exported and imported again unchanged (decision 026). Times are ms since 1970,
None where the file has none that can be read.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Moment = Annotated[int, Meta(ge=0, lt=10**13)]  # until the year 2286
Votes = Annotated[int, Meta(ge=0, lt=10**9)]
Status = Literal["approved", "pending", "rejected", "spam", "deleted"]
Reason = Literal[
    "spam", "deleted", "empty", "pingback", "not a comment", "no page", "page deleted", "twice", "unreadable"
]


class ImportedAuthor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whoever wrote it, as the other system knew them: an unclaimed name here."""

    id: str = ""  # elsewhere; "" if only a name was given
    name: str = ""
    email: str = ""
    website: str = ""
    avatar: str = ""


NOBODY = ImportedAuthor()


class ImportedPage(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="page"
):
    """What was commented on; `id` is what comments of the same file call it."""

    id: str
    url: str
    key: str = ""  # the page_key, where the page is not known by its URL
    title: str = ""
    created_at: Moment | None = None
    deleted: bool = False


class ImportedComment(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="comment"
):
    """A comment, or with the status `deleted` its place. The ids are those of the other system."""

    id: str
    page_id: str
    parent_id: str = ""
    author: ImportedAuthor = NOBODY
    content: str = ""
    created_at: Moment | None = None
    edited_at: Moment | None = None  # None if it never was
    upvotes: Votes = 0
    downvotes: Votes = 0
    status: Status = "approved"


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """What is not imported, and why."""

    reason: Reason
    id: str = ""
    detail: str = ""


Imported = ImportedPage | ImportedComment | Skipped

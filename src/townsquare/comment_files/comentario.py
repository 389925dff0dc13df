"""Comentario 3: one JSON document with pages, comments and commenters, usually gzipped.

Texts are Markdown. Of the votes only the sum is exported.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.comment_files.html_markdown import to_markdown
from townsquare.comment_files.json_files import UNREADABLE, read_document
from townsquare.comment_files.models import (
    Imported,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Skipped,
    Status,
)
from townsquare.comment_files.values import line, lines, moment, votes


class ComentarioExport(msgspec.Struct):
    pages: list[msgspec.Raw] | None = None
    comments: list[msgspec.Raw] | None = None
    commenters: list[msgspec.Raw] | None = None


class ComentarioPage(msgspec.Struct, rename="camel"):
    id: str
    path: str = ""
    title: str = ""
    created_time: str = ""


class ComentarioCommenter(msgspec.Struct, rename="camel"):
    id: str
    name: str = ""
    email: str = ""
    website_url: str = ""


class ComentarioComment(msgspec.Struct, rename="camel"):
    id: str
    page_id: str
    parent_id: str | None = None
    markdown: str = ""
    html: str = ""
    score: int = 0
    is_approved: bool = False
    is_pending: bool = False
    is_deleted: bool = False
    created_time: str = ""
    edited_time: str | None = None
    user_created: str | None = None
    author_name: str = ""  # of an author without an account


decode_export = msgspec.json.Decoder(ComentarioExport).decode
decode_page = msgspec.json.Decoder(ComentarioPage).decode
decode_commenter = msgspec.json.Decoder(ComentarioCommenter).decode
decode_comment = msgspec.json.Decoder(ComentarioComment).decode


def read(path: Path) -> Iterator[Imported]:
    export = read_document(path, decode_export)
    for number, text in enumerate(export.pages or (), 1):
        try:
            yield page_of(decode_page(text))
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"page {number:,}: {wrong}")
    authors: dict[str, ImportedAuthor] = {}
    for number, text in enumerate(export.commenters or (), 1):
        try:
            author = author_of(decode_commenter(text))
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"commenter {number:,}: {wrong}")
        else:
            authors[author.id] = author
    for number, text in enumerate(export.comments or (), 1):
        try:
            yield comment_of(decode_comment(text), authors)
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"comment {number:,}: {wrong}")


def page_of(found: ComentarioPage) -> ImportedPage:
    return ImportedPage(
        id=line(found.id),
        url=line(found.path),
        title=line(found.title),
        created_at=moment(found.created_time),
    )


def author_of(found: ComentarioCommenter) -> ImportedAuthor:
    return ImportedAuthor(
        id=line(found.id), name=line(found.name), email=line(found.email), website=line(found.website_url)
    )


def comment_of(found: ComentarioComment, authors: dict[str, ImportedAuthor]) -> ImportedComment:
    author = authors.get(line(found.user_created))
    return ImportedComment(
        id=line(found.id),
        page_id=line(found.page_id),
        parent_id=line(found.parent_id),
        author=author or ImportedAuthor(name=line(found.author_name)),
        content=lines(found.markdown) or to_markdown(lines(found.html)),
        created_at=moment(found.created_time),
        edited_at=moment(found.edited_time or ""),
        upvotes=votes(found.score),
        downvotes=votes(-found.score),
        status=status_of(found),
    )


def status_of(found: ComentarioComment) -> Status:
    if found.is_deleted:
        return "deleted"
    return "pending" if found.is_pending else "approved" if found.is_approved else "rejected"

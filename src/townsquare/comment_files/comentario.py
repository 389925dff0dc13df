"""Comentario 3: one JSON document with pages, comments and commenters, usually gzipped.

Texts are Markdown. Of the votes only the sum is exported.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.comment_files import models
from townsquare.comment_files.html_markdown import to_markdown
from townsquare.comment_files.unpacking import decoded, read_document
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


def read(path: Path) -> Iterator[models.Imported]:
    export = read_document(path, decode_export)
    for page in decoded(export.pages or (), decode_page, "page"):
        yield page if isinstance(page, models.Skipped) else page_of(page)
    authors: dict[str, models.ImportedAuthor] = {}
    for commenter in decoded(export.commenters or (), decode_commenter, "commenter"):
        if isinstance(commenter, models.Skipped):
            yield commenter
        else:
            authors[line(commenter.id)] = author_of(commenter)
    for comment in decoded(export.comments or (), decode_comment, "comment"):
        yield comment if isinstance(comment, models.Skipped) else comment_of(comment, authors)


def page_of(found: ComentarioPage) -> models.ImportedPage:
    return models.ImportedPage(
        id=line(found.id),
        url=line(found.path),
        title=line(found.title),
        created_at=moment(found.created_time),
    )


def author_of(found: ComentarioCommenter) -> models.ImportedAuthor:
    return models.ImportedAuthor(
        id=line(found.id), name=line(found.name), email=line(found.email), website=line(found.website_url)
    )


def comment_of(found: ComentarioComment, authors: dict[str, models.ImportedAuthor]) -> models.ImportedComment:
    author = authors.get(line(found.user_created))
    return models.ImportedComment(
        id=line(found.id),
        page_id=line(found.page_id),
        parent_id=line(found.parent_id),
        author=author or models.ImportedAuthor(name=line(found.author_name)),
        content=lines(found.markdown) or to_markdown(lines(found.html)),
        created_at=moment(found.created_time),
        edited_at=moment(found.edited_time or ""),
        upvotes=votes(found.score),
        downvotes=votes(-found.score),
        status=status_of(found),
    )


def status_of(found: ComentarioComment) -> models.Status:
    if found.is_deleted:
        return "deleted"
    return "pending" if found.is_pending else "approved" if found.is_approved else "rejected"

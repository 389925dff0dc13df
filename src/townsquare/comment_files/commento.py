"""Commento, Commento++ and Comentario 1: one JSON document with comments and commenters.

Texts are Markdown. Of the votes only the sum is exported.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.comment_files import models
from townsquare.comment_files.html_markdown import to_markdown
from townsquare.comment_files.unpacking import decoded, read_document
from townsquare.comment_files.values import line, lines, moment, votes

ROOT = "root"
STATUS: dict[str, models.Status] = {"approved": "approved", "": "approved"}  # otherwise unapproved or flagged
UNDEFINED = "undefined"  # written if there is no link or photo


class CommentoExport(msgspec.Struct):
    comments: list[msgspec.Raw] = []
    commenters: list[msgspec.Raw] = []


class CommentoCommenter(msgspec.Struct, rename="camel"):
    commenter_hex: str
    name: str = ""
    email: str = ""
    link: str = ""
    photo: str = ""


class CommentoComment(msgspec.Struct, rename="camel"):
    comment_hex: str
    url: str = ""  # the path
    path: str = ""
    domain: str = ""
    commenter_hex: str = ""
    markdown: str = ""
    html: str = ""
    parent_hex: str = ROOT
    score: int = 0
    state: str = ""
    creation_date: str = ""
    deleted: bool = False


decode_export = msgspec.json.Decoder(CommentoExport).decode
decode_commenter = msgspec.json.Decoder(CommentoCommenter).decode
decode_comment = msgspec.json.Decoder(CommentoComment).decode


def read(path: Path) -> Iterator[models.Imported]:
    export = read_document(path, decode_export)
    authors = dict(authors_of(export))
    pages: set[str] = set()
    for found in decoded(export.comments, decode_comment, "comment"):
        if isinstance(found, models.Skipped):
            yield found
            continue
        url = url_of(found)
        if url not in pages:
            pages.add(url)
            yield models.ImportedPage(id=url, url=url)
        yield comment_of(found, url, authors.get(found.commenter_hex, models.NOBODY))


def authors_of(export: CommentoExport) -> Iterator[tuple[str, models.ImportedAuthor]]:
    for found in decoded(export.commenters, decode_commenter, "commenter"):
        if isinstance(found, models.Skipped):
            continue  # their comments are imported without a name
        yield (
            found.commenter_hex,
            models.ImportedAuthor(
                id=line(found.commenter_hex),
                name=line(found.name),
                email=line(found.email),
                website="" if found.link == UNDEFINED else line(found.link),
                avatar="" if found.photo == UNDEFINED else line(found.photo),
            ),
        )


def url_of(found: CommentoComment) -> str:
    path, domain = line(found.url) or line(found.path), line(found.domain)
    return f"https://{domain}{path}" if domain and path.startswith("/") else path


def comment_of(found: CommentoComment, url: str, author: models.ImportedAuthor) -> models.ImportedComment:
    return models.ImportedComment(
        id=line(found.comment_hex),
        page_id=url,
        parent_id="" if found.parent_hex == ROOT else line(found.parent_hex),
        author=author,
        content=lines(found.markdown) or to_markdown(lines(found.html)),
        created_at=moment(found.creation_date),
        upvotes=votes(found.score),
        downvotes=votes(-found.score),
        status="deleted" if found.deleted else STATUS.get(found.state, "pending"),
    )

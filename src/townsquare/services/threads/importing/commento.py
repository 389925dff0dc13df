"""Commento and Commento++: the JSON that they export, one document with comments and commenters.

Texts are Markdown. Of votes there is the sum alone. The document is mapped, not read: what is in memory at
a time is one comment and where the others are.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.services.threads.importing.html_markdown import to_markdown
from townsquare.services.threads.importing.json_lines import UNREADABLE
from townsquare.services.threads.importing.models import (
    NOBODY,
    Imported,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Skipped,
    Status,
)
from townsquare.services.threads.importing.problems import BadImportFile
from townsquare.services.threads.importing.values import line, lines, moment, votes

ROOT = "root"
STATUS: dict[str, Status] = {"approved": "approved", "": "approved"}  # otherwise unapproved or flagged
UNDEFINED = "undefined"  # how it writes that there is no link or no photo
HEAD = 1 << 12  # bytes: the first "{" stands in it


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


def read(path: Path) -> Iterator[Imported]:
    export = mapped(path)
    authors = dict(authors_of(export))
    pages: set[str] = set()
    for number, text in enumerate(export.comments, 1):
        try:
            found = decode_comment(text)
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"comment {number:,}: {wrong}")
            continue
        url = url_of(found)
        if url not in pages:
            pages.add(url)
            yield ImportedPage(id=url, url=url)
        yield comment_of(found, url, authors.get(found.commenter_hex, NOBODY))


def mapped(path: Path) -> CommentoExport:
    with path.open("rb") as file:
        text = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    first = bytes(text[:HEAD]).find(b"{")
    try:
        return decode_export(text[max(first, 0) :])
    except UNREADABLE as wrong:
        raise BadImportFile(f"The JSON is broken: {wrong}") from None


def authors_of(export: CommentoExport) -> Iterator[tuple[str, ImportedAuthor]]:
    for text in export.commenters:
        try:
            found = decode_commenter(text)
        except UNREADABLE:
            continue  # their comments have no name, which is better than no comments
        yield (
            found.commenter_hex,
            ImportedAuthor(
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


def comment_of(found: CommentoComment, url: str, author: ImportedAuthor) -> ImportedComment:
    return ImportedComment(
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

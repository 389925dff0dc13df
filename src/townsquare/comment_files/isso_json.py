"""Isso's generic JSON: a list of threads with their comments, as `isso import -t generic` reads it.

Texts are Markdown. Ids are unique within a thread. There are no replies and no votes.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.comment_files.json_files import UNREADABLE, read_document
from townsquare.comment_files.models import Imported, ImportedAuthor, ImportedComment, ImportedPage, Skipped
from townsquare.comment_files.values import line, lines, moment


class IssoThread(msgspec.Struct):
    id: str  # the path of the page
    title: str | None = ""
    comments: list[msgspec.Raw] = []


class IssoComment(msgspec.Struct):
    id: int | str
    text: str | None = ""
    author: str | None = ""
    email: str | None = ""
    website: str | None = ""
    created: str = ""


decode_threads = msgspec.json.Decoder(list[msgspec.Raw]).decode
decode_thread = msgspec.json.Decoder(IssoThread).decode
decode_comment = msgspec.json.Decoder(IssoComment).decode


def read(path: Path) -> Iterator[Imported]:
    for number, text in enumerate(read_document(path, decode_threads, b"["), 1):
        try:
            thread = decode_thread(text)
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"thread {number:,}: {wrong}")
            continue
        page = ImportedPage(id=line(thread.id), url=line(thread.id), title=line(thread.title))
        yield page
        for comment in thread.comments:
            try:
                yield comment_of(decode_comment(comment), page)
            except UNREADABLE as wrong:
                yield Skipped(reason="unreadable", detail=f"thread {number:,}: {wrong}")


def comment_of(found: IssoComment, page: ImportedPage) -> ImportedComment:
    return ImportedComment(
        id=line(found.id),
        page_id=page.id,
        author=ImportedAuthor(name=line(found.author), email=line(found.email), website=line(found.website)),
        content=lines(found.text),
        created_at=moment(found.created),
    )

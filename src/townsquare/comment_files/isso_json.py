"""Isso's generic JSON: a list of threads with their comments, as `isso import -t generic` reads it.

Texts are Markdown. Ids are unique within a thread. There are no replies and no votes.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.comment_files.models import Imported, ImportedAuthor, ImportedComment, ImportedPage, Skipped
from townsquare.comment_files.unpacking import decoded, read_document
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
    threads = read_document(path, decode_threads, b"[")
    for number, thread in enumerate(decoded(threads, decode_thread, "thread"), 1):
        if isinstance(thread, Skipped):
            yield thread
            continue
        page = ImportedPage(id=line(thread.id), url=line(thread.id), title=line(thread.title))
        yield page
        for found in decoded(thread.comments, decode_comment, f"thread {number:,}, comment"):
            yield found if isinstance(found, Skipped) else comment_of(found, page)


def comment_of(found: IssoComment, page: ImportedPage) -> ImportedComment:
    return ImportedComment(
        id=line(found.id),
        page_id=page.id,
        author=ImportedAuthor(name=line(found.author), email=line(found.email), website=line(found.website)),
        content=lines(found.text),
        created_at=moment(found.created),
    )

"""Disqus: the XML that its moderation panel exports.

Threads and posts stand beside each other below the root and name each other by `dsq:id`. Texts are HTML.
Several threads may have one address. It has no votes and no times of editing.
"""

from collections.abc import Iterator
from pathlib import Path

from townsquare.kit.urls import is_web_url
from townsquare.services.threads.importing.html_markdown import to_markdown
from townsquare.services.threads.importing.models import (
    Imported,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Status,
)
from townsquare.services.threads.importing.values import line, lines, moment
from townsquare.services.threads.importing.xml_records import read_records

THREAD, POST = "/disqus/thread", "/disqus/post"
WANTED = {
    THREAD: {"@id", "id", "link", "title", "createdAt", "isDeleted"},
    POST: {
        *("@id", "id", "message", "createdAt", "isDeleted", "isSpam", "thread@id", "parent@id"),
        *("author/name", "author/username", "author/email", "author/link", "author/avatar"),
    },
}


def read(path: Path) -> Iterator[Imported]:
    for record in read_records(path, WANTED):
        yield page_of(record.fields) if record.path == THREAD else comment_of(record.fields)


def page_of(thread: dict[str, str]) -> ImportedPage:
    link, identifier = line(thread.get("link")), line(thread.get("id"))
    return ImportedPage(
        id=line(thread.get("@id")),
        url=identifier if not link and is_web_url(identifier) else link,
        title=line(thread.get("title")),
        created_at=moment(thread.get("createdAt", "")),
        deleted=thread.get("isDeleted") == "true",
    )


def comment_of(post: dict[str, str]) -> ImportedComment:
    return ImportedComment(
        id=line(post.get("@id")) or line(post.get("id")),
        page_id=line(post.get("thread@id")),
        parent_id=line(post.get("parent@id")),
        author=ImportedAuthor(
            id=line(post.get("author/username")),
            name=line(post.get("author/name")),
            email=line(post.get("author/email")),
            website=line(post.get("author/link")),
            avatar=line(post.get("author/avatar")),
        ),
        content=to_markdown(lines(post.get("message"))),
        created_at=moment(post.get("createdAt", "")),
        status=status_of(post),
    )


def status_of(post: dict[str, str]) -> Status:
    if post.get("isSpam") == "true":
        return "spam"
    return "deleted" if post.get("isDeleted") == "true" else "approved"

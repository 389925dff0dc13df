"""Disqus: the XML that its moderation panel exports.

Threads and posts are children of the root element and refer to each other by `dsq:id`. Texts are HTML.
Several threads can have the same URL. The export has no votes and no edit times.
"""

from collections.abc import Iterator
from pathlib import Path

from townsquare.comment_files import models
from townsquare.comment_files.html_markdown import to_markdown
from townsquare.comment_files.values import line, lines, moment
from townsquare.comment_files.xml_records import read_records
from townsquare.kit.urls import is_web_url

THREAD, POST = "/disqus/thread", "/disqus/post"
WANTED = {
    THREAD: {"@id", "id", "link", "title", "createdAt", "isDeleted"},
    POST: {
        *("@id", "id", "message", "createdAt", "isDeleted", "isSpam", "thread@id", "parent@id"),
        *("author/name", "author/username", "author/email", "author/link", "author/avatar"),
    },
}


def read(path: Path) -> Iterator[models.Imported]:
    for record in read_records(path, WANTED):
        if isinstance(record, models.Repaired):
            yield record
        else:
            yield page_of(record.fields) if record.path == THREAD else comment_of(record.fields)


def page_of(thread: dict[str, str]) -> models.ImportedPage:
    link, identifier = line(thread.get("link")), line(thread.get("id"))
    return models.ImportedPage(
        id=line(thread.get("@id")),
        url=identifier if not link and is_web_url(identifier) else link,
        title=line(thread.get("title")),
        created_at=moment(thread.get("createdAt", "")),
        deleted=thread.get("isDeleted") == "true",
    )


def comment_of(post: dict[str, str]) -> models.ImportedComment:
    return models.ImportedComment(
        id=line(post.get("@id")) or line(post.get("id")),
        page_id=line(post.get("thread@id")),
        parent_id=line(post.get("parent@id")),
        author=models.ImportedAuthor(
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


def status_of(post: dict[str, str]) -> models.Status:
    if post.get("isSpam") == "true":
        return "spam"
    return "deleted" if post.get("isDeleted") == "true" else "approved"

"""WordPress: the XML of Tools → Export (WXR), every version of it.

An item is a post with its comments inside. Texts are HTML whose line breaks count. Pingbacks, trackbacks
and what plugins keep as comments, notes on orders for one, are no comments.
"""

from collections.abc import Iterator
from pathlib import Path

from townsquare.services.threads.importing.html_markdown import to_markdown
from townsquare.services.threads.importing.models import (
    Imported,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Skipped,
    Status,
)
from townsquare.services.threads.importing.values import line, lines, moment
from townsquare.services.threads.importing.xml_records import XmlRecord, read_records

ITEM, COMMENT = "/rss/channel/item", "/rss/channel/item/comment"
WANTED = {
    ITEM: {"link", "title", "status", "post_date_gmt"},
    COMMENT: {
        *("comment_id", "comment_parent", "comment_type", "comment_approved", "comment_content"),
        *("comment_author", "comment_author_email", "comment_author_url", "comment_user_id"),
        *("comment_date_gmt", "comment_date"),
    },
}
WRITTEN = frozenset({"", "comment", "review"})
PINGS = frozenset({"pingback", "trackback"})
STATUS: dict[str, Status] = {"1": "approved", "0": "pending", "spam": "spam"}


def read(path: Path) -> Iterator[Imported]:
    for record in read_records(path, WANTED):
        yield page_of(record) if record.path == ITEM else comment_of(record)


def page_of(item: XmlRecord) -> ImportedPage:
    return ImportedPage(
        id=str(item.number),
        url=line(item.fields.get("link")),
        title=line(item.fields.get("title")),
        created_at=moment(item.fields.get("post_date_gmt", "")),
        deleted=item.fields.get("status") == "trash",
    )


def comment_of(record: XmlRecord) -> ImportedComment | Skipped:
    found = record.fields
    id, kind = line(found.get("comment_id")), line(found.get("comment_type"))
    if kind not in WRITTEN:
        return Skipped(reason="pingback" if kind in PINGS else "not a comment", id=id, detail=kind)
    user = line(found.get("comment_user_id"))
    return ImportedComment(
        id=id,
        page_id=str(record.within),
        parent_id=line(found.get("comment_parent")).strip("0") and line(found.get("comment_parent")),
        author=ImportedAuthor(
            id="" if user == "0" else user,
            name=line(found.get("comment_author")),
            email=line(found.get("comment_author_email")),
            website=line(found.get("comment_author_url")),
        ),
        content=to_markdown(lines(found.get("comment_content")), newlines=True),
        created_at=moment(found.get("comment_date_gmt", "")) or moment(found.get("comment_date", "")),
        status=STATUS.get(line(found.get("comment_approved")), "deleted"),  # trash, post-trashed
    )

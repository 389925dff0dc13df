"""WordPress: the XML of Tools → Export (WXR), of every version.

An item is a post and contains its comments. Line breaks in the HTML of a text are shown. Pingbacks,
trackbacks and records of plugins, such as order notes, are skipped.
"""

from collections.abc import Iterator
from pathlib import Path

from townsquare.comment_files import models
from townsquare.comment_files.html_markdown import to_markdown
from townsquare.comment_files.values import line, lines, moment
from townsquare.comment_files.xml_records import XmlRecord, read_records

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
STATUS: dict[str, models.Status] = {"1": "approved", "0": "pending", "spam": "spam"}


def read(path: Path) -> Iterator[models.Imported]:
    for record in read_records(path, WANTED):
        if isinstance(record, models.Repaired):
            yield record
        else:
            yield page_of(record, path) if record.path == ITEM else comment_of(record, path)


def page_id(path: Path, number: int) -> str:
    """Items have no id that is unique across the files of an archive."""
    return f"{path.name} {number}"


def page_of(item: XmlRecord, path: Path) -> models.ImportedPage:
    return models.ImportedPage(
        id=page_id(path, item.number),
        url=line(item.fields.get("link")),
        title=line(item.fields.get("title")),
        created_at=moment(item.fields.get("post_date_gmt", "")),
        deleted=item.fields.get("status") == "trash",
    )


def comment_of(record: XmlRecord, path: Path) -> models.ImportedComment | models.Skipped:
    found = record.fields
    id, kind = line(found.get("comment_id")), line(found.get("comment_type"))
    if kind not in WRITTEN:
        return models.Skipped(reason="pingback" if kind in PINGS else "not a comment", id=id, detail=kind)
    user = line(found.get("comment_user_id"))
    return models.ImportedComment(
        id=id,
        page_id=page_id(path, record.within),
        parent_id=line(found.get("comment_parent")).strip("0") and line(found.get("comment_parent")),
        author=models.ImportedAuthor(
            id="" if user == "0" else user,
            name=line(found.get("comment_author")),
            email=line(found.get("comment_author_email")),
            website=line(found.get("comment_author_url")),
        ),
        content=to_markdown(lines(found.get("comment_content")), newlines=True),
        created_at=moment(found.get("comment_date_gmt", "")) or moment(found.get("comment_date", "")),
        status=STATUS.get(line(found.get("comment_approved")), "deleted"),  # trash, post-trashed
    )

"""Remark42: its backup, a line with users and posts, then one comment per line.

`orig` is the text as written: Markdown with HTML entities from a sanitiser. `text` is its HTML; comments that
Remark42 itself imported have only this.
"""

from collections.abc import Iterator
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from townsquare.comment_files import models
from townsquare.comment_files.html_markdown import to_markdown
from townsquare.comment_files.unpacking import decoded, read_lines
from townsquare.comment_files.values import line, lines, moment, votes

GONE = "deleted"  # the id and name of a deleted user


class Locator(msgspec.Struct):
    url: str = ""


class RemarkUser(msgspec.Struct):
    id: str = ""
    name: str = ""
    picture: str = ""


class RemarkEdit(msgspec.Struct):
    time: str = ""


class RemarkComment(msgspec.Struct):
    id: str
    locator: Locator
    pid: str = ""
    text: str = ""
    orig: str = ""
    user: RemarkUser = msgspec.field(default_factory=RemarkUser)
    score: int = 0
    votes: dict[str, bool] | None = None
    time: str = ""
    edit: RemarkEdit | None = None
    delete: bool = False
    title: str = ""


decode = msgspec.json.Decoder(RemarkComment).decode


def read(path: Path) -> Iterator[models.Imported]:
    pages: set[str] = set()
    for found in decoded(islice(read_lines(path), 1, None), decode, "line", start=2):
        if isinstance(found, models.Skipped):
            yield found
            continue
        url = line(found.locator.url)
        if url not in pages:
            pages.add(url)
            yield models.ImportedPage(id=url, url=url, title=line(unescape(found.title)))
        yield comment_of(found, url)


def comment_of(found: RemarkComment, url: str) -> models.ImportedComment:
    up, down = votes_of(found)
    return models.ImportedComment(
        id=line(found.id),
        page_id=url,
        parent_id=line(found.pid),
        author=models.ImportedAuthor(
            id="" if found.user.id == GONE else line(found.user.id),
            name="" if found.user.id == GONE else line(unescape(found.user.name)),
            avatar=line(found.user.picture),
        ),
        content=lines(unescape(found.orig)) if found.orig else to_markdown(lines(found.text)),
        created_at=moment(found.time),
        edited_at=moment(found.edit.time) if found.edit else None,
        upvotes=up,
        downvotes=down,
        status="deleted" if found.delete else "approved",
    )


def votes_of(found: RemarkComment) -> tuple[int, int]:
    given: Any = (found.votes or {}).values()
    if not given:
        return votes(found.score), votes(-found.score)
    return sum(given), len(given) - sum(given)

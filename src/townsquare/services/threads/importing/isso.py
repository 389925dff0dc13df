"""Isso: its SQLite database, every version of it.

Texts are Markdown. `mode` is 1 for approved, 2 for pending, 4 for deleted with replies; answers are one
deep. A page is known by its path.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from townsquare.services.threads.importing.models import (
    Imported,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Status,
)
from townsquare.services.threads.importing.problems import BadImportFile
from townsquare.services.threads.importing.values import line, lines, milliseconds, votes

STATUS: dict[Any, Status] = {1: "approved", 2: "pending", 4: "deleted"}
TABLES = (
    "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN ('threads', 'comments') AND rootpage"
)
PAGES = "SELECT id, uri, title FROM threads ORDER BY id"
COMMENTS = (
    "SELECT id, tid, parent, created, modified, mode, text, author, email, website, likes, dislikes"
    " FROM comments ORDER BY id"
)


def read(path: Path) -> Iterator[Imported]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = lambda text: text.decode(errors="replace")
            database.row_factory = sqlite3.Row
            if database.execute(TABLES).fetchone()[0] != 2:
                raise BadImportFile("The database has no comments of Isso")
            yield from map(page_of, database.execute(PAGES))
            yield from map(comment_of, database.execute(COMMENTS))
    except sqlite3.Error as broken:
        raise BadImportFile(f"The database cannot be read: {broken}") from None


def page_of(row: sqlite3.Row) -> ImportedPage:
    return ImportedPage(id=line(row["id"]), url=line(row["uri"]), title=line(row["title"]))


def comment_of(row: sqlite3.Row) -> ImportedComment:
    return ImportedComment(
        id=line(row["id"]),
        page_id=line(row["tid"]),
        parent_id=line(row["parent"]),
        author=ImportedAuthor(
            name=line(row["author"]), email=line(row["email"]), website=line(row["website"])
        ),
        content=lines(row["text"]),
        created_at=milliseconds(row["created"]),
        edited_at=milliseconds(row["modified"]),
        upvotes=votes(row["likes"]),
        downvotes=votes(row["dislikes"]),
        status=STATUS.get(row["mode"], "pending"),
    )

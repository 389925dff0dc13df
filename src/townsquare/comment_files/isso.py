"""Isso: its SQLite database, of every version.

Texts are Markdown. `mode` is 1 for approved, 2 for pending, 4 for deleted with replies. Replies are one
level deep. A page is identified by its path.

The schema of an uploaded database is untrusted: only stored columns of real tables are read.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from townsquare.comment_files import models
from townsquare.comment_files.values import line, lines, milliseconds, votes

STATUS: dict[Any, models.Status] = {1: "approved", 2: "pending", 4: "deleted"}
TABLES = (
    "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN ('threads', 'comments') AND rootpage"
)
GENERATED = (
    "SELECT COUNT(*) FROM pragma_table_xinfo('threads') WHERE hidden"
    " UNION ALL SELECT COUNT(*) FROM pragma_table_xinfo('comments') WHERE hidden"
)
LIMITS = {  # of one connection; a value of SQLite is in memory as a whole
    sqlite3.SQLITE_LIMIT_LENGTH: 4 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
PAGES = "SELECT id, uri, title FROM threads ORDER BY id"
COMMENTS = (
    "SELECT id, tid, parent, created, modified, mode, text, author, email, website, likes, dislikes"
    " FROM comments ORDER BY id"
)


def read(path: Path) -> Iterator[models.Imported]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            for limit, value in LIMITS.items():
                database.setlimit(limit, value)
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = lambda text: text.decode(errors="replace")
            database.row_factory = sqlite3.Row
            if database.execute(TABLES).fetchone()[0] != 2:
                raise models.BadImportFile("The database has no comments of Isso")
            if any(count for (count,) in database.execute(GENERATED)):
                raise models.BadImportFile("The database has generated columns")
            yield from map(page_of, database.execute(PAGES))
            yield from map(comment_of, database.execute(COMMENTS))
    except sqlite3.Error as broken:
        raise models.BadImportFile(f"The database cannot be read: {broken}") from None


def page_of(row: sqlite3.Row) -> models.ImportedPage:
    return models.ImportedPage(id=line(row["id"]), url=line(row["uri"]), title=line(row["title"]))


def comment_of(row: sqlite3.Row) -> models.ImportedComment:
    return models.ImportedComment(
        id=line(row["id"]),
        page_id=line(row["tid"]),
        parent_id=line(row["parent"]),
        author=models.ImportedAuthor(
            name=line(row["author"]), email=line(row["email"]), website=line(row["website"])
        ),
        content=lines(row["text"]),
        created_at=milliseconds(row["created"]),
        edited_at=milliseconds(row["modified"]),
        upvotes=votes(row["likes"]),
        downvotes=votes(row["dislikes"]),
        status=STATUS.get(row["mode"], "pending"),
    )

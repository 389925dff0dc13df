"""Isso, Remark42, Commento and our own lines: what is particular to each."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from isso.config import new as isso_config
from isso.db import SQLite3

from tests.comment_files import files
from tests.comment_files.files import (
    Comment,
    commento_export,
    deep_thread,
    isso_comment,
    remark42_comment,
    remark42_lines,
)
from tests.comment_files.test_formats import tree_of, written
from townsquare.comment_files import comentario, formats
from townsquare.comment_files.arranging import arranged
from townsquare.comment_files.models import BadImportFile, ImportedComment
from townsquare.comment_files.values import MOST_VOTES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_a_database_that_isso_itself_has_made(path: Path) -> None:
    database = SQLite3(str(path), isso_config(None))
    database.threads.new("/a.html", "A")
    first, second, third, waiting = (
        database.comments.add(
            "/a.html", isso_comment(Comment(number, text=f"*{number}*", pending=number == 4), parent)
        )
        for number, parent in ((1, None), (2, 1), (3, 2), (4, None))
    )
    database.comments.vote(True, first["id"], "192.0.2.9")
    database.comments.vote(False, first["id"], "198.51.100.9")
    database.comments.update(second["id"], {"text": "_edited_", "modified": 1_600_000_000.5})
    database.comments.delete(third["id"])
    found = {comment.id: comment for _, comment in written(path)}
    assert set(found) == {"1", "2", "4"}
    assert (found["1"].content, found["1"].upvotes, found["1"].downvotes) == ("*1*", 1, 1)
    assert (found["2"].content, found["2"].edited_at, found["2"].parent_id) == (
        "_edited_",
        1_600_000_000_500,
        "1",
    )
    assert found["4"].status == "pending"
    assert found["4"].author.website == "https://example.org/"

    database.comments.delete(first["id"])  # it has a reply, so isso keeps its place
    assert {comment.id: comment.status for _, comment in written(path)} == {
        "1": "deleted",
        "2": "approved",
        "4": "pending",
    }
    database.comments.activate(waiting["id"])
    assert written(path)[1][1].status == "approved"


def test_isso_keeps_replies_one_deep(path: Path) -> None:
    files.isso(path, deep_thread())
    stored = written(path)
    assert len(stored) == 33
    assert {len(place) for place in tree_of(stored)} == {2, 3}


def test_values_of_any_type_in_a_database(path: Path) -> None:
    files.isso(path, [Comment(1)])
    database = sqlite3.connect(path)
    database.execute(
        "UPDATE comments SET author = x'c3', text = CAST(x'61c30062' AS TEXT), created = 'never', likes = -5"
    )
    database.execute("UPDATE comments SET parent = 'none', dislikes = 9e99, modified = x'00', mode = 77")
    database.commit()
    database.close()
    ((page, comment),) = written(path)
    assert (comment.content, comment.author.name, comment.created_at) == ("a\ufffdb", "", 0)
    assert (comment.upvotes, comment.downvotes, comment.parent_id, comment.status) == (
        0,
        10**9 - 1,
        "",
        "pending",
    )
    assert page.url == "/post"


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE other (id)",
        "CREATE TABLE comments (id); CREATE VIEW threads AS SELECT 1 AS id",
        "CREATE TABLE threads (id); CREATE TABLE comments (id)",
    ],
)
def test_a_database_of_something_else_is_refused(schema: str, path: Path) -> None:
    database = sqlite3.connect(path)
    database.executescript(schema)
    database.close()
    with pytest.raises(BadImportFile):
        written(path)


def remark42(path: Path, *changes: dict[str, Any]) -> None:
    meta = remark42_lines([])[0]
    lines = [remark42_comment(Comment(number)) | change for number, change in enumerate(changes, 1)]
    path.write_text("\ufeff" + "\n\t".join([meta, *map(json.dumps, lines), ""]))


def test_remark42_keeps_what_was_written_and_undoes_its_entities(path: Path) -> None:
    remark42(
        path,
        {
            "orig": "&gt; quote &amp; **bold**",
            "edit": {"time": "2020-01-01T00:00:00.123456789Z", "summary": ""},
        },
        {"orig": "", "text": "<p>from <em>Disqus</em></p>", "votes": None, "score": -3},
        {"user": {"name": "O&#39;Neill", "id": "x"}, "time": "2017-12-20T15:18:22-06:00"},
    )
    first, second, third = (comment for _, comment in written(path))
    assert (first.content, first.edited_at) == ("> quote & **bold**", 1_577_836_800_123)
    assert (second.content, second.upvotes, second.downvotes) == ("from *Disqus*", 0, 3)
    assert (third.author.name, third.created_at, third.upvotes, third.downvotes) == (
        "O'Neill",
        1_513_804_702_000,
        2,
        1,
    )


def test_lines_that_cannot_be_read_are_skipped_and_told(path: Path) -> None:
    remark42(path, {}, {"id": 5}, {"locator": None}, {"delete": True})
    with path.open("ab") as file:
        file.write(b'{}\n{"id": "\xff"}\nnot json\n' + b"[" * 100_000 + b"\n")
    with formats.opened(path) as (_, records), arranged(records) as found:
        assert found.total == 1
        assert found.skipped == {"unreadable": 6, "deleted": 1}
        assert {skipped.detail.partition(":")[0] for skipped in found.samples} >= {
            "line 3",
            "line 4",
            "line 6",
        }


def test_commento_has_its_commenters_after_the_comments(path: Path) -> None:
    export = commento_export(
        [Comment(1), Comment(2, parent=1, name="Bob"), Comment(3, pending=True), Comment(4, deleted=True)]
    )
    export["comments"][2] |= {"commenterHex": "anonymous", "score": 4}
    export["comments"] += [{"commentHex": 7}, {"markdown": "no id"}]
    export["commenters"].append({"name": "no hex"})
    path.write_text(json.dumps(export, indent=2))
    with formats.opened(path) as (_, records), arranged(records) as found:
        (page, comments), *_ = found.batches(9)
        assert found.skipped == {"unreadable": 2, "deleted": 1}
    first, third, second = comments
    assert page.url == "https://example.com/post"
    assert (first.author.name, first.author.email, first.author.website) == ("Ann", "ann@example.org", "")
    assert (first.author.avatar, first.downvotes) == ("https://example.org/photo.png", 2)
    assert (second.author.name, second.parent_id) == ("Bob", first.id)
    assert (third.author.name, third.status, third.upvotes) == ("", "pending", 4)


def test_a_number_of_many_digits_is_read(path: Path) -> None:
    comment = {"id": "c", "pageId": "p", "markdown": "text", "score": 10**400}
    export = {"version": 3, "pages": [{"id": "p", "path": "/x"}], "comments": [comment]}
    path.write_text(json.dumps(export))
    (found,) = [one for one in comentario.read(path) if isinstance(one, ImportedComment)]
    assert (found.upvotes, found.downvotes) == (MOST_VOTES - 1, 0)

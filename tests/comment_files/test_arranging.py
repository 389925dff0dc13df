"""Orphans, circles, places of what was deleted, and comments that nobody can place."""

from collections.abc import Iterable

import pytest

from townsquare.comment_files.arranging import arranged
from townsquare.comment_files.models import (
    Imported,
    ImportedAuthor,
    ImportedComment,
    ImportedPage,
    Skipped,
    Status,
)

PAGE = ImportedPage(id="p", url="https://example.com/p", created_at=1_000)
ANN = ImportedAuthor(name="Ann")


def comment(
    id: str, parent: str = "", at: int | None = 5, *, page: str = "p", status: Status = "approved"
) -> Imported:
    return ImportedComment(
        id=id, page_id=page, parent_id=parent, author=ANN, content=id, created_at=at, status=status, upvotes=2
    )


def order(records: Iterable[Imported]) -> list[ImportedComment]:
    with arranged(records) as found:
        return [comment for _, batch in found.batches(100) for comment in batch]


def test_a_reply_to_what_is_not_there_stands_for_itself() -> None:
    other = ImportedPage(id="q", url="https://example.com/q")
    records = [PAGE, other, comment("a", "gone"), comment("b", "c"), comment("c", page="q")]
    with arranged(records) as found:
        comments = [one for _, batch in found.batches(100) for one in batch]
        assert found.orphans == 2
    assert {one.id: one.parent_id for one in comments} == {"a": "", "b": "", "c": ""}


def test_a_circle_is_opened() -> None:
    found = order(
        [PAGE, comment("a", "c"), comment("b", "a"), comment("c", "b"), comment("d", "d"), comment("e", "a")]
    )
    seen = {""}
    for one in found:
        assert one.parent_id in seen
        seen.add(one.id)
    assert len(found) == 5
    assert sum(not one.parent_id for one in found) == 2


@pytest.mark.parametrize("status", ["deleted", "spam"])
def test_what_is_gone_keeps_its_place_above_what_stays(status: Status) -> None:
    records = [
        *(PAGE, comment("a", status=status), comment("b", "a", status=status), comment("c", "b")),
        *(comment("d", "c", status=status), comment("e", status=status)),
    ]
    with arranged(records) as found:
        a, b, c = (one for _, batch in found.batches(100) for one in batch)
        assert found.skipped == {status: 2}
    assert (a.status, b.status, c.status) == ("deleted", "deleted", "approved")
    assert (a.content, a.author.name, a.upvotes) == ("", "", 0)
    assert (b.parent_id, c.parent_id, c.content) == ("a", "b", "c")


def test_what_has_no_page_is_skipped_and_told() -> None:
    records = [
        *(
            comment("a"),
            comment("b", page="nowhere"),
            comment("c", page="deleted"),
            comment("d", page="unnamed"),
        ),
        *(
            ImportedPage(id="deleted", url="https://example.com/d", deleted=True),
            ImportedPage(id="unnamed", url=""),
        ),
        *(comment("a"), comment(""), Skipped(reason="pingback", id="x"), PAGE),
    ]
    with arranged(records) as found:
        assert found.total == 1
        assert found.skipped == {"no page": 2, "page deleted": 1, "twice": 1, "unreadable": 1, "pingback": 1}
        assert {skipped.id for skipped in found.samples} == {"b", "c", "d", "a", "", "x"}


def test_a_comment_without_a_time_has_that_of_what_it_replies_to() -> None:
    found = order([PAGE, comment("b", "a", None), comment("a", at=7_000), comment("c", at=None)])
    assert {one.id: one.created_at for one in found} == {"a": 7_000, "b": 7_000, "c": 1_000}


def test_comments_beside_each_other_are_in_the_order_of_time() -> None:
    found = order([PAGE, comment("c", at=3), comment("a", at=1), comment("b", at=2), comment("z", "a", at=0)])
    assert [one.id for one in found] == ["a", "b", "c", "z"]

"""Files of every system give the same comments, in an order in which they can be written."""

import gzip
import random
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.comment_files import files
from tests.comment_files.files import MAKERS, Comment, deep_thread
from townsquare.comment_files import formats, native
from townsquare.comment_files.arranging import arranged
from townsquare.comment_files.models import BadImportFile, ImportedComment, ImportedPage
from townsquare.comment_files.unpacking import unpacked

BATCH = 10


def written(path: Path) -> list[tuple[ImportedPage, ImportedComment]]:
    """Every comment with its page, in the order in which it would be stored."""
    with formats.opened(path) as (_, records), arranged(records) as comments:
        found = list(comments.batches(BATCH))
        assert sum(len(batch) for _, batch in found) == comments.total
    assert all(0 < len(batch) <= BATCH for _, batch in found)
    return [(page, comment) for page, batch in found for comment in batch]


def tree_of(found: Sequence[tuple[ImportedPage, ImportedComment]]) -> set[tuple[str, ...]]:
    """For each comment its page and the texts from its root down to itself; parents must come first."""
    paths: dict[str, tuple[str, ...]] = {"": ()}
    for page, comment in found:
        above = paths[comment.parent_id] or (page.url.removeprefix(files.SITE),)
        paths[comment.id] = (*above, comment.content)
    return set(paths.values()) - {()}


def told(comments: Sequence[Comment]) -> set[tuple[str, ...]]:
    paths: dict[int, tuple[str, ...]] = {}
    for comment in comments:
        above = paths[comment.parent] if comment.parent else (comment.page,)
        paths[comment.id] = (*above, comment.text)
    return set(paths.values())


@pytest.mark.parametrize("format", MAKERS)
def test_a_deep_thread_in_any_order_keeps_its_tree(format: str, tmp_path: Path) -> None:
    comments = deep_thread(["/one", "/two?p=2"])
    shuffled = random.Random(7).sample(comments, len(comments))
    path = tmp_path / "file"
    MAKERS[format](path, shuffled)
    with formats.opened(path) as (_, records), arranged(records) as found:
        assert (found.total, found.orphans, found.skipped) == (66, 0, {})
    stored = written(path)
    assert tree_of(stored) == told(comments)
    by_text = {(comment.page, comment.text): comment for comment in comments}
    for page, comment in stored:
        expected = by_text[page.url.removeprefix(files.SITE), comment.content]
        assert comment.author.name == expected.name
        assert comment.created_at == files.seconds(expected) * 1000
        assert comment.status == "approved"


@pytest.mark.parametrize("format", MAKERS)
def test_what_was_imported_and_exported_is_imported_the_same(format: str, tmp_path: Path) -> None:
    texts = [
        "*a* <b>b</b> & c_d_e",
        "> q\n\nhttp://x.org/a_b",
        "1. one\n2. two",
        "line\nline  \nline\\\nline",
    ]
    comments = [Comment(id=number, text=text) for number, text in enumerate(texts, 1)]
    path, exported = tmp_path / "file", tmp_path / "exported"
    MAKERS[format](path, comments)
    first = written(path)
    pages = {page.id: page for page, _ in first}.values()
    exported.write_bytes(b"".join(native.write([*pages, *(comment for _, comment in first)])))
    assert written(exported) == first


@pytest.mark.parametrize("format", MAKERS)
def test_the_format_is_seen_at_the_beginning(format: str, tmp_path: Path) -> None:
    path, packed = tmp_path / "file", tmp_path / "file.gz"
    MAKERS[format](path, deep_thread())
    assert len(written(path)) == 33
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with unpacked(path) as [plain]:
        assert formats.format_of(plain) == format
    if format not in ("remark42", "commento", "comentario"):  # these are packed already
        assert len(written(packed)) == 33


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"Dear comments, ...", "none of: disqus, wordpress"),
        (b'{"version": 3, "things": []}', "none of"),
        (b"[1, 2]", "none of"),
        (b"<rss version='2.0'><channel></channel></rss>", "none of"),
        (b"PK\x03\x04....", "unpacked: File is not a zip file"),
        (b"\x1f\x8b\x08\x00broken", "unpacked"),
        (b"SQLite format 3\0" + b"\0" * 200, "database"),
        (b"<disqus><post></disqus>", "broken in line 1"),
        (b"<disqus><post>", "broken"),
        (b'{"version": 1, "comments": [{"commentHex": "a"}', "JSON is broken"),
        (b'{"kind": "townsquare.comments", "version": 2}', "version 2"),
        (b'{"kind": "townsquare.comments", "version": "x"}', "first line"),
    ],
)
def test_what_is_no_export_is_refused_before_anything_is_written(
    content: bytes, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(BadImportFile, match=says):
        written(path)


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b" " * 5_000_000))
    with pytest.raises(BadImportFile, match="larger than 2 MiB"), unpacked(path, largest=2 << 20):
        pass


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._export", b"metadata")
        archive.writestr("folder/", b"")
        for name, content in members.items():
            archive.writestr(f"folder/{name}", content)
    return path


def test_a_zip_archive_may_have_several_files_of_one_format_and_a_readme(tmp_path: Path) -> None:
    part = tmp_path / "part"
    contents = []
    comments = deep_thread(["/one", "/two"])
    for page in ("/one", "/two"):
        files.wordpress(part, [comment for comment in comments if comment.page == page])
        contents.append(part.read_bytes())
    path = zipped(tmp_path / "a.zip", one=contents[0], two=contents[1], readme=b"Hello")
    assert tree_of(written(path)) == told(comments)


def test_a_zip_archive_is_bounded_and_of_one_format(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.zip", one=b" " * 1_500_000, two=b" " * 1_500_000)
    with pytest.raises(BadImportFile, match="larger than 2 MiB"), unpacked(path, largest=2 << 20):
        pass
    with pytest.raises(BadImportFile, match="no known format"):
        written(path)
    many = zipped(tmp_path / "many.zip", **{str(number): b"x" for number in range(101)})
    with pytest.raises(BadImportFile, match="101 files"):
        written(many)
    mixed = zipped(tmp_path / "mixed.zip", one=b"<disqus></disqus>", two=b'{"version": 3, "pages": []}')
    with pytest.raises(BadImportFile, match="comentario, disqus"):
        written(mixed)


def test_the_generic_json_of_isso(tmp_path: Path) -> None:
    path = tmp_path / "generic.json"
    comment = '{"email": "", "remote_addr": "0.0.0.0", "website": "", "created": "2005-02-24 04:03:37", %s}'
    first = comment % '"author": "ann", "id": 0, "text": "*one*"'
    second = comment % '"author": "bob", "id": 0, "text": "two"'
    path.write_text(
        f'[{{"comments": [{first}, {{"id": []}}], "id": "/posts/1/", "title": "One"}},'
        f' {{"id": "/posts/2/", "title": "Two", "comments": [{second}]}}]'
    )
    found = written(path)
    assert [(page.url, page.title, one.content, one.author.name) for page, one in found] == [
        ("/posts/1/", "One", "*one*", "ann"),
        ("/posts/2/", "Two", "two", "bob"),
    ]
    assert {one.created_at for _, one in found} == {1_109_217_817_000}

"""Disqus and WordPress: what their files have in them beside comments."""

import random
from pathlib import Path

import pytest

from tests.comment_files.files import (
    SITE,
    Comment,
    disqus_file,
    disqus_post,
    disqus_thread,
    wordpress_comment,
    wordpress_file,
    wordpress_item,
)
from tests.comment_files.test_formats import written
from townsquare.comment_files import formats
from townsquare.comment_files.arranging import arranged
from townsquare.comment_files.models import BadImportFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "export.xml"


def test_deleted_threads_spam_and_lost_posts_of_disqus(path: Path) -> None:
    posts = [
        *(disqus_post(Comment(1, deleted=True), 10), disqus_post(Comment(2, parent=1), 10)),
        *(disqus_post(Comment(3, spam=True), 10), disqus_post(Comment(4, deleted=True), 10)),
        *(disqus_post(Comment(5, parent=99), 10), disqus_post(Comment(6), 11), disqus_post(Comment(7), 12)),
        disqus_post(Comment(8), 10).replace(' dsq:id="8"', "", 1),  # known by its <id> alone
    ]
    threads = [disqus_thread(10, SITE + "/a"), disqus_thread(11, SITE + "/b", deleted=True)]
    path.write_text(disqus_file(*posts, *threads))
    with formats.opened(path) as (_, records), arranged(records) as found:
        comments = {comment.id: comment for _, batch in found.batches(9) for comment in batch}
        assert found.skipped == {"spam": 1, "deleted": 1, "page deleted": 1, "no page": 1}
        assert found.orphans == 1
    assert {id: comment.status for id, comment in comments.items()} == {
        "1": "deleted",
        "2": "approved",
        "5": "approved",
        "wp_id=8": "approved",
    }
    assert (comments["1"].content, comments["1"].author.name) == ("", "")


def test_pingbacks_notes_on_orders_and_states_of_wordpress(path: Path) -> None:
    comments = [
        *(wordpress_comment(Comment(1), kind="pingback"), wordpress_comment(Comment(2), kind="trackback")),
        *(wordpress_comment(Comment(3), kind="order_note"), wordpress_comment(Comment(4), kind="")),
        *(wordpress_comment(Comment(5, pending=True)), wordpress_comment(Comment(6, spam=True))),
        *(wordpress_comment(Comment(7, deleted=True)), wordpress_comment(Comment(8, parent=7))),
    ]
    trashed = wordpress_item(SITE + "/t", wordpress_comment(Comment(9)), status="trash")
    path.write_text(wordpress_file(wordpress_item(SITE + "/a", *comments), trashed, version="1.0"))
    with formats.opened(path) as (_, records), arranged(records) as found:
        states = {comment.id: comment.status for _, batch in found.batches(9) for comment in batch}
        assert found.skipped == {"pingback": 2, "not a comment": 1, "spam": 1, "page deleted": 1}
    assert states == {"4": "approved", "5": "pending", "7": "deleted", "8": "approved"}


def test_line_breaks_of_wordpress_are_kept(path: Path) -> None:
    text = (
        "One\ntwo &amp; three\n\n<b>Four</b> <a href='https://x.org/'>five</a>\r\n<ul>\n<li>six</li>\n</ul>"
    )
    path.write_text(wordpress_file(wordpress_item(SITE, wordpress_comment(Comment(1), text=text))))
    ((page, comment),) = written(path)
    assert comment.content == "One\\\ntwo & three\n\n**Four** [five](https://x.org/)\n\n- six"
    assert comment.author.email == "ann@example.org"
    assert (page.title, page.url) == (f"Title of {SITE}", SITE)


@pytest.mark.parametrize(
    "date", ["0000-00-00 00:00:00", "2011-x9-30 22:48:43", "", "9999-99-99", "0001-01-01 00:00:00"]
)
def test_a_wrong_date_does_not_lose_the_comment(date: str, path: Path) -> None:
    comment = wordpress_comment(Comment(1), date=date or " ")
    path.write_text(wordpress_file(wordpress_item(SITE, comment)))
    assert written(path)[0][1].created_at == 1_299_530_785_000  # that of the post


BEFORE = {
    "nothing": b"",
    "mark": b"\xef\xbb\xbf",
    "stray": b"`",
    "lines": b"\r\n\r\n",
    "bytes": b"\xff\xfe\xfd\0 ?",
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_bytes_before_and_after_the_xml_do_not_matter(before: bytes, path: Path) -> None:
    if before.startswith(b"\xff\xfe"):
        before = before[2:]  # two that mean UTF-16
    text = disqus_file(disqus_thread(1, SITE), disqus_post(Comment(1, text="Grüße"), 1))
    path.write_bytes(before + text.encode() + b"\n<br />Warning: something\0")
    assert [comment.content for _, comment in written(path)] == ["Grüße"]


def test_characters_that_no_xml_may_have_are_left_out(path: Path) -> None:
    text = disqus_file(
        disqus_thread(1, SITE), disqus_post(Comment(1, name="A&"), 1, html="a\x0bb\x00c\x1fd\ufffee")
    )
    broken = text.replace("A&amp;", "A&#11;&#x1F;&#xFFFF;&#99999999;&amp;&#66;").encode()
    path.write_bytes(broken.replace(b"<p>", b"") + b"")
    ((_, comment),) = written(path)
    assert (comment.content, comment.author.name) == ("abcde", "A&B")
    path.write_bytes(
        disqus_file(disqus_thread(1, SITE), disqus_post(Comment(1), 1, html="a~b"))
        .encode()
        .replace(b"~", b"\xc3")
    )
    assert written(path)[0][1].content == "a\ufffdb"


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252", "shift_jis"])
def test_other_encodings_are_read(encoding: str, path: Path) -> None:
    text = "日本" if encoding == "shift_jis" else "é"
    file = disqus_file(disqus_thread(1, SITE), disqus_post(Comment(1, text=text), 1))
    path.write_bytes(file.replace("utf-8", encoding, 1).encode(encoding))
    assert written(path)[0][1].content == text


def test_an_encoding_that_is_none_of_text_is_not_tried(path: Path) -> None:
    file = disqus_file(disqus_thread(1, SITE), disqus_post(Comment(1), 1))
    path.write_text(file.replace("utf-8", "zlib", 1))
    assert len(written(path)) == 1


BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE disqus [<!ENTITY a0 "ha">{BOMB}]>',
        '<!DOCTYPE disqus [<!ENTITY a29 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE disqus SYSTEM "http://127.0.0.1:1/x.dtd">',
    ],
)
def test_entities_are_refused(doctype: str, path: Path) -> None:
    file = disqus_file(
        disqus_thread(1, SITE), disqus_post(Comment(1, name="N"), 1).replace("<name>N", "<name>&a29;")
    )
    path.write_text(file.replace("<disqus", doctype + "<disqus", 1))
    with pytest.raises(BadImportFile, match="document type"):
        written(path)


def test_elements_are_not_nested_without_a_bound(path: Path) -> None:
    path.write_text("<disqus>" + "<a>" * 100_000)
    with pytest.raises(BadImportFile, match="nested"):
        written(path)


def test_a_reference_that_is_cut_by_a_read_is_whole(path: Path) -> None:
    source = random.Random(3)
    names = ["&amp;" * source.randint(1, 9) + "&#65;" * source.randint(1, 9) for _ in range(3_000)]
    posts = [
        disqus_post(Comment(n, name="N"), 1).replace("<name>N", f"<name>{name}")
        for n, name in enumerate(names, 1)
    ]
    path.write_text(disqus_file(disqus_thread(1, SITE), *posts))
    expected = [name.replace("&amp;", "&").replace("&#65;", "A") for name in names]
    assert [comment.author.name for _, comment in written(path)] == expected


def test_attributes_without_quotes_are_read_as_a_browser_reads_them_and_reported(path: Path) -> None:
    html = "<p>Look <a href=http://x.org/?a=1&b=2>here</a></p>"
    text = disqus_file(
        disqus_thread(7, "https://example.com/post"),
        disqus_post(Comment(1), 7, html=html),
        disqus_post(Comment(2, parent=1, text="é" * 70_000), 7),
        disqus_post(Comment(3, parent=2, text="Third"), 7),
    )
    for quoted, broken in (
        ('<thread dsq:id="7">', "<thread dsq:id=7 closed dsq:id=8>"),
        ('<post dsq:id="1">', "<post\ndsq:id=1>"),
        ('<post dsq:id="3">', "<post dsq:id=3>"),
        ('<parent dsq:id="2"/>', "<parent dsq:id=2/>"),
    ):
        assert quoted in text
        text = text.replace(quoted, broken)
    path.write_text(text)
    lines = text.split("\n")
    with formats.opened(path) as (_, records), arranged(records) as found:
        [(page, (first, second, third))] = found.batches(9)
        assert found.repaired == [
            f"line {number:,}: attributes of <{name}> without quotes"
            for name, tag in (
                *(("thread", "<thread dsq:id=7 "), ("post", "dsq:id=1>")),
                *(("post", "<post dsq:id=3"), ("parent", "<parent dsq:id=2/>")),
            )
            for number, line in enumerate(lines, 1)
            if tag in line
        ]
    assert page.url == "https://example.com/post"
    assert "http://x.org/?a=1&b=2" in first.content
    assert (second.parent_id, third.parent_id, third.content) == ("1", "2", "Third")


@pytest.mark.parametrize("broken", ["<post dsq:id=>", "<post <x>", "<post a='1>", "< post>", "<post =1>"])
def test_other_broken_tags_are_refused_with_their_line(broken: str, path: Path) -> None:
    path.write_text(disqus_file("\n" + broken + "</post>"))
    with (
        pytest.raises(BadImportFile, match="broken in line 3"),
        formats.opened(path) as (_, records),
        arranged(records),
    ):
        pass


def test_an_id_of_wordpress_may_occur_in_two_posts(path: Path) -> None:
    one = [Comment(1, text="first"), Comment(2, parent=1, text="second")]
    two = [Comment(1, text="third"), Comment(2, parent=1, text="fourth")]
    path.write_text(
        wordpress_file(
            wordpress_item("https://example.com/one", *map(wordpress_comment, one)),
            wordpress_item("https://example.com/two", *map(wordpress_comment, two)),
        )
    )
    with formats.opened(path) as (_, records), arranged(records) as found:
        assert (found.total, found.orphans, found.skipped) == (4, 0, {})
        assert [
            (page.url[-3:], one.content, one.parent_id) for page, some in found.batches(9) for one in some
        ] == [("one", "first", ""), ("one", "second", "1"), ("two", "third", ""), ("two", "fourth", "1")]

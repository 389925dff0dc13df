import pytest

from townsquare.web.responses import ReplyHeaders, limit_lines, pairs_of

LIMIT = limit_lines("write", 240, 60)


def test_the_headers_of_an_answer_in_one_piece_and_as_pairs() -> None:
    headers = ReplyHeaders()
    headers.set_limit(LIMIT, 239, 7)
    headers.others.append((b"retry-after", b"1"))
    lines = headers.lines("an-id", 12)
    assert pairs_of(lines) == [
        (b"ratelimit-policy", b'"write";q=240;w=60'),
        (b"ratelimit-limit", b"240"),
        (b"ratelimit-remaining", b"239"),
        (b"ratelimit-reset", b"7"),
        (b"x-request-id", b"an-id"),
        (b"content-length", b"12"),
        (b"retry-after", b"1"),
    ]
    assert lines == b"".join(b"%b: %b\r\n" % pair for pair in pairs_of(lines))


def test_what_was_not_told_has_no_header() -> None:
    assert ReplyHeaders().lines("an-id", None) == b"x-request-id: an-id\r\n"
    assert ReplyHeaders().lines("an-id", 0) == b"x-request-id: an-id\r\ncontent-length: 0\r\n"


def test_of_two_limits_the_latter_is_told() -> None:
    headers = ReplyHeaders()
    headers.set_limit(LIMIT, 239, 7)
    headers.set_limit(limit_lines("day", 10, 86_400), 3, 9)
    told = dict(pairs_of(headers.lines("an-id", None)))
    assert told[b"ratelimit-policy"] == b'"day";q=10;w=86400'
    assert told[b"ratelimit-remaining"] == b"3"


def test_a_copy_is_a_copy() -> None:
    headers = ReplyHeaders(LIMIT, 5, 6, [(b"a", b"b")])
    copy = headers.copy()
    assert copy == headers
    copy.others.append((b"c", b"d"))
    assert headers.others == [(b"a", b"b")]


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: x", b"a\nb", b"a\0"])
def test_no_value_breaks_out_of_its_line(value: bytes) -> None:
    with pytest.raises(ValueError, match="control character"):
        ReplyHeaders(others=[(b"x", value)]).lines("an-id", None)

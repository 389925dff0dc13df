from xml.etree import ElementTree

import pytest

from townsquare.services.widgets.drawing import draw_board, draw_like, draw_number, draw_ranking
from townsquare.services.widgets.drawing.lists import LINE_COLUMNS, LINES_OF_A_MESSAGE, broken
from townsquare.services.widgets.drawing.svg import columns, cut, quoted
from townsquare.services.widgets.models.bbs import ShownMessage
from townsquare.services.widgets.models.ranking import RankingEntry


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("\u202eab", 2)]
)
def test_text_is_as_wide_as_it_looks(text: str, width: int) -> None:
    assert columns(text) == width


def test_what_does_not_fit_is_cut() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert columns(cut("日本語日本語", 7)) <= 7


def test_a_long_message_is_broken_into_a_few_lines() -> None:
    lines = broken("x" * 420)
    assert len(lines) == LINES_OF_A_MESSAGE
    assert lines[-1].endswith("…")
    assert all(columns(line) <= LINE_COLUMNS + 1 for line in lines)
    assert broken("a\nb") == ["a", "b"]
    assert len(broken("字" * 40)) == 2


@pytest.mark.parametrize("text", ["\ufffe", "\x0b", "\x00", "<&>\"'"])
def test_no_text_breaks_the_picture(text: str) -> None:
    message = ShownMessage("1", text, text, "2026-01-01T00:00:00Z", None, {}, "")
    for drawn in (
        draw_number(text, "light", text),
        draw_number(text, "github", text),
        draw_like(text, text, "final", liked=True),
        draw_ranking(text, [RankingEntry(1, text, 1, text, None)], "mom"),
        draw_board(text, [message], "retro"),
    ):
        assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert "<" not in quoted(text)

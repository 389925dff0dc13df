from xml.etree import ElementTree

import pytest

from townsquare.services.widgets.drawing import draw_board, draw_like, draw_number, draw_ranking
from townsquare.services.widgets.drawing.lists import LINE_COLUMNS, LINES_OF_A_MESSAGE, broken
from townsquare.services.widgets.drawing.svg import columns, cut, quoted
from townsquare.services.widgets.drawing.themes import THEMES
from townsquare.services.widgets.models import RankingEntry, ShownMessage


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
    assert lines[-1] == "x" * (LINE_COLUMNS - 1) + "…"
    assert all(columns(line) <= LINE_COLUMNS for line in lines)
    assert broken("a\nb\nc\nd")[-1] == "c…"
    assert broken("a\nb") == ["a", "b"]
    assert len(broken("字" * 40)) == 2


def test_the_digits_of_a_like_leave_room_for_its_icon() -> None:
    drawn = ElementTree.fromstring(draw_like("heart", "000041", "kawaii", liked=False))
    heart, digits = 8 + 13, 6 * 10.5  # as wide as they get in bold
    assert int(drawn.get("width", "")) - 8 - digits - heart >= 4


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", THEMES)
def test_words_can_be_read_on_every_theme(name: str) -> None:
    """As WCAG counts it, 4.5 to 1, on the paper and on its pattern; a title is paper on the accent."""
    theme = THEMES[name]
    for text in (theme.ink, theme.accent):
        for ground in (theme.paper, theme.second or theme.paper):
            dark, light = sorted((luminance(text), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


@pytest.mark.parametrize(
    ("name", "pattern"), [("kawaii", "dots"), ("mom", "gingham"), ("retro", "lines"), ("final", "gradient")]
)
def test_a_theme_has_the_pattern_of_its_time(name: str, pattern: str) -> None:
    assert THEMES[name].pattern == pattern
    assert THEMES[name].second in draw_number("1", name, "visits")


def test_a_ranking_without_entries_says_so_below_its_framed_title() -> None:
    drawn = draw_ranking("Heroes", [], "light")
    assert "No scores yet" in drawn
    assert f'z" fill="{THEMES["light"].accent}"/>' in drawn
    assert "No messages yet" in draw_board("Guests", [], "light")


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

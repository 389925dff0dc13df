import time
import unicodedata

import pytest

from townsquare.kit.text import (
    MARK_RUN,
    MARKS,
    BadText,
    composed,
    folded,
    is_invisible,
    limit_marks,
    many_lines,
    one_line,
    one_name,
    pasted_lines,
    visible_name,
)

HUGE = "e\u0301" * 5_000_000


def fault_of(text: str, longest: int = 10) -> str:
    with pytest.raises(BadText) as refused:
        one_name(text, longest)
    return refused.value.fault


def test_a_line_is_kept_as_it_was_written() -> None:
    assert one_line("  cafe\u0301 \u202e ", 10) == "cafe\u0301 \u202e"
    assert one_line("", 10) == ""
    assert one_line("x" * 10, 10) == "x" * 10


@pytest.mark.parametrize("control", ["\x00", "\t", "\n", "\r", "\x1f", "\x7f", "\x85", "\u2028", "\ud800"])
def test_a_line_has_no_control_characters(control: str) -> None:
    assert fault_of(f"a{control}b") == "control character"


def test_lines_keep_their_breaks_and_tabs_and_no_other_control_character() -> None:
    assert many_lines(" a\r\nb\rc\n\td ", 10) == "a\nb\nc\n\td"
    for control in ("\x00", "\x0b", "\x1f", "\x9f", "\u2029", "\udfff"):
        with pytest.raises(BadText, match="control character"):
            many_lines(f"a{control}b", 10)


def test_a_name_is_composed_and_turns_nothing_around() -> None:
    assert one_name(" cafe\u0301 ", 4) == "caf\u00e9"
    assert fault_of("a\u202eb") == "direction mark"
    assert fault_of("a" * 11) == "too long"


@pytest.mark.parametrize("nothing", ["", " ", "\u200b\u200d", "\u3164", "\u2800\ufe0f"])
def test_what_shows_nothing_is_nothing(nothing: str) -> None:
    assert is_invisible(nothing)
    assert one_name(nothing, 10) == ""
    with pytest.raises(BadText, match="nothing visible"):
        visible_name(nothing, 10)
    assert pasted_lines(nothing, 10) == ""


def test_what_is_pasted_loses_its_control_characters() -> None:
    assert pasted_lines("\x1b[1ma\x85b\u2028c\x00\r\n", 10) == "[1ma\nb\nc"
    with pytest.raises(BadText, match="too long"):
        pasted_lines("x" * 11, 10)


def test_the_length_is_of_what_is_kept() -> None:
    assert composed("e\u0301" * 10, 10) == "\u00e9" * 10
    assert one_name(" " * 900 + "e\u0301" * 10, 10) == "\u00e9" * 10


def test_a_text_that_is_far_too_long_is_refused_before_it_costs_anything() -> None:
    began = time.perf_counter()
    for refuse in (composed, many_lines, one_name, pasted_lines):
        with pytest.raises(BadText, match="too long"):
            refuse(HUGE, 100)
    assert time.perf_counter() - began < 0.05


def test_texts_that_look_alike_fold_to_one() -> None:
    assert folded("Straße") == folded("ＳＴＲＡＳＳＥ") == "strasse"
    assert folded("ca\u200bsi\u00adno\ufe0f") == "casino"
    assert folded("ｶﾞ") == folded("ガ")
    assert folded("cafe\u200b\u0301") == folded("café")
    assert folded("\u0301" * 1_000_000) == "\u0301" * MARKS


def test_marks_in_a_row_are_limited_and_nothing_else_changes() -> None:
    assert limit_marks("a" + "\u0301" * 100 + "b") == "a" + "\u0301" * MARKS + "b"
    assert limit_marks("\uff9e\u0301" * 4_990) == "\uff9e\u0301" * (MARKS // 2)
    for text in (
        "👍🏽" * 100,
        "ก็" * 100,
        "👨\u200d👩" * 50,
        "。、" * 50,
        "e\u0301" * 100,
        ("\u0301" * 30 + "é") * 9,
    ):
        assert limit_marks(text) == text


def test_every_character_that_decomposes_to_a_mark_can_be_in_a_run() -> None:
    for code in range(0x110000):
        first = unicodedata.normalize("NFKD", chr(code))[0]
        assert not unicodedata.combining(first) or MARK_RUN.match(chr(code) * (MARKS + 1)), hex(code)

"""Counters whose digits are drawn, not written: seven segments, nixie tubes, pixels and mahjong tiles."""

from collections.abc import Callable
from dataclasses import dataclass

from townsquare.services.widgets.drawing.svg import picture, quoted

SEGMENTS = {  # a: top, b and c: right, d: bottom, e and f: left, g: middle
    "0": "abcdef",
    "1": "bc",
    "2": "abdeg",
    "3": "abcdg",
    "4": "bcfg",
    "5": "acdfg",
    "6": "acdefg",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
    "-": "g",
}
SEGMENT_PATHS = {
    "a": "M4 3l2-2h8l2 2-2 2H6z",
    "b": "M17 4l2 2v8l-2 1-2-1V6z",
    "c": "M17 17l2 2v8l-2 2-2-2v-9z",
    "d": "M4 30l2-2h8l2 2-2 2H6z",
    "e": "M3 17l2 1v9l-2 2-2-2v-8z",
    "f": "M3 4l2 2v8l-2 1-2-1V6z",
    "g": "M4 16l2-2h8l2 2-2 2H6z",
}
PIXELS = {  # five columns in seven rows, a row as a number of five bits
    "0": (14, 17, 19, 21, 25, 17, 14),
    "1": (4, 12, 4, 4, 4, 4, 14),
    "2": (14, 17, 1, 6, 8, 16, 31),
    "3": (14, 17, 1, 6, 1, 17, 14),
    "4": (2, 6, 10, 18, 31, 2, 2),
    "5": (31, 16, 30, 1, 1, 17, 14),
    "6": (6, 8, 16, 30, 17, 17, 14),
    "7": (31, 1, 2, 4, 4, 4, 4),
    "8": (14, 17, 17, 14, 17, 17, 14),
    "9": (14, 17, 17, 15, 1, 2, 12),
    "-": (0, 0, 0, 31, 0, 0, 0),
}
PIXEL = 3
CIRCLES = {  # of the tiles called circles: columns 1 to 3 in rows 1 to 3
    "1": ("22",),
    "2": ("21", "23"),
    "3": ("11", "22", "33"),
    "4": ("11", "31", "13", "33"),
    "5": ("11", "31", "22", "13", "33"),
    "6": ("11", "31", "12", "32", "13", "33"),
    "7": ("11", "21", "31", "12", "32", "13", "33"),
    "8": ("11", "21", "31", "12", "32", "13", "23", "33"),
    "9": ("11", "21", "31", "12", "22", "32", "13", "23", "33"),
}
CIRCLE_COLOURS = ("#1b6b3a", "#b3261e", "#1f4e9c")  # of each row


@dataclass(frozen=True)
class DigitTheme:
    width: int
    height: int
    behind: str  # of the whole picture, '' for none
    draw: Callable[[str], str]


def draw_segments(digit: str) -> str:
    lit = SEGMENTS.get(digit, "")
    parts = {True: "", False: ""}
    for name, path in SEGMENT_PATHS.items():
        parts[name in lit] += path
    return f'<path d="{parts[False]}" fill="#3a0d0d"/><path d="{parts[True]}" fill="#ff3b30"/>'


def draw_nixie(digit: str) -> str:
    glow = "".join(
        f'<text x="14" y="31" text-anchor="middle" font-family="\'Helvetica Neue\', Arial, sans-serif" '
        f'font-size="26" font-weight="300" fill="{fill}" stroke="#ff6a00" stroke-width="{width}" '
        f'stroke-linejoin="round" stroke-opacity="{opacity}">{quoted(digit)}</text>'
        for fill, width, opacity in (("none", 6, 0.18), ("none", 3, 0.35), ("#ffd9a0", 1, 1))
    )
    return (
        '<rect x="2" y="2" width="24" height="40" rx="11" fill="#2a1a12" stroke="#8a6a4a"/>'
        f'<path d="M7 12v20M21 12v20" stroke="#fff" stroke-opacity=".12"/>{glow}'
        '<rect x="6" y="41" width="16" height="4" fill="#5a4632"/>'
    )


def draw_pixels(digit: str) -> str:
    squares = "".join(
        f"M{column * PIXEL} {row * PIXEL}h{PIXEL}v{PIXEL}h-{PIXEL}z"
        for row, bits in enumerate(PIXELS.get(digit, ()))
        for column in range(5)
        if bits >> (4 - column) & 1
    )
    return (
        f'<path transform="translate(2.5 3.5)" d="{squares}" fill="#10104a"/>'
        f'<path transform="translate(1.5 2.5)" d="{squares}" fill="#fff"/>'
    )


def draw_tile(digit: str) -> str:
    circles = "".join(
        f'<circle cx="{6 + 7 * (int(place[0]) - 1)}" cy="{8 + 9 * (int(place[1]) - 1)}" '
        f'r="{7 if digit == "1" else 2.8}" fill="none" stroke="{CIRCLE_COLOURS[int(place[1]) - 1]}" '
        'stroke-width="1.6"/>'
        for place in CIRCLES.get(digit, ())
    )
    blank = '<rect x="6" y="7" width="14" height="20" fill="none" stroke="#1f4e9c" stroke-width="1.4"/>'
    dash = '<path d="M8 17h10" stroke="#333" stroke-width="2"/>'
    inside = blank if digit == "0" else circles or dash
    return (
        '<rect x="1" y="3" width="24" height="34" rx="3" fill="#1b6b3a"/>'
        f'<rect x="1" y="1" width="24" height="33" rx="3" fill="#fbf7ea" stroke="#b9ae8c"/>'
        f"{inside}"
    )


DIGIT_THEMES = {
    "segment": DigitTheme(20, 33, "#1a0505", draw_segments),
    "nixie": DigitTheme(28, 46, "#120b07", draw_nixie),
    "dots_f": DigitTheme(20, 28, "#2424a8", draw_pixels),
    "mahjong": DigitTheme(26, 38, "", draw_tile),
}
MARGIN = 3


def draw_digits(text: str, theme: DigitTheme, label: str) -> str:
    width, height = len(text) * theme.width + 2 * MARGIN, theme.height + 2 * MARGIN
    behind = f'<rect width="{width}" height="{height}" rx="3" fill="{theme.behind}"/>' if theme.behind else ""
    cells = "".join(
        f'<g transform="translate({MARGIN + place * theme.width} {MARGIN})">{theme.draw(digit)}</g>'
        for place, digit in enumerate(text)
    )
    return picture(width, height, f"{label}: {text}", behind + cells)

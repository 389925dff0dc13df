"""Counters and like buttons as SVG: they work in an <img>, need no script and never break a page."""

from townsquare.services.widgets.drawing.digits import DIGIT_THEMES, draw_digits
from townsquare.services.widgets.drawing.svg import columns, draw_background, picture, quoted
from townsquare.services.widgets.drawing.themes import theme_named

HEIGHT = 24
DIGIT_WIDTH = 14
LIKE_DIGIT_WIDTH = 11  # of 15 px in the widest bold font
PADDING = 8
BADGE_HEIGHT = 20
CHARACTER_WIDTH = 6.6  # of 11 px Verdana, near enough for a badge
ICONS = {"heart": "♥", "star": "★", "thumb": "👍", "peta": "🐾"}


def draw_number(text: str, theme: str, label: str) -> str:
    """Each digit in its own cell."""
    if theme == "github":
        return draw_badge(label, text)
    if theme in DIGIT_THEMES:
        return draw_digits(text, DIGIT_THEMES[theme], label)
    style = theme_named(theme)
    width = len(text) * DIGIT_WIDTH + 2 * PADDING
    cells = "".join(
        f'<text x="{PADDING + place * DIGIT_WIDTH + DIGIT_WIDTH / 2:g}" y="17">{quoted(character)}</text>'
        for place, character in enumerate(text)
    )
    return picture(
        width,
        HEIGHT,
        f"{label}: {text}",
        f"{draw_background(style, width, HEIGHT)}"
        f'<g fill="{style.ink}" font-family="{quoted(style.font)}" font-size="16" '
        f'font-weight="{style.weight}" text-anchor="middle">{cells}</g>',
    )


def draw_like(icon: str, text: str, theme: str, *, liked: bool) -> str:
    """The icon and the number, in the accent colour if the visitor likes the page."""
    shown = ICONS.get(icon, icon)
    if theme == "github":
        return draw_badge(f"{shown} likes", text)
    style = theme_named(theme)
    icon_width = 9 * columns(shown) + 8
    width = icon_width + LIKE_DIGIT_WIDTH * len(text) + 2 * PADDING
    return picture(
        width,
        HEIGHT,
        f"likes: {text}",
        f"{draw_background(style, width, HEIGHT, style.accent if liked else '')}"
        f'<g font-size="15" font-weight="{style.weight}"><text x="{PADDING}" y="17" '
        f'fill="{style.accent if liked else style.ink}" unicode-bidi="isolate">{quoted(shown)}</text>'
        f'<text x="{width - PADDING}" y="17" fill="{style.ink}" text-anchor="end" '
        f'font-family="{quoted(style.font)}">{quoted(text)}</text></g>',
    )


def draw_badge(label: str, text: str) -> str:
    """Label and number side by side, as in the README of a repository."""
    left = round(columns(label) * CHARACTER_WIDTH + 10)
    right = round(columns(text) * CHARACTER_WIDTH + 10)
    width = left + right
    return picture(
        width,
        BADGE_HEIGHT,
        f"{label}: {text}",
        f'<clipPath id="r"><rect width="{width}" height="{BADGE_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{BADGE_HEIGHT}" fill="#555"/>'
        f'<rect x="{left}" width="{right}" height="{BADGE_HEIGHT}" fill="#0b7285"/></g>'
        f'<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{quoted(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{quoted(text)}</text></g>',
    )

"""A poster for films that have none: title, year and colours of the genre, drawn as SVG."""

import json
import re
from html import escape
from pathlib import Path
from unicodedata import combining, east_asian_width

from townsquare.services.search.models.films import Film

WIDTH, HEIGHT = 300, 450
HALF = HEIGHT // 2
MARGIN = 26
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MOST_LINES = 6
SIZES = ((9, 42), (12, 33), (17, 24))  # columns that fit into a line, and the size of its letters
# by genre: ground, shapes, letters; each pair of ground and letters has a contrast of at least 7 to 1
COLOURS: dict[str, tuple[str, str, str]] = json.loads(
    Path(__file__).with_name("pages").joinpath("poster_colours.json").read_text("utf-8")
)
PLAIN = ("#26312c", "#5d8a78", "#eef5f1")


def draw_poster(film: Film) -> str:
    ground, shape, ink = next((COLOURS[genre] for genre in film.genres if genre in COLOURS), PLAIN)
    lines, size = laid_out(film.title)
    top = HEIGHT - MARGIN - 34 - size * 1.15 * (len(lines) - 1)
    title = "".join(
        f'<text x="{MARGIN}" y="{top + size * 1.15 * place:.0f}" font-size="{size}" font-weight="700">'
        f"{quoted(line)}</text>"
        for place, line in enumerate(lines)
    )
    said = quoted(f"{film.title} ({film.year})")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}"><title>{said}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ground}"/>{shapes(film.id, shape)}'
        f'<rect y="{HALF}" width="{WIDTH}" height="{HALF}" fill="{ground}" opacity=".82"/>'
        f"<g fill=\"{ink}\" font-family=\"Georgia, 'Noto Serif', 'Times New Roman', serif\">{title}"
        f'<text x="{MARGIN}" y="{HEIGHT - MARGIN}" font-size="18" opacity=".9">{film.year}</text></g></svg>'
    )


def shapes(seed: int, colour: str) -> str:
    """A few discs, the same for the same film."""
    drawn = []
    for place in range(4):
        seed = (seed * 1_103_515_245 + 12_345) % 2**31
        x, y, radius = seed % WIDTH, (seed >> 9) % (HEIGHT // 2), 40 + (seed >> 17) % 90
        opacity = (0.9, 0.55, 0.35, 0.25)[place]
        drawn.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}" opacity="{opacity}"/>')
    return "".join(drawn)


def laid_out(title: str) -> tuple[list[str], int]:
    """The title in lines, as large as it fits."""
    for width, size in SIZES:
        lines = wrapped(title, width)
        if len(lines) <= MOST_LINES - (size > SIZES[-1][1]) and max(map(columns, lines)) <= width:
            return lines, size
    return [cut(line, SIZES[-1][0]) for line in lines[:MOST_LINES]], SIZES[-1][1]


def wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        for part in pieces(word, width):
            longer = f"{lines[-1]} {part}".strip()
            if lines[-1] and columns(longer) > width:
                lines.append(part)
            else:
                lines[-1] = longer
    return lines


def pieces(word: str, width: int) -> list[str]:
    """A word, or parts of one that no line has room for: scripts without spaces are one long word."""
    if columns(word) <= width or east_asian_width(word[0]) not in "WF":
        return [word]
    step = width // 2
    return [word[place : place + step] for place in range(0, len(word), step)]


def columns(text: str) -> int:
    """How wide it is, in Latin letters."""
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def cut(text: str, width: int) -> str:
    while columns(text) > width:
        text = text[:-2] + "…"
    return text


def quoted(text: str) -> str:
    return escape(NOT_IN_XML.sub("\ufffd", text))

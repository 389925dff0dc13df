"""Rankings and boards as SVG."""

from collections.abc import Sequence

from townsquare.services.widgets.drawing.svg import columns, cut, draw_background, draw_bar, picture, quoted
from townsquare.services.widgets.drawing.themes import Theme, theme_named
from townsquare.services.widgets.models import RankingEntry, ShownMessage

WIDTH = 340
ROW = 22
BAR = 30  # of the title
MARGIN = 12
TITLE_COLUMNS, NAME_COLUMNS, SCORE_COLUMNS, LINE_COLUMNS = 30, 22, 14, 40  # by the widest fonts
LINES_OF_A_MESSAGE = 3


def draw_ranking(title: str, entries: Sequence[RankingEntry], theme: str) -> str:
    style = theme_named(theme)
    rows = []
    for place, entry in enumerate(entries):
        y = baseline(place + 1)
        name = cut(entry.name, NAME_COLUMNS)
        score = cut(entry.display_score or str(entry.score), SCORE_COLUMNS)
        rows.append(
            f'<text x="{MARGIN}" y="{y}" fill="{style.accent}">{entry.rank}.</text>'
            f'<text x="{MARGIN + 34}" y="{y}" unicode-bidi="isolate">{quoted(name)}</text>'
            f'<text x="{WIDTH - MARGIN}" y="{y}" text-anchor="end" unicode-bidi="isolate" '
            f'font-family="{quoted(style.font)}">{quoted(score)}</text>'
        )
    spoken = f"{title or 'ranking'}: " + ", ".join(f"{entry.rank}. {entry.name}" for entry in entries)
    return sheet(style, title or "Ranking", len(rows), spoken, "".join(rows), empty="No scores yet")


def draw_board(title: str, messages: Sequence[ShownMessage], theme: str) -> str:
    style = theme_named(theme)
    rows, height = [], 0
    for message in messages:
        height += 1
        date = message.timestamp[:16].replace("T", " ")
        rows.append(
            f'<text x="{MARGIN}" y="{baseline(height)}" fill="{style.accent}" font-weight="600" '
            f'unicode-bidi="isolate">{quoted(cut(message.author, NAME_COLUMNS))}</text>'
            f'<text x="{WIDTH - MARGIN}" y="{baseline(height)}" text-anchor="end" '
            f'font-size="11">{quoted(date)}</text>'
        )
        for text in broken(message.message):
            height += 1
            rows.append(
                f'<text x="{MARGIN}" y="{baseline(height)}" unicode-bidi="isolate">{quoted(text)}</text>'
            )
    spoken = f"{title or 'board'}: {len(messages)} messages"
    return sheet(style, title or "Bulletin board", height, spoken, "".join(rows), empty="No messages yet")


def broken(message: str) -> list[str]:
    """The first lines of a message."""
    lines: list[str] = []
    for paragraph in message.split("\n"):
        line = ""
        for character in paragraph:
            if columns(line + character) > LINE_COLUMNS:
                lines.append(line)
                line = ""
            line += character
        lines.append(line)
    if len(lines) > LINES_OF_A_MESSAGE:
        lines = [*lines[: LINES_OF_A_MESSAGE - 1], cut(lines[LINES_OF_A_MESSAGE - 1] + "…", LINE_COLUMNS)]
    return lines


def baseline(row: int) -> int:
    return row * ROW + BAR


def sheet(style: Theme, title: str, rows: int, spoken: str, content: str, *, empty: str) -> str:
    if not rows:
        content, rows = f'<text x="{MARGIN}" y="{baseline(1)}">{quoted(empty)}</text>', 1
    height = baseline(rows) + 14
    return picture(
        WIDTH,
        height,
        spoken,
        f"{draw_background(style, WIDTH, height)}{draw_bar(style, WIDTH, BAR)}"
        f'<g fill="{style.ink}" font-family="{quoted(style.prose)}" font-size="13">'
        f'<text x="{MARGIN}" y="21" fill="{style.paper}" font-size="15" font-weight="700" '
        f'unicode-bidi="isolate">{quoted(cut(title, TITLE_COLUMNS))}</text>{content}</g>',
    )

"""Colours and faces, the same in pictures and in components."""

from dataclasses import dataclass

MONOSPACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
ROUND = "'Comic Sans MS', 'M PLUS Rounded 1c', 'Hiragino Maru Gothic ProN', ui-rounded, sans-serif"
PLAIN = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Hiragino Sans', sans-serif"


@dataclass(frozen=True)
class Theme:
    paper: str
    ink: str
    frame: str
    accent: str
    font: str = MONOSPACE
    prose: str = PLAIN
    corner: int = 3
    weight: int = 600


THEMES = {
    "light": Theme(paper="#ffffff", ink="#1f2328", frame="#d0d7de", accent="#cf222e"),
    "dark": Theme(paper="#0d1117", ink="#e6edf3", frame="#30363d", accent="#ff7b72"),
    "retro": Theme(
        paper="#000000",
        ink="#39ff14",
        frame="#808080",
        accent="#ffff00",
        prose=MONOSPACE,
        corner=0,
        weight=700,
    ),
    "kawaii": Theme(
        paper="#fff0f6", ink="#c2255c", frame="#faa2c1", accent="#e64980", corner=12, font=ROUND, prose=ROUND
    ),
    "mom": Theme(
        paper="#f8fff4", ink="#2f6f3e", frame="#a9dcb0", accent="#c2410c", corner=8, font=ROUND, prose=ROUND
    ),
    "final": Theme(
        paper="#0b1a66", ink="#ffffff", frame="#c8d4ff", accent="#ffe066", prose=MONOSPACE, corner=6
    ),
    "github": Theme(paper="#f6f8fa", ink="#24292f", frame="#d0d7de", accent="#0969da", corner=6),
}
UNKNOWN = "light"


def theme_named(name: str) -> Theme:
    return THEMES.get(name, THEMES[UNKNOWN])

"""Colours, patterns and fonts of pictures and elements. To add a theme, add it to `THEMES`.

For the elements the themes are CSS. `shared.js` contains the light theme.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MONOSPACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
ROUND = "'Comic Sans MS', 'M PLUS Rounded 1c', 'Hiragino Maru Gothic ProN', ui-rounded, sans-serif"
PLAIN = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Hiragino Sans', sans-serif"


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A test checks the contrast of ink and accent on the paper and on the colour of its pattern."""

    paper: str
    ink: str
    frame: str
    accent: str
    pattern: Literal["", "dots", "gingham", "lines", "gradient"] = ""
    second: str = ""  # colour of the pattern
    edge: Literal["solid", "dotted", "dashed", "double"] = "solid"
    edge_width: int = 1
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
        pattern="lines",
        second="#0d2b0d",
        edge="double",
        edge_width=2,
        prose=MONOSPACE,
        corner=0,
        weight=700,
    ),
    "kawaii": Theme(
        paper="#fff0f6",
        ink="#a61e4d",
        frame="#f06595",
        accent="#bc1558",
        pattern="dots",
        second="#ffd6e8",
        edge="dotted",
        edge_width=2,
        corner=12,
        font=ROUND,
        prose=ROUND,
    ),
    "mom": Theme(
        paper="#fbfff6",
        ink="#22592f",
        frame="#6aa874",
        accent="#a8380a",
        pattern="gingham",
        second="#d3ecc9",
        edge="dashed",
        edge_width=2,
        corner=8,
        font=ROUND,
        prose=ROUND,
    ),
    "final": Theme(
        paper="#060b3a",
        ink="#ffffff",
        frame="#c8d4ff",
        accent="#ffe066",
        pattern="gradient",
        second="#2340c0",
        edge_width=2,
        prose=MONOSPACE,
        corner=6,
    ),
    "github": Theme(paper="#f6f8fa", ink="#24292f", frame="#d0d7de", accent="#0969da", corner=6),
}
UNKNOWN = "light"
TITLES = {  # where the name says too little
    "retro": "Retro terminal",
    "mom": "Gingham",
    "final": "Blue window",
    "github": "GitHub badge",
    "segment": "Seven segments",
    "nixie": "Nixie tubes",
    "dots_f": "Dot matrix",
    "mahjong": "Mahjong tiles",
}


def theme_title(name: str) -> str:
    return TITLES.get(name, name.capitalize())


def theme_named(name: str) -> Theme:
    return THEMES.get(name, THEMES[UNKNOWN])


CSS_PATTERNS = {  # of the second colour, on the paper
    "": "var(--paper)",
    "dots": "radial-gradient({0} 2px, #0000 2.5px) 0 0 / 12px 12px, "
    "radial-gradient({0} 2px, #0000 2.5px) 6px 6px / 12px 12px var(--paper)",
    "gingham": "linear-gradient(90deg, {0}80 50%, #0000 0) 0 0 / 12px 12px, "
    "linear-gradient({0}80 50%, #0000 0) 0 0 / 12px 12px var(--paper)",
    "lines": "repeating-linear-gradient(#0000 0 2px, {0} 2px 4px) var(--paper)",
    "gradient": "linear-gradient({0}, #0000) var(--paper)",
}
DOUBLE_WIDTH = 3  # px; the narrowest border in which CSS draws two lines


def themes_module() -> str:
    """The JavaScript module that adds every theme but the light one."""
    rules = "\n".join(rule(name, theme) for name, theme in THEMES.items() if name != UNKNOWN)
    return f'import {{ THEMES }} from "./shared.js";\n\nTHEMES.replaceSync(`\n{rules}\n`);\n'


def rule(name: str, theme: Theme) -> str:
    light = dict(properties(THEMES[UNKNOWN]))
    changed = (f"--{key}: {value}" for key, value in properties(theme) if value != light[key])
    return f":host([theme={name}]) {{ {'; '.join(changed)} }}"


def page_css(theme: Theme) -> str:
    """A style sheet that gives a page of the server the look of a theme."""
    colours = {
        "paper": theme.paper,
        **dict.fromkeys(("ground", "surface", "code", "accent-ink"), theme.paper),
        **dict.fromkeys(("ink", "muted"), theme.ink),
        **dict.fromkeys(("accent", "warm", "bad"), theme.accent),
        "line": theme.frame,
        "field": f"color-mix(in srgb, {theme.ink} 70%, {theme.paper})",
        "radius": f"{theme.corner}px",
        "sans": "var(--mono)" if theme.prose == MONOSPACE else theme.prose,
    }
    scheme = "dark" if int(theme.paper[1:3], 16) < 128 else "light"
    rules = "; ".join(f"--{name}: {value}" for name, value in colours.items())
    back = CSS_PATTERNS[theme.pattern].format(theme.second)
    page = f":root:root:root {{ {rules}; color-scheme: {scheme}; min-height: 100% }}"
    return f"{page}\nbody {{ background: {back} }}\n"


def properties(theme: Theme) -> Iterator[tuple[str, str]]:
    yield from {"paper": theme.paper, "ink": theme.ink, "frame": theme.frame, "accent": theme.accent}.items()
    yield "corner", f"{theme.corner}px"
    yield "face", "var(--mono)" if theme.prose == MONOSPACE else theme.prose
    yield "digits", "var(--mono)" if theme.font == MONOSPACE else theme.font
    yield "edge", f"{DOUBLE_WIDTH if theme.edge == 'double' else theme.edge_width}px {theme.edge}"
    yield "back", CSS_PATTERNS[theme.pattern].format(theme.second)

"""The themes as CSS for the elements. `shared.js` contains the light theme."""

from collections.abc import Iterator

from townsquare.services.widgets.drawing.themes import MONOSPACE, THEMES, UNKNOWN, Theme

PATTERNS = {  # of the second colour, on the paper
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


def properties(theme: Theme) -> Iterator[tuple[str, str]]:
    yield from {"paper": theme.paper, "ink": theme.ink, "frame": theme.frame, "accent": theme.accent}.items()
    yield "corner", f"{theme.corner}px"
    yield "face", "var(--mono)" if theme.prose == MONOSPACE else theme.prose
    yield "digits", "var(--mono)" if theme.font == MONOSPACE else theme.font
    yield "edge", f"{DOUBLE_WIDTH if theme.edge == 'double' else theme.edge_width}px {theme.edge}"
    yield "back", PATTERNS[theme.pattern].format(theme.second)
